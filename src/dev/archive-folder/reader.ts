import { readFile, stat } from 'node:fs/promises';
import type { ArchiveDetails, ArchivedVersion, ArchiveReader, Retrieval } from '../../archive/ports.ts';
import { DenormError } from '../../model/errors.ts';
import { fromFolder, md5, sha256 } from './files.ts';
import { keysBelow } from './keys.ts';
import { whileLocked } from './lock.ts';
import { type ObjectMetadata, readMetadata, writeMetadata } from './metadata.ts';
import { inProgress, pathsOf } from './paths.ts';
import { type FolderVersion, versionsOf } from './versions.ts';

const dayMilliseconds = 86_400_000;

/**
 * Reads an archive that is a folder, as S3 would let it be read: what stands in GLACIER or DEEP_ARCHIVE wants a retrieval
 * first, which is granted at once. The id of a version is its ETag.
 */
export function archiveFolderReader(
  folder: string,
  { pageLimit = 1_000 }: FolderReaderOptions = {},
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
        for await (const key of keysBelow(folder, prefix, from)) {
          versions.push(...(await listed(folder, key)));
          if (versions.length >= pageLimit) return { versions, next: key };
        }
        return { versions, next: undefined };
      }),
    details: (objectKey, versionId) =>
      guarded(async () => {
        const found = await find(folder, objectKey, versionId);
        return found && (await detailsOf(found));
      }),
    read: (objectKey, versionId) =>
      guarded(async () => {
        const found = await find(folder, objectKey, versionId);
        if (found === undefined)
          throw new DenormError(
            'archive.missing',
            `Expected ${objectKey} to stand in the archive, found nothing`,
          );
        if (retrievalOf(found.metadata) === 'needed')
          throw new DenormError(
            'archive.not-retrieved',
            `${objectKey} stands in Glacier and cannot be read as it is: ask for its retrieval, and read it then`,
          );
        const body = await readFile(found.version.path);
        if (isWhatWasPut(body, found)) return body;
        throw new DenormError(
          'archive.damaged',
          `Expected ${objectKey} to be what was put, but its SHA-256 is another, or unknown. An older version may be intact`,
        );
      }),
    retrieve: (objectKey, versionId, days) =>
      guarded(async () => {
        const paths = pathsOf(folder, objectKey);
        await whileLocked(paths.lock, async () => {
          const found = await find(folder, objectKey, versionId);
          if (found?.metadata === undefined || retrievalOf(found.metadata) === 'none') return;
          const readableUntil = new Date(Date.now() + days * dayMilliseconds).toISOString();
          await writeMetadata(
            paths,
            found.version.etag,
            { ...found.metadata, readableUntil },
            inProgress(folder),
          );
        });
      }),
  };
}

export interface FolderReaderOptions {
  /** After how many versions a page ends, those of the last key aside. Default: 1,000, as in S3. */
  readonly pageLimit?: number;
}

interface Found {
  readonly version: FolderVersion;
  readonly metadata: ObjectMetadata | undefined;
}

/** The version asked for, by default the one that stands there; undefined where there is none. */
async function find(
  folder: string,
  objectKey: string,
  versionId: string | undefined,
): Promise<Found | undefined> {
  const paths = pathsOf(folder, objectKey);
  const versions = await versionsOf(paths);
  const version =
    versionId === undefined
      ? versions.find(({ path }) => path === paths.object)
      : versions.find(({ etag }) => etag === versionId);
  return version && { version, metadata: await readMetadata(paths, version.etag) };
}

/** By its ETag as well, because a folder of an earlier version kept no SHA-256. */
function isWhatWasPut(body: Uint8Array, { version, metadata }: Found): boolean {
  if (metadata === undefined || md5(body) !== version.etag) return false;
  return metadata.sha256 === undefined || metadata.sha256 === sha256(body);
}

async function listed(folder: string, objectKey: string): Promise<ArchivedVersion[]> {
  const paths = pathsOf(folder, objectKey);
  const listing: ArchivedVersion[] = [];
  for (const { etag, path } of await versionsOf(paths)) {
    const { size, mtimeMs } = await stat(path);
    const metadata = await readMetadata(paths, etag);
    listing.push({
      objectKey,
      versionId: etag,
      latest: path === paths.object,
      bytes: size,
      archivedAt: metadata === undefined ? Math.floor(mtimeMs) : Date.parse(metadata.putAt),
      storageClass: metadata?.storageClass ?? 'STANDARD',
    });
  }
  return listing;
}

async function detailsOf({ version, metadata }: Found): Promise<ArchiveDetails> {
  return {
    etag: version.etag,
    digest: metadata?.digest,
    sequence: metadata?.sequence ?? 0n,
    of: metadata?.of,
    bytes: (await stat(version.path)).size,
    storageClass: metadata?.storageClass ?? 'STANDARD',
    retrieval: retrievalOf(metadata),
  };
}

function retrievalOf(metadata: ObjectMetadata | undefined): Retrieval {
  if (metadata === undefined || !['GLACIER', 'DEEP_ARCHIVE'].includes(metadata.storageClass)) return 'none';
  const until = metadata.readableUntil === undefined ? 0 : Date.parse(metadata.readableUntil);
  return until > Date.now() ? 'readable' : 'needed';
}
