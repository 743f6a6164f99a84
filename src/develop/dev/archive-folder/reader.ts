import { DenormError } from '../../../model/errors.ts';
import type { ArchivedVersion, ArchiveReader, Retrieval } from '../../../worker/archive/ports.ts';
import { ArchiveFiles, md5, type Version, type VersionMetadata } from './archive-files.ts';

const dayMilliseconds = 86_400_000;

export interface FolderReaderOptions {
  /** A page ends after the key that reaches this number of versions. Default: 1,000, as in S3. */
  readonly pageLimit?: number;
  /** Whether an object in Glacier is read without a retrieval, which S3 never does. Default: false. */
  readonly readsGlacier?: boolean;
}

/** Reads an archive that is a folder. As in S3, an object in Glacier must be retrieved first; that takes no time here. */
export function archiveFolderReader(
  path: string,
  { pageLimit = 1_000, readsGlacier = false }: FolderReaderOptions = {},
): ArchiveReader {
  const files = new ArchiveFiles(path);

  async function find(objectKey: string, versionId: string | undefined): Promise<Version | undefined> {
    for await (const version of files.versionsOf(objectKey))
      if (versionId === undefined || versionId === version.id) return version;
    return undefined;
  }

  async function listed(objectKey: string): Promise<ArchivedVersion[]> {
    const listing: ArchivedVersion[] = [];
    for await (const { id, metadata, body } of files.versionsOf(objectKey))
      listing.push({
        objectKey,
        versionId: id,
        latest: listing.length === 0,
        bytes: body.length,
        archivedAt: Date.parse(metadata.putAt),
        storageClass: metadata.storageClass,
      });
    return listing;
  }

  return {
    async list(prefix, from) {
      const versions: ArchivedVersion[] = [];
      for (const key of await files.keysBelow(prefix)) {
        if (from !== undefined && key <= from) continue;
        versions.push(...(await listed(key)));
        if (versions.length >= pageLimit) return { versions, next: key };
      }
      return { versions, next: undefined };
    },
    async details(objectKey, versionId) {
      const found = await find(objectKey, versionId);
      if (found === undefined) return undefined;
      const { etag, digest, sequence, of, storageClass } = found.metadata;
      const bytes = found.body.length;
      return { etag, digest, sequence, of, bytes, storageClass, retrieval: retrievalOf(found.metadata) };
    },
    async read(objectKey, versionId) {
      const found = await find(objectKey, versionId);
      if (found === undefined)
        throw new DenormError('archive.missing', `Expected ${objectKey} in the archive, found no object`);
      if (!readsGlacier && retrievalOf(found.metadata) === 'needed')
        throw new DenormError(
          'archive.not-retrieved',
          `${objectKey} is in Glacier and cannot be read yet: ask for its retrieval, then read it`,
        );
      if (md5(found.body) === found.metadata.etag) return found.body;
      throw new DenormError(
        'archive.damaged',
        `Expected ${objectKey} to be what was put, but its MD5 differs. An older version may be intact`,
      );
    },
    async retrieve(objectKey, versionId, days) {
      const found = await find(objectKey, versionId);
      if (found === undefined || retrievalOf(found.metadata) === 'none') return;
      const readableUntil = new Date(Date.now() + days * dayMilliseconds).toISOString();
      await files.replace({ ...found, metadata: { ...found.metadata, readableUntil } });
    },
  };
}

function retrievalOf({ storageClass, readableUntil }: VersionMetadata): Retrieval {
  if (!['GLACIER', 'DEEP_ARCHIVE'].includes(storageClass)) return 'none';
  return readableUntil !== undefined && Date.parse(readableUntil) > Date.now() ? 'readable' : 'needed';
}
