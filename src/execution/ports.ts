import type { GuardedRemoval, GuardedUpdate, RootCondition, WriteOutcome } from '../domain/guarded-write.ts';
import type { Item, ItemKey } from '../domain/item.ts';
import type { Cursor, Message, Parked } from '../domain/message.ts';
import type { Place } from '../domain/place.ts';
import type { ArchiveReport, TurnReport } from '../domain/report.ts';

/**
 * The table. Reads are strongly consistent but for {@link queryIndex}, which by its nature may be late.
 *
 * Every method throws `Unavailable` where the service could not do it for now, after its own retries, and `Unworkable`
 * where it never will, whatever the item (access denied, no such table). The outcome of a single write is a value.
 */
export interface TablePort {
  get(key: ItemKey): Promise<Item | undefined>;
  /** The items of these keys that exist, in any order. Any number of keys, none twice. */
  getMany(keys: readonly ItemKey[]): Promise<readonly Item[]>;
  /** One page of a partition, at most `limit` items, fewer where they are large; `next` is there while more may follow. */
  queryPartition(
    place: Extract<Place, { in: 'partition' }>,
    limit: number,
    from?: Cursor,
  ): Promise<Page<Item>>;
  /** One page of an index, keys only: its content may be out of date and is not to be used. */
  queryIndex(place: Extract<Place, { in: 'index' }>, limit: number, from?: Cursor): Promise<Page<ItemKey>>;
  /** Writes each, on its own condition. One outcome for each update, in their order. No item twice. */
  update(updates: readonly GuardedUpdate[]): Promise<readonly WriteOutcome[]>;
  /** Removes each on its own condition and the root's, in transactions. One outcome for each, in their order. */
  remove(root: RootCondition, removals: readonly GuardedRemoval[]): Promise<readonly WriteOutcome[]>;
}

export interface Page<Entry> {
  readonly entries: readonly Entry[];
  readonly next: Cursor | undefined;
}

/** The dead-letter queue: what only a person can mend. */
export interface DeadLetterPort {
  /** Returns when everything stands in the queue, and throws `Unavailable` `queue.refused` otherwise. */
  park(parked: readonly Parked[]): Promise<void>;
}

/**
 * The fan-out queue, with its dead-letter queue. Both methods return only when everything stands in the queue, and throw
 * `Unavailable` `queue.refused` otherwise: then nothing may be acknowledged.
 */
export interface QueuePort extends DeadLetterPort {
  /** @param delaySeconds 0 to 900, default 0 */
  send(messages: readonly Message[], delaySeconds?: number): Promise<void>;
}

/** What an archive object says of itself without being read. */
export interface ArchiveHead {
  readonly etag: string;
  /** The digest of the canonical item that it holds; undefined where it was not put by this worker. */
  readonly digest: string | undefined;
}

/** The archive: objects by key, versioned, each put on a condition. Throws `Unavailable` and `Unworkable` as the table does. */
export interface ArchivePort {
  head(objectKey: string): Promise<ArchiveHead | undefined>;
  /**
   * Puts the object where `replaces` still stands: an ETag, or undefined for "nothing stands there".
   * @returns false where that condition was lost
   */
  put(objectKey: string, object: ArchiveObject, replaces: string | undefined): Promise<boolean>;
}

/** An object to put: its body, and the digest that goes with it as metadata. */
export interface ArchiveObject {
  readonly body: string;
  readonly digest: string;
}

/** What is told to whoever watches: counts, keys, rules and codes, never item content. */
export interface TelemetryPort {
  turned(report: TurnReport): void;
  checked(counts: { readonly copies: number; readonly differing: number; readonly orphans: number }): void;
  parked(parked: Parked): void;
  archived(report: ArchiveReport): void;
  /** A request or a batch failed and will be tried again: for the log. */
  failed(error: unknown): void;
}

/** Bounds of the work that one delivery does. */
export interface Settings {
  /** Copies that a turn visits before it hands the rest to the queue, and the limit of a page. Default 500. */
  readonly pageLimit: number;
  /** How long after a fan-out over an index it is looked at again, in seconds, 0 to 900. Default 60. */
  readonly settleDelaySeconds: number;
  /** How often a turn reads again what lost its condition before the queue takes it. Default 4. */
  readonly rounds: number;
  /** Deliveries of a message that did not advance before it is parked. Default 12. */
  readonly mostHops: number;
  /** Items of a batch that are worked on side by side. Default 50. */
  readonly concurrency: number;
}

export const defaultSettings: Settings = {
  pageLimit: 500,
  settleDelaySeconds: 60,
  rounds: 4,
  mostHops: 12,
  concurrency: 50,
};
