import type { QueriedLocation } from '../model/items/copy-location.ts';
import type { Item, ItemKey, KeyedItem } from '../model/items/item.ts';
import type {
  GuardedAction,
  GuardedUpdate,
  RootCondition,
  WriteOutcome,
} from '../model/work/guarded-write.ts';
import type { Cursor, DeadLetter, Message } from '../model/work/message.ts';
import type { ArchiveReport, PropagationReport, Received } from '../model/work/report.ts';
import { type SettingsOf, settings } from '../model/work/settings.ts';

/**
 * Reads are strongly consistent, except those of an index, which may lag.
 * Every method throws `TransientError` where the service could not do it for now, after its own retries, and `FatalError` where
 * it never will, whatever the item. The outcome of a single write is a value.
 */
export interface TablePort {
  get(key: ItemKey, options?: Pick<ReadOptions, 'onSpent'>): Promise<KeyedItem | undefined>;
  /** Those that exist, in any order. Any number of keys, none twice. */
  getMany(keys: readonly ItemKey[], options?: ReadOptions): Promise<readonly KeyedItem[]>;
  /**
   * At most `limit` items, fewer where they are large. An entry of an index is what its item was at some earlier time.
   * @param whole false: an index gives only the table's key attributes; true: it must project ALL
   */
  query(range: QueriedLocation, limit: number, from?: Cursor, whole?: boolean): Promise<Page<KeyedItem>>;
  /** Each on its own condition, those of one item one after another. One outcome for each, in their order. */
  update(updates: readonly GuardedUpdate[], options?: WriteOptions): Promise<readonly WriteOutcome[]>;
  /** In transactions, each on its own condition and the root's. One outcome for each, in their order. */
  transact(
    root: RootCondition,
    actions: readonly GuardedAction[],
    options?: WriteOptions,
  ): Promise<readonly WriteOutcome[]>;
}

export type TableReads = Pick<TablePort, 'get' | 'getMany' | 'query'>;

/** Units of the table itself, and with its indexes. Not called for a request that says nothing of them. */
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
  readonly units?: number | undefined;
}

/** One of the parts into which a scan divides a table, by hashed partition keys. */
export interface Segment {
  readonly index: number;
  /** 1 to 1,000,000. Source: AWS, "Scan". */
  readonly of: number;
}

/** Whole items, as they were some moment ago. */
export interface ScanPage extends Page<KeyedItem> {
  readonly units: number;
}

/** Eventually consistent, at half the price. Throws as {@link TablePort} does. */
export interface ScanPort {
  /** At most `limit` items and 1 MB. A page may be empty and yet not the last. */
  scan(segment: Segment, limit: number, from?: Cursor): Promise<ScanPage>;
}

/** For a restore. Throws as {@link TablePort} does. */
export interface PutPort {
  putIfAbsent(item: Item): Promise<PutOutcome>;
  overwrite(item: Item): Promise<PutOutcome>;
}

export interface PutOutcome {
  /** `refused`: DynamoDB will never accept this item. */
  readonly outcome: 'put' | 'exists' | 'refused';
  /** Computed from the item where DynamoDB does not say it. */
  readonly units: number;
}

/** All waiting of the worker and of operators' commands uses this clock, so that tests do not wait. */
export interface ClockPort {
  /** In epoch milliseconds. */
  now(): number;
  /** Resolves at once when the signal is aborted. */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
}

/** Work that a person must look at. */
export interface DeadLetterPort {
  /** Returns when everything is in the queue. Throws `TransientError` `queue.refused` otherwise. */
  deadLetter(deadLettered: readonly DeadLetter[]): Promise<void>;
}

/** Both methods return when everything is in the queue. If they throw, the record must not be acknowledged. */
export interface QueuePort extends DeadLetterPort {
  /** @param delaySeconds 0 to 900, default 0 */
  send(messages: readonly Message[], delaySeconds?: number): Promise<void>;
}

/** How many messages wait in the fan-out queue, about; or why that cannot be seen. */
export type Backlog = { readonly messages: number } | { readonly unseen: string };

export interface BacklogPort {
  look(): Promise<Backlog>;
}

/** Counts, keys, rules and codes, never item content. */
export interface TelemetryPort {
  /** A batch of the queue, before it is worked on. */
  received(messages: readonly Received[]): void;
  propagated(report: PropagationReport): void;
  checked(counts: { readonly copies: number; readonly differing: number; readonly orphans: number }): void;
  deadLettered(deadLettered: DeadLetter): void;
  archived(report: ArchiveReport): void;
  /** A request or a batch that will be tried again. */
  failed(error: unknown): void;
}

export const silentTelemetry: TelemetryPort = {
  received() {},
  propagated() {},
  checked() {},
  deadLettered() {},
  archived() {},
  failed() {},
};

/** What a propagation keeps to: settings of its function, and numbers that no deployment chooses. A page has `pageLimit` copies too. */
export interface Settings
  extends Pick<SettingsOf<'FanOut'>, 'pageLimit' | 'recheckDelaySeconds' | 'fanOutWriteUnits'> {
  /** How often a propagation tries a copy whose condition fails before it requeues it. */
  readonly rounds: number;
  /** Deliveries of a message without progress before it is dead-lettered. */
  readonly maxAttempts: number;
  /** Before work is dead-lettered. Longer than any known outage, and half as long as messages are kept. */
  readonly maxUnavailableSeconds: number;
  /** Writes in one request of a fan-out that has to wait. A page with no more, none of them expensive, needs no pace. */
  readonly pacedWrites: number;
  /** How many propagations, or items to archive, of one batch run at the same time. */
  readonly concurrency: number;
}

/** An `Infinity` of `fanOutWriteUnits` paces nothing. */
export const defaultSettings: Settings = {
  pageLimit: settings.pageLimit.default,
  recheckDelaySeconds: settings.recheckDelaySeconds.default,
  fanOutWriteUnits: settings.fanOutWriteUnits.default,
  rounds: 4,
  maxAttempts: 12,
  maxUnavailableSeconds: 172_800,
  pacedWrites: 25,
  concurrency: 50,
};
