import type { ItemKey } from '../../../model/items/item.ts';
import type { Budget } from '../../budget.ts';
import type { ClockPort, ScanPort, TablePort } from '../../ports.ts';
import type { ArchiveStore } from '../archive-item.ts';
import type { ArchiveNotes } from '../ports.ts';
import type { AgingRule } from './aging.ts';
import type { ItemOutcomes, KindCounts, SweepTally } from './sweep-tally.ts';

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
  /** Of all reads of the sweep. */
  readonly reads: Budget;
  /** Asked before each read: then nothing more is started, and the next run continues from there. */
  readonly stop: () => boolean;
}

export interface SweepReport {
  readonly rule: string;
  /** Items scanned, or index entries read. */
  readonly looked: number;
  /** By kind name. */
  readonly kinds: Readonly<Record<string, KindCounts>>;
  /** Without those that were there already. */
  readonly stored: number;
  readonly readUnits: number;
  readonly writeUnits: number;
  readonly finished: boolean;
  /** Of the pass, possibly in an earlier run, in epoch milliseconds. */
  readonly started: number;
  /** Of the run's end, in epoch milliseconds. */
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
