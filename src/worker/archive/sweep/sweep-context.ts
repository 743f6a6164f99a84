import { type ItemKey, keyText } from '../../../model/items/item.ts';
import type { BoundKind } from '../../../model/kinds/kind.ts';
import type { Budget } from '../../budget.ts';
import type { ClockPort, ScanPort, TablePort } from '../../ports.ts';
import type { ArchiveStore } from '../archive-item.ts';
import type { ArchiveNotes } from '../ports.ts';
import type { AgingRule } from './aging.ts';

/** Counts, keys, rules and codes, never item content. */
export interface SweepTelemetryPort {
  swept(report: SweepReport): void;
  unclassified(item: Unclassified): void;
  /** The rule's sweep continues from its point at the next run. */
  failed(error: unknown): void;
}

/** Left alone because its age cannot be determined, or because DynamoDB refuses the TTL. */
export interface Unclassified {
  readonly rule: string;
  readonly kind: string;
  readonly key: ItemKey;
  readonly code: string;
  readonly reason: string;
}

export interface SweepContext extends ArchiveStore {
  readonly table: TablePort;
  readonly scan: ScanPort;
  readonly notes: ArchiveNotes;
  readonly clock: ClockPort;
  readonly telemetry: SweepTelemetryPort;
  /** The budget of all reads of the sweep. */
  readonly reads: Budget;
  /** Asked before each read: then nothing more is started, and the next run continues from there. */
  readonly stop: () => boolean;
}

export interface SweepReport {
  readonly rule: string;
  /** Items scanned, or index entries read. */
  readonly looked: number;
  /** The counts of each kind, by its name. */
  readonly kinds: Readonly<Record<string, KindCounts>>;
  /** The states that were stored, without those that were there already. */
  readonly stored: number;
  readonly readUnits: number;
  readonly writeUnits: number;
  readonly finished: boolean;
  /** Of the pass, possibly in an earlier run, in epoch milliseconds. */
  readonly started: number;
  /** When the run ended, in epoch milliseconds. */
  readonly at: number;
}

export interface RootWork {
  readonly context: SweepContext;
  readonly rule: AgingRule;
  /** In epoch milliseconds. */
  readonly now: number;
  readonly dryRun: boolean;
  readonly tally: SweepTally;
  readonly outcomes: ItemOutcomes;
}

/**
 * `swept`: archived, and its TTL set, or it would be in a dry run; `expiring`: it had a TTL already; `restored`: it or another
 * item of its group was restored less than the rule's age ago; `changed`: left as it is, because it changed or was removed
 * meanwhile; `unclassified`: its age cannot be determined, or DynamoDB refuses the TTL.
 */
export const sweepOutcomes = ['swept', 'expiring', 'restored', 'changed', 'unclassified'] as const;

type SweepOutcome = (typeof sweepOutcomes)[number];

type KindCounts = Readonly<Record<SweepOutcome, number>>;

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
