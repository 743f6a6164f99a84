import type { StorageClass } from '../model/archive-rule.ts';
import type { ItemKey } from '../model/item.ts';
import type { Stamp } from './stamp.ts';
/** What an archive object says of itself without being read. */
export interface ArchiveHead {
  readonly etag: string;
  /** The digest of the canonical item that it holds; undefined where it was not put by this worker. */
  readonly digest: string | undefined;
  /** Of the record for which it was put; 0 where none asked for it. */
  readonly sequence: bigint;
  /** What it has replaced, the newest first, as far as its metadata holds it. Default: nothing that is known. */
  readonly previousStates?: readonly Stamp[] | undefined;
}

/** The archive: objects by key, versioned, each put on a condition. Throws `TransientError` and `FatalError` as the table does. */
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
  readonly previousStates?: readonly Stamp[];
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

/** The archive as those read it who list, show, restore and audit. Throws `TransientError` and `FatalError` as the table does. */
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
