import type { StorageClass } from './model/archive-rule.ts';
import type { Stamp } from './archive/stamp.ts';
import type { GuardedRemoval, GuardedUpdate, RootCondition, WriteOutcome } from './model/guarded-write.ts';
import type { Item, ItemKey } from './model/item.ts';
import type { Cursor, Message, Parked } from './model/message.ts';
import type { Place } from './model/copy-location.ts';
import type { ArchiveReport, TurnReport } from './model/report.ts';

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

/** One of the parts into which a scan divides a table: a range of hashed partition keys, so none need hold anything. */
export interface Segment {
  /** From 0. */
  readonly index: number;
  /** How many there are, 1 to 1,000,000. Source: AWS, "Scan". */
  readonly of: number;
}

/** A page of a scan: whole items, as they were some moment ago. */
export interface ScanPage extends Page<Item> {
  /** Read units that the page cost: what DynamoDB says, or computed from its items where it does not say. */
  readonly units: number;
}

/** The whole table, item after item: eventually consistent, at half the price. Throws as {@link TablePort} does. */
export interface ScanPort {
  /** One page of a segment, at most `limit` items and 1 MB. It may be empty and yet not the last. */
  scan(segment: Segment, limit: number, from?: Cursor): Promise<ScanPage>;
}

/** Whole items put into the table, for what comes back out of the archive. Throws as {@link TablePort} does. */
export interface PutPort {
  /** Puts the item where none stands under its key. */
  putIfAbsent(item: Item): Promise<PutOutcome>;
  /** Puts the item whatever stands under its key. */
  overwrite(item: Item): Promise<PutOutcome>;
}

export interface PutOutcome {
  /** `stands`: its key is taken; `refused`: DynamoDB will never take this item. Neither changed anything. */
  readonly outcome: 'put' | 'stands' | 'refused';
  /** Write units that it cost: what DynamoDB says, or computed from the item where it does not say. */
  readonly units: number;
}

/** The time. What waits does so by this clock, so that a test need not. */
export interface ClockPort {
  /** In epoch milliseconds. */
  now(): number;
  sleep(milliseconds: number): Promise<void>;
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
  /** Of the record for which it was put; 0 where none asked for it. */
  readonly sequence: bigint;
  /** What it has replaced, the newest first, as far as its metadata holds it. Default: nothing that is known. */
  readonly beneath?: readonly Stamp[] | undefined;
}

/** The archive: objects by key, versioned, each put on a condition. Throws `Unavailable` and `Unworkable` as the table does. */
export interface ArchivePort {
  head(objectKey: string): Promise<ArchiveHead | undefined>;
  /**
   * Puts the object where `replaces` still stands: an ETag, or undefined for "nothing stands there".
   * @returns false where that condition was lost
   */
  put(objectKey: string, object: ArchiveObject, replaces: string | undefined): Promise<boolean>;
  /**
   * Erases the object with all its versions and last states, but what a record younger than `upTo` has put there: that
   * belongs to a later life.
   */
  erase(objectKey: string, upTo: bigint): Promise<void>;
}

/** An object to put: its body, and what goes with it as metadata. */
export interface ArchiveObject {
  /** Text, or bytes where it is compressed. */
  readonly body: string | Uint8Array;
  /** The digest of the canonical item that it holds. */
  readonly digest: string;
  /** The sequence number of the record for which it is put. Default: 0, where none asked for it. */
  readonly sequence?: bigint;
  /** Undefined: that of the deployment. */
  readonly storageClass?: StorageClass | undefined;
  /** What it replaces, and what that had replaced, the newest first. Default: nothing. */
  readonly beneath?: readonly Stamp[];
  /** Whose state it is. It goes along where the object's key is a hash, as far as S3's 2 KB of metadata hold it. */
  readonly of?: ItemKey;
}

/** One version of an object, as a listing shows it. */
export interface ArchivedVersion {
  readonly objectKey: string;
  readonly versionId: string;
  /** Whether it is what stands under the key now. */
  readonly latest: boolean;
  readonly bytes: number;
  /** When it was put, in epoch milliseconds; S3 rounds to the second. */
  readonly archivedAt: number;
  readonly storageClass: string;
}

/**
 * Whether an object can be read: `none` needs no retrieval, `needed` stands in Glacier, `under-way` has been asked for,
 * `readable` is a copy that Glacier lent for some days.
 */
export type Retrieval = 'none' | 'needed' | 'under-way' | 'readable';

/** Glacier's ways, from the dearest and quickest (minutes) to the cheapest (hours). DEEP_ARCHIVE knows no `Expedited`. */
export type RetrievalTier = 'Expedited' | 'Standard' | 'Bulk';

/** What an archive object says of itself without being read, in any storage class. */
export interface ArchiveDetails extends ArchiveHead {
  /** Whose state it is, where its key is a hash and its metadata could hold it. */
  readonly of: ItemKey | undefined;
  readonly bytes: number;
  readonly storageClass: string;
  readonly retrieval: Retrieval;
}

/** The archive as those read it who list, show, restore and audit. Throws `Unavailable` and `Unworkable` as the table does. */
export interface ArchiveReader {
  /**
   * A page of all versions of the objects whose keys begin so, in the order of keys, the newest version of each first.
   * @param from what the page before gave as `next`
   */
  list(prefix: string, from?: string): Promise<ArchivedPage>;
  /** @param versionId default: what stands there now */
  details(objectKey: string, versionId?: string): Promise<ArchiveDetails | undefined>;
  /**
   * The body, after its SHA-256 has been compared.
   * @throws DenormError `archive.not-retrieved` where it stands in Glacier, `archive.damaged` where it is not what was
   * put, `archive.missing` where nothing stands there
   */
  read(objectKey: string, versionId?: string): Promise<Uint8Array>;
  /** Asks for an object in Glacier to become readable for some days. Asking again is no error. */
  retrieve(
    objectKey: string,
    versionId: string | undefined,
    days: number,
    tier: RetrievalTier,
  ): Promise<void>;
}

export interface ArchivedPage {
  readonly versions: readonly ArchivedVersion[];
  readonly next: string | undefined;
}

/** Small texts beside the archive, in the storage class STANDARD: where a sweep stopped, what was restored. No item content. */
export interface ArchiveNotes {
  read(noteKey: string): Promise<string | undefined>;
  /** Writes it whole, over what stood there. */
  write(noteKey: string, text: string): Promise<void>;
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
  /** Deliveries of a message that lost their conditions throughout before it is dead-lettered. Default 12. */
  readonly mostHops: number;
  /**
   * How long DynamoDB may be unavailable for a message's work, in seconds, before it is dead-lettered. Default: 2 days,
   * longer than any outage that is known of, and half as long as the queue keeps messages.
   */
  readonly maxUnavailableSeconds: number;
  /** Items of a batch that are worked on side by side. Default 50. */
  readonly concurrency: number;
}

export const defaultSettings: Settings = {
  pageLimit: 500,
  settleDelaySeconds: 60,
  rounds: 4,
  mostHops: 12,
  maxUnavailableSeconds: 172_800,
  concurrency: 50,
};
