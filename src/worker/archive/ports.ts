import type { ItemKey } from '../../model/items/item.ts';
import type { StorageClass } from '../../model/rules/archive-rule.ts';

export interface ArchiveHead {
  readonly etag: string;
  /** Of the canonical item; undefined if another program put the object. */
  readonly digest: string | undefined;
  /** Of the record that the object was put for; 0 if no record required it. */
  readonly sequence: bigint;
}

/** Versioned objects by key, put on a condition. Throws `TransientError` and `FatalError` as the table does. */
export interface ArchivePort {
  head(objectKey: string): Promise<ArchiveHead | undefined>;
  /**
   * @param replaces the ETag of the current object, or undefined for none
   * @returns false if the condition was lost
   */
  put(objectKey: string, object: ArchiveObject, replaces: string | undefined): Promise<boolean>;
  /** Erases all versions and final states, except those of records later than `upTo`: they belong to a later life. */
  erase(objectKey: string, upTo: bigint): Promise<void>;
}

export interface ArchiveObject {
  readonly body: string | Uint8Array;
  readonly digest: string;
  /** Default: 0, no record requires it. */
  readonly sequence?: bigint;
  readonly storageClass?: StorageClass | undefined;
  /** Stored as metadata if the object key is a hash and the key fits into S3's 2 KB. */
  readonly of?: ItemKey;
}

export interface ArchivedVersion {
  readonly objectKey: string;
  readonly versionId: string;
  readonly latest: boolean;
  readonly bytes: number;
  /** In epoch milliseconds; S3 rounds to the second. */
  readonly archivedAt: number;
  readonly storageClass: string;
}

/** `needed`: it is in Glacier; `under-way`: requested; `readable`: a temporary copy of an object in Glacier. */
export type Retrieval = 'none' | 'needed' | 'under-way' | 'readable';

/** From minutes (expensive) to hours (cheap). DEEP_ARCHIVE has no `Expedited`. */
export const retrievalTiers = ['Expedited', 'Standard', 'Bulk'] as const;

export type RetrievalTier = (typeof retrievalTiers)[number];

export interface ArchiveDetails extends ArchiveHead {
  readonly of: ItemKey | undefined;
  readonly storageClass: string;
  readonly retrieval: Retrieval;
}

/** Throws `TransientError` and `FatalError` as the table does. */
export interface ArchiveReader {
  /**
   * In key order, the newest version of each first.
   * @param from `next` of the page before
   */
  list(prefix: string, from?: string): Promise<ArchivedPage>;
  /** @param versionId default: the current version */
  details(objectKey: string, versionId?: string): Promise<ArchiveDetails | undefined>;
  /**
   * Checks the SHA-256.
   * @throws DenormError `archive.not-retrieved` if it is in Glacier, `archive.damaged` if the checksum
   * differs, `archive.missing` if it does not exist
   */
  read(objectKey: string, versionId?: string): Promise<Uint8Array>;
  /** Of a temporary copy of an object in Glacier. Repeating the request is allowed. */
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

/** Small texts in the storage class STANDARD. No item content. */
export interface ArchiveNotes {
  read(noteKey: string): Promise<string | undefined>;
  write(noteKey: string, text: string): Promise<void>;
}
