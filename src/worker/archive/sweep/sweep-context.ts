import type { ItemKey } from '../../../model/item.ts';
import type { ClockPort, ScanPort } from '../../ports.ts';
import type { Budget } from '../../scan/budget.ts';
import type { ArchiveStore } from '../archive-item.ts';
import type { ArchiveNotes } from '../ports.ts';
import type { AgingRule } from './aging.ts';
import type { ItemOutcomes, KindCounts, SweepTally } from './sweep-tally.ts';

/** What a sweep reports: counts, keys, rules and codes, never item content. */
export interface SweepTelemetryPort {
  swept(report: SweepReport): void;
  unclassified(item: Unclassified): void;
  /** A rule's sweep failed and continues from its point at the next run. For the log. */
  failed(error: unknown): void;
}

/** An item that is left alone because its age cannot be determined, or because DynamoDB refuses the TTL. */
export interface Unclassified {
  readonly rule: string;
  readonly kind: string;
  readonly key: ItemKey;
  readonly code: string;
  readonly reason: string;
}

/** Everything that a sweep needs. */
export interface SweepContext extends ArchiveStore {
  readonly scan: ScanPort;
  readonly notes: ArchiveNotes;
  readonly clock: ClockPort;
  readonly telemetry: SweepTelemetryPort;
  /** Read units a second, for all reads of the sweep. */
  readonly reads: Budget;
  /** Asked before each read. If it returns true, nothing more is started, and the next run continues from there. */
  readonly stop: () => boolean;
}

/** The result of one run for one rule. */
export interface SweepReport {
  readonly rule: string;
  /** Items scanned, or index entries read. */
  readonly looked: number;
  /** By kind name. */
  readonly kinds: Readonly<Record<string, KindCounts>>;
  /** States put into the archive, without those that were there already. */
  readonly stored: number;
  readonly readUnits: number;
  readonly writeUnits: number;
  /** Whether the run completed the pass. */
  readonly finished: boolean;
  /** When the pass began, possibly in an earlier run, in epoch milliseconds. */
  readonly started: number;
  /** When the run ended, in epoch milliseconds. */
  readonly at: number;
}

/** Everything that is needed to sweep a few roots. */
export interface RootWork {
  readonly context: SweepContext;
  readonly rule: AgingRule;
  /** In epoch milliseconds. */
  readonly now: number;
  /** Whether to write nothing. */
  readonly dryRun: boolean;
  readonly tally: SweepTally;
  readonly outcomes: ItemOutcomes;
}
