import { type ItemKey, keyText } from '../../model/item.ts';
import type { AnyKind } from '../../model/kind.ts';

/**
 * What became of an aged item, or of one that goes with it:
 * - `swept`: it was archived and given an expiry; in a dry run, it would be;
 * - `expiring`: it had one already;
 * - `restored`: it, or one that goes with it, was restored less than the rule's age ago, and it is left alone until then;
 * - `changed`: it changed or went while it was being swept, and is left as it is;
 * - `unclassified`: it does not say whether it has aged, or DynamoDB takes no expiry on it.
 */
export const sweepOutcomes = ['swept', 'expiring', 'restored', 'changed', 'unclassified'] as const;

export type SweepOutcome = (typeof sweepOutcomes)[number];

/** What became of each item that a run was about, one outcome for each item. */
export class SweepTally {
  looked = 0;
  stored = 0;
  narrowed = 0;
  private readonly counts = new Map<string, Record<SweepOutcome, number>>();

  /** Adds what became of some items. */
  add(outcomes: ItemOutcomes): void {
    for (const { kind, outcome } of outcomes.values()) {
      const counts = this.counts.get(kind) ?? none();
      counts[outcome] += 1;
      this.counts.set(kind, counts);
    }
  }

  kinds(): Readonly<Record<string, KindCounts>> {
    return Object.fromEntries([...this.counts].map(([kind, counts]) => [kind, { ...counts }]));
  }
}

function none(): Record<SweepOutcome, number> {
  return { swept: 0, expiring: 0, restored: 0, changed: 0, unclassified: 0 };
}

/** The outcomes of a few items while they are being swept: the last one that is said of an item counts. */
export class ItemOutcomes {
  private readonly outcomes = new Map<string, { readonly kind: string; readonly outcome: SweepOutcome }>();

  /** What has been swept stays swept, whatever another look shows. */
  note({ name }: AnyKind, key: ItemKey, outcome: SweepOutcome): void {
    const at = keyText(key);
    if (this.outcomes.get(at)?.outcome !== 'swept') this.outcomes.set(at, { kind: name, outcome });
  }

  of(key: ItemKey): SweepOutcome | undefined {
    return this.outcomes.get(keyText(key))?.outcome;
  }

  values(): Iterable<{ readonly kind: string; readonly outcome: SweepOutcome }> {
    return this.outcomes.values();
  }
}

/** Counts of one kind: of aged items and what goes with them by what became of them, and of those that are unclassified. */
export type KindCounts = Readonly<Record<SweepOutcome, number>>;
