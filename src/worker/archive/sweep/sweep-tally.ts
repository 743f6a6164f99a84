import { type ItemKey, keyText } from '../../../model/items/item.ts';
import type { BoundKind } from '../../../model/kinds/kind.ts';

/**
 * `swept`: archived, and its TTL set, or it would be in a dry run; `expiring`: it had a TTL already; `restored`: it or another
 * item of its group was restored less than the rule's age ago; `changed`: left as it is, because it changed or was removed
 * meanwhile; `unclassified`: its age cannot be determined, or DynamoDB refuses the TTL.
 */
export const sweepOutcomes = ['swept', 'expiring', 'restored', 'changed', 'unclassified'] as const;

type SweepOutcome = (typeof sweepOutcomes)[number];

export type KindCounts = Readonly<Record<SweepOutcome, number>>;

export class SweepTally {
  looked = 0;
  stored = 0;
  readonly kinds: Record<string, Record<SweepOutcome, number>> = {};

  add(outcomes: ItemOutcomes): void {
    for (const { kind, outcome } of outcomes.values()) {
      this.kinds[kind] ??= { swept: 0, expiring: 0, restored: 0, changed: 0, unclassified: 0 };
      this.kinds[kind][outcome] += 1;
    }
  }
}

/** The last outcome of an item counts. */
export class ItemOutcomes {
  private readonly outcomes = new Map<string, { readonly kind: string; readonly outcome: SweepOutcome }>();

  /** An item that was swept stays swept, whatever a later round finds. */
  note({ name }: BoundKind, key: ItemKey, outcome: SweepOutcome): void {
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
