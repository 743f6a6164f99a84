import type { ItemKey } from '../../model/item.ts';
import type { Cursor } from '../../model/message.ts';
import type { IndexNames } from '../../model/table-names.ts';
import type { ClockPort, Page, ScanPort } from '../../ports.ts';
import type { Budget } from '../../scan/budget.ts';
import type { ArchiveStore } from '../archive-item.ts';
import type { ArchiveNotes } from '../ports.ts';
import type { AgingRule } from './aging.ts';
import type { ItemOutcomes, KindCounts, SweepTally } from './sweep-tally.ts';

/** What is told of a sweep to whoever watches: counts, keys, rules and codes, never item content. */
export interface SweepTelemetryPort {
  swept(report: SweepReport): void;
  unclassified(item: Unclassified): void;
  /** A rule's sweep failed, and goes on where it was at the next run: for the log. */
  failed(error: unknown): void;
}

/** An item that is left alone because nobody can say whether it has aged, or because DynamoDB takes no expiry on it. */
export interface Unclassified {
  readonly rule: string;
  readonly kind: string;
  readonly key: ItemKey;
  readonly code: string;
  readonly reason: string;
}

/** All that a sweep works with. */
export interface SweepContext extends ArchiveStore {
  readonly scan: ScanPort;
  readonly range: RangePort;
  readonly notes: ArchiveNotes;
  readonly clock: ClockPort;
  readonly telemetry: SweepTelemetryPort;
  /** Read units a second, over everything that a sweep reads. */
  readonly reads: Budget;
  /** Asked before each read: where it says true, nothing more is begun, and the next run goes on from there. */
  readonly stop: () => boolean;
}

/** What a run has done by one rule. */
export interface SweepReport {
  readonly rule: string;
  /** Items that were looked at, or entries of an index. */
  readonly looked: number;
  /** By the names of kinds. */
  readonly kinds: Readonly<Record<string, KindCounts>>;
  /** States that were put into the archive; what stood there already is not among them. */
  readonly stored: number;
  /** Conditions that could not hold every attribute. */
  readonly narrowed: number;
  readonly readUnits: number;
  readonly writeUnits: number;
  /** Whether the run came to the end of the pass. */
  readonly finished: boolean;
  /** When the pass began, in epoch milliseconds: runs before this one may have begun it. */
  readonly started: number;
  /** When the run ended, in epoch milliseconds. */
  readonly at: number;
}

/** What a few roots are swept with. */
export interface RootWork {
  readonly context: SweepContext;
  readonly rule: AgingRule;
  /** In epoch milliseconds. */
  readonly now: number;
  /** Whether nothing is to be written. */
  readonly dryRun: boolean;
  readonly tally: SweepTally;
  readonly outcomes: ItemOutcomes;
}

/** A page of keys, and what it cost. */
export interface KeyPage extends Page<ItemKey> {
  /** Read units that the page cost: what DynamoDB says, or an estimate where it does not say. */
  readonly units: number;
}

/** A partition of an index from its beginning up to a sort key. Eventually consistent. Throws as the table's port does. */
export interface RangePort {
  /** One page of the entries whose sort keys are less than `until`, in their order, keys only, at most `limit`. */
  before(keyRange: IndexKeyRange, limit: number, from?: Cursor): Promise<KeyPage>;
}

export interface IndexKeyRange {
  readonly index: IndexNames;
  readonly pk: string;
  readonly until: string;
}
