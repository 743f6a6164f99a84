import type { StorageClass } from '../../model/archive-rule.ts';
import type { ItemKey } from '../../model/item.ts';

/** The metadata of an archive object. */
export interface ArchiveHead {
  readonly etag: string;
  /** The digest of the canonical item; undefined if another program put the object. */
  readonly digest: string | undefined;
  /** The sequence number of the record that the object was put for; 0 if no record required it. */
  readonly sequence: bigint;
}

/**
 * The archive: versioned objects by key, put on a condition. Throws `TransientError` and `FatalError` as the table
 * does.
 */
export interface ArchivePort {
  head(objectKey: string): Promise<ArchiveHead | undefined>;
  /**
   * Puts the object if the current one is still `replaces`: an ETag, or undefined for no object.
   * @returns false if the condition was lost
   */
  put(objectKey: string, object: ArchiveObject, replaces: string | undefined): Promise<boolean>;
  /**
   * Erases all versions and final states of the object, except those of records later than `upTo`: they belong to a
   * later life.
   */
  erase(objectKey: string, upTo: bigint): Promise<void>;
}

/** An object to put: its body and its metadata. */
export interface ArchiveObject {
  /** Text, or bytes if it is compressed. */
  readonly body: string | Uint8Array;
  /** The digest of the canonical item in it. */
  readonly digest: string;
  /** The sequence number of the record that requires it. Default: 0, no record does. */
  readonly sequence?: bigint;
  /** Undefined: the storage class of the deployment. */
  readonly storageClass?: StorageClass | undefined;
  /** The item's key. Stored as metadata if the object key is a hash and the key fits into S3's 2 KB. */
  readonly of?: ItemKey;
}

/** One version of an object, as listed. */
export interface ArchivedVersion {
  readonly objectKey: string;
  readonly versionId: string;
  /** Whether it is the current version. */
  readonly latest: boolean;
  readonly bytes: number;
  /** When it was put, in epoch milliseconds; S3 rounds to the second. */
  readonly archivedAt: number;
  readonly storageClass: string;
}

/**
 * Whether an object can be read: `none` needs no retrieval, `needed` is in Glacier, `under-way` has been requested,
 * `readable` is a temporary copy of an object in Glacier.
 */
export type Retrieval = 'none' | 'needed' | 'under-way' | 'readable';

/** Retrieval options of Glacier, from minutes (expensive) to hours (cheap). DEEP_ARCHIVE has no `Expedited`. */
export type RetrievalTier = 'Expedited' | 'Standard' | 'Bulk';

/** The metadata of an archive object, in any storage class. */
export interface ArchiveDetails extends ArchiveHead {
  /** The item's key, if the object key is a hash and the metadata could hold the key. */
  readonly of: ItemKey | undefined;
  readonly bytes: number;
  readonly storageClass: string;
  readonly retrieval: Retrieval;
}

/**
 * Reads the archive: for list, show, restore and audit. Throws `TransientError` and `FatalError` as the table does.
 */
export interface ArchiveReader {
  /**
   * A page of all versions of the objects with this prefix, in key order, the newest version of each first.
   * @param from `next` of the page before
   */
  list(prefix: string, from?: string): Promise<ArchivedPage>;
  /** @param versionId default: the current version */
  details(objectKey: string, versionId?: string): Promise<ArchiveDetails | undefined>;
  /**
   * Reads the body and checks its SHA-256.
   * @throws DenormError `archive.not-retrieved` if it is in Glacier, `archive.damaged` if the checksum differs,
   * `archive.missing` if it does not exist
   */
  read(objectKey: string, versionId?: string): Promise<Uint8Array>;
  /** Requests a temporary copy of an object in Glacier. Repeating the request is allowed. */
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

/** Small texts beside the archive, in the storage class STANDARD: sweep points and restore notes. No item content. */
export interface ArchiveNotes {
  read(noteKey: string): Promise<string | undefined>;
  /** Replaces the whole text. */
  write(noteKey: string, text: string): Promise<void>;
}
