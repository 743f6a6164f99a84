import { DenormError } from '../../../model/errors.ts';
import type { ArchivedVersion, ArchiveReader, Retrieval } from '../../../worker/archive/ports.ts';
import { fromFolder } from './files.ts';
import { keysBelow, pathOf } from './paths.ts';
import { md5, replaceMetadata, type Version, type VersionMetadata, versionsOf } from './versions.ts';

const dayMilliseconds = 86_400_000;

export interface FolderReaderOptions {
  /** A page ends after the key that reaches this number of versions. Default: 1,000, as in S3. */
  readonly pageLimit?: number;
  /** Whether an object in Glacier is read without a retrieval, which S3 never does. Default: false. */
  readonly readsGlacier?: boolean;
}

/** Reads an archive that is a folder. As in S3, an object in Glacier must be retrieved first; that takes no time here. */
export function archiveFolderReader(
  folder: string,
  { pageLimit = 1_000, readsGlacier = false }: FolderReaderOptions = {},
): ArchiveReader {
  async function guarded<Result>(work: () => Promise<Result>): Promise<Result> {
    try {
      return await work();
    } catch (error) {
      throw fromFolder(error, `read the folder '${folder}' as an archive`);
    }
  }
  return {
    list: (prefix, from) =>
      guarded(async () => {
        const versions: ArchivedVersion[] = [];
        for (const key of await keysBelow(folder, prefix)) {
          if (from !== undefined && key <= from) continue;
          versions.push(...(await listed(folder, key)));
          if (versions.length >= pageLimit) return { versions, next: key };
        }
        return { versions, next: undefined };
      }),
    details: (objectKey, versionId) =>
      guarded(async () => {
        const found = await find(folder, objectKey, versionId);
        if (found === undefined) return undefined;
        const { etag, digest, sequence, of, storageClass } = found.metadata;
        const bytes = found.body.length;
        return { etag, digest, sequence, of, bytes, storageClass, retrieval: retrievalOf(found.metadata) };
      }),
    read: (objectKey, versionId) =>
      guarded(async () => {
        const found = await find(folder, objectKey, versionId);
        if (found === undefined)
          throw new DenormError('archive.missing', `Expected ${objectKey} in the archive, found no object`);
        if (!readsGlacier && retrievalOf(found.metadata) === 'needed')
          throw new DenormError(
            'archive.not-retrieved',
            `${objectKey} is in Glacier and cannot be read yet: ask for its retrieval, then read it`,
          );
        if (found.metadata.digest !== undefined && md5(found.body) === found.metadata.etag) return found.body;
        throw new DenormError(
          'archive.damaged',
          `Expected ${objectKey} to be what was put, but its MD5 differs or is unknown. An older version may be intact`,
        );
      }),
    retrieve: (objectKey, versionId, days) =>
      guarded(async () => {
        const found = await find(folder, objectKey, versionId);
        if (found === undefined || retrievalOf(found.metadata) === 'none') return;
        const readableUntil = new Date(Date.now() + days * dayMilliseconds).toISOString();
        await replaceMetadata(folder, found, { ...found.metadata, readableUntil });
      }),
  };
}

async function find(
  folder: string,
  objectKey: string,
  versionId: string | undefined,
): Promise<Version | undefined> {
  for await (const version of versionsOf(pathOf(folder, objectKey)))
    if (versionId === undefined || versionId === version.id) return version;
  return undefined;
}

async function listed(folder: string, objectKey: string): Promise<ArchivedVersion[]> {
  const listing: ArchivedVersion[] = [];
  for await (const { id, metadata, body } of versionsOf(pathOf(folder, objectKey)))
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

function retrievalOf({ storageClass, readableUntil }: VersionMetadata): Retrieval {
  if (!['GLACIER', 'DEEP_ARCHIVE'].includes(storageClass)) return 'none';
  return readableUntil !== undefined && Date.parse(readableUntil) > Date.now() ? 'readable' : 'needed';
}
