import { DenormError } from '../../../model/errors.ts';
import type { ArchiveReader, Retrieval } from '../../../worker/archive/ports.ts';
import type { ArchivedVersion, ModelArchive } from './model-archive.ts';

/** Reads a bucket in memory as S3 lets it be read: an object in Glacier needs a retrieval, which is granted at once. */
export function modelArchiveReader(archive: ModelArchive, pageLimit = 1_000): ArchiveReader {
  const lent = new Set<string>();

  function find(objectKey: string, versionId: string | undefined): ArchivedVersion | undefined {
    if (versionId === undefined) return archive.current(objectKey);
    return archive.versions(objectKey).find(({ etag }) => etag === versionId);
  }

  function retrievalOf(objectKey: string, { etag, storageClass = 'STANDARD' }: ArchivedVersion): Retrieval {
    if (!['GLACIER', 'DEEP_ARCHIVE'].includes(storageClass)) return 'none';
    return lent.has(`${objectKey} ${etag}`) ? 'readable' : 'needed';
  }

  return {
    async list(prefix, from = '') {
      const keys = archive.keysBelow(prefix).filter((key) => key > from);
      const page = keys.slice(0, pageLimit);
      const versions = page.flatMap((objectKey) =>
        [...archive.versions(objectKey)].reverse().map((version, index) => ({
          objectKey,
          versionId: version.etag,
          latest: index === 0,
          bytes: version.bytes.length,
          archivedAt: version.at,
          storageClass: version.storageClass ?? 'STANDARD',
        })),
      );
      return { versions, next: keys.length > pageLimit ? page.at(-1) : undefined };
    },
    async details(objectKey, versionId) {
      const version = find(objectKey, versionId);
      if (version === undefined) return undefined;
      const { etag, digest, sequence = 0n, of, bytes, storageClass = 'STANDARD' } = version;
      const retrieval = retrievalOf(objectKey, version);
      return { etag, digest, sequence, of, bytes: bytes.length, storageClass, retrieval };
    },
    async read(objectKey, versionId) {
      const version = find(objectKey, versionId);
      if (version === undefined) throw new DenormError('archive.missing', `Expected ${objectKey} to stand`);
      if (retrievalOf(objectKey, version) === 'needed')
        throw new DenormError('archive.not-retrieved', `${objectKey} is in Glacier: ask for its retrieval`);
      return version.bytes;
    },
    async retrieve(objectKey, versionId) {
      const version = find(objectKey, versionId);
      if (version !== undefined) lent.add(`${objectKey} ${version.etag}`);
    },
  };
}
