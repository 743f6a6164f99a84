import type { QueriedLocation } from '../model/copy-location.ts';
import type { GuardedAction, GuardedUpdate, RootCondition, WriteOutcome } from '../model/guarded-write.ts';
import type { Item, ItemKey } from '../model/item.ts';
import type { Cursor, DeadLetter, Message } from '../model/message.ts';
import type { ArchiveReport, PropagationReport } from '../model/report.ts';

/**
 * The table. Reads are strongly consistent, except those of an index, which may lag.
 *
 * Every method throws `TransientError` where the service could not do it for now, after its own retries, and `FatalError`
 * where it never will, whatever the item (access denied, no such table). The outcome of a single write is a value.
 */
export interface TablePort {
  get(key: ItemKey, options?: Pick<ReadOptions, 'onSpent'>): Promise<Item | undefined>;
  /** The items of these keys that exist, in any order. Any number of keys, none twice. */
  getMany(keys: readonly ItemKey[], options?: ReadOptions): Promise<readonly Item[]>;
  /**
   * One page of a partition or of an index, at most `limit` items, fewer where they are large; `next` is there while more may
   * follow. An entry of an index is what its item was at some earlier time.
   * @param whole false: an index gives only the table's key attributes, for a read of the items; true: it must project ALL
   */
  query(range: QueriedRange, limit: number, from?: Cursor, whole?: boolean): Promise<Page<Item>>;
  /** Writes each, on its own condition, those of one item one after another. One outcome for each update, in their order. */
  update(updates: readonly GuardedUpdate[], options?: WriteOptions): Promise<readonly WriteOutcome[]>;
  /**
   * Removes, or puts where its key is free, each on its own condition and the root's, in transactions. One outcome for each,
   * in their order.
   */
  transact(
    root: RootCondition,
    actions: readonly GuardedAction[],
    options?: WriteOptions,
  ): Promise<readonly WriteOutcome[]>;
}

/** Of an index, also the entries whose sort keys are less than `before`. */
export type QueriedRange = QueriedLocation & { readonly before?: string };

/**
 * Called for each request with the units that it cost the table itself, and in total, with its indexes, which have partitions of
 * their own. Not called for a request that says nothing of them.
 */
export type OnSpent = (table: number, total: number) => void;

export interface ReadOptions {
  readonly onSpent?: OnSpent | undefined;
  /** Lets a request that a hundred large items would exceed return some of them: called with the keys of the others. Default: all are read. */
  readonly onUnread?: ((keys: readonly ItemKey[]) => void) | undefined;
}

export interface WriteOptions {
  readonly onSpent?: OnSpent | undefined;
  /** The caller paces the writes: throttled ones are not retried here. */
  readonly isPaced?: boolean;
}

export interface Page<Entry> {
  readonly entries: readonly Entry[];
  readonly next: Cursor | undefined;
  /** Read units that the page cost, if the table says them. */
  readonly units?: number | undefined;
}

/** One of the parts into which a scan divides a table: a range of hashed partition keys, so none need hold anything. */
export interface Segment {
  /** From 0. */
  readonly index: number;
  /** How many there are, 1 to 1,000,000. Source: AWS, "Scan". */
  readonly of: number;
}

/** A page of a scan: whole items, as they were some moment ago. */
export interface ScanPage extends Page<Item> {
  readonly units: number;
}

/** The whole table, item after item: eventually consistent, at half the price. Throws as {@link TablePort} does. */
export interface ScanPort {
  /** One page of a segment, at most `limit` items and 1 MB. It may be empty and yet not the last. */
  scan(segment: Segment, limit: number, from?: Cursor): Promise<ScanPage>;
}

/** Puts whole items into the table, for a restore. Throws as {@link TablePort} does. */
export interface PutPort {
  /** Puts the item if no item has its key. */
  putIfAbsent(item: Item): Promise<PutOutcome>;
  /** Puts the item, and replaces any item with its key. */
  overwrite(item: Item): Promise<PutOutcome>;
}

export interface PutOutcome {
  /** `exists`: an item has its key; `refused`: DynamoDB will never accept this item. Neither changes anything. */
  readonly outcome: 'put' | 'exists' | 'refused';
  /** Write units that it cost: what DynamoDB says, or computed from the item where it does not say. */
  readonly units: number;
}

/** The time. All waiting uses this clock, so that tests do not wait. */
export interface ClockPort {
  /** In epoch milliseconds. */
  now(): number;
  sleep(milliseconds: number): Promise<void>;
}

/** The dead-letter queue: work that a person must look at. */
export interface DeadLetterPort {
  /** Returns when everything is in the queue. Throws `TransientError` `queue.refused` otherwise. */
  deadLetter(deadLettered: readonly DeadLetter[]): Promise<void>;
}

/**
 * The fan-out queue, with its dead-letter queue. Both methods return when everything is in the queue, and throw
 * `TransientError` `queue.refused` otherwise: then the record must not be acknowledged.
 */
export interface QueuePort extends DeadLetterPort {
  /** @param delaySeconds 0 to 900, default 0 */
  send(messages: readonly Message[], delaySeconds?: number): Promise<void>;
}

/** Logs and metrics: counts, keys, rules and codes, never item content. */
export interface TelemetryPort {
  propagated(report: PropagationReport): void;
  checked(counts: { readonly copies: number; readonly differing: number; readonly orphans: number }): void;
  deadLettered(deadLettered: DeadLetter): void;
  archived(report: ArchiveReport): void;
  /** A request or a batch failed and will be tried again: for the log. */
  failed(error: unknown): void;
}

/** Limits of the work of one delivery. */
export interface Settings {
  /** Copies that a propagation reads before it requeues the rest; also the size of a page. Default 500. */
  readonly pageLimit: number;
  /** The delay of the recheck after a fan-out over an index, in seconds, 0 to 900. Default 60. */
  readonly recheckDelaySeconds: number;
  /** How often a propagation tries a copy whose condition fails before it requeues it. Default 4. */
  readonly rounds: number;
  /** Deliveries of a message without progress before it is dead-lettered. Default 12. */
  readonly maxAttempts: number;
  /**
   * How long DynamoDB may be unavailable for a message's work, in seconds, before it is dead-lettered. Default: 2 days,
   * longer than any outage that is known of, and half as long as the queue keeps messages.
   */
  readonly maxUnavailableSeconds: number;
  /**
   * The ceiling of one fan-out's writes, in write units a second; `Infinity` paces nothing. Default 800: a partition takes
   * 1,000, and its applications need some. Source: AWS, "Designing partition keys".
   */
  readonly fanOutWriteUnits: number;
  /** The writes of one request, or transaction, of a fan-out that has to wait. A page with no more writes, and no dear ones, needs no pace. Default 25. */
  readonly pacedWrites: number;
  /** Items of a batch that are processed concurrently. Default 50. */
  readonly concurrency: number;
}

export const defaultSettings: Settings = {
  pageLimit: 500,
  recheckDelaySeconds: 60,
  rounds: 4,
  maxAttempts: 12,
  maxUnavailableSeconds: 172_800,
  fanOutWriteUnits: 800,
  pacedWrites: 25,
  concurrency: 50,
};
