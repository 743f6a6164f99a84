import { DenormError } from '../../model/basics/errors.ts';
import { defaultStorageClass } from '../../model/rules/archive-rule.ts';
import { isHashed } from '../../worker/archive/object.ts';
import type {
  ArchivedVersion,
  ArchiveNotes,
  ArchivePort,
  ArchiveReader,
  Retrieval,
} from '../../worker/archive/ports.ts';
import { Folder } from '../folder.ts';
import { ArchiveFiles, md5, nameOf, type VersionHead, type VersionMetadata } from './archive-files.ts';

const dayMilliseconds = 86_400_000;

/**
 * Opens a folder as the archive of `denorm dev`, and creates it if it is missing. Commands use it beside that process: a version is
 * added by one link, which fails if its number is taken, so puts need no lock.
 * @param storageClass of objects without their own. As in S3, it decides whether the reader requires a retrieval
 * @throws FatalError `folder.unusable` if it cannot be read and written
 */
export async function openArchiveFolder(
  path: string,
  storageClass: string = defaultStorageClass,
): Promise<ArchivePort> {
  const files = new ArchiveFiles(path);
  await files.folder.write('archive/.writable', '');
  await files.folder.remove('archive/.writable');
  return {
    async head(objectKey) {
      const metadata = (await find(files, objectKey))?.metadata;
      return metadata && { etag: metadata.etag, digest: metadata.digest, sequence: metadata.sequence };
    },
    async put(objectKey, object, replaces) {
      const number = await files.nextNumber(objectKey);
      if ((await find(files, objectKey))?.metadata.etag !== replaces) return false;
      const metadata = {
        etag: md5(object.body),
        key: objectKey,
        digest: object.digest,
        sequence: object.sequence ?? 0n,
        ...(object.of !== undefined && isHashed(objectKey) && { of: object.of }),
        storageClass: object.storageClass ?? storageClass,
        putAt: new Date().toISOString(),
      };
      return files.add(number, { metadata, body: Buffer.from(object.body) });
    },
    async erase(objectKey, upTo) {
      const lastStates = [...(await files.namesBelow(objectKey)).keys()].filter((key) =>
        /^\.\d+$/.test(key.slice(objectKey.length)),
      );
      for (const key of [objectKey, ...lastStates]) await files.erase(key, upTo);
    },
  };
}

/** Notes beside an archive that is a folder: a file each, without versions. */
export function folderNotes(path: string): ArchiveNotes {
  const folder = new Folder(path);
  return {
    read: async (noteKey) => (await folder.read(nameOf(noteKey)))?.toString(),
    write: async (noteKey, text) => folder.write(nameOf(noteKey), text),
  };
}

/**
 * Reads an archive that is a folder. As in S3, an object in Glacier must be retrieved first; that takes no time here.
 * @param pageLimit a page ends after the key that reaches this number of versions. Default: 1,000, as in S3
 */
export function archiveFolderReader(path: string, pageLimit = 1_000): ArchiveReader {
  const files = new ArchiveFiles(path);
  /** Where a page ended, and the rest of its walk, for the next page. */
  const walks = new Map<string, Walk>();
  return {
    async list(prefix, from) {
      const begun = walks.get(`${from} ${prefix}`);
      walks.delete(`${from} ${prefix}`);
      const walk = begun ?? (await files.namesBelow(prefix)).entries();
      const versions: ArchivedVersion[] = [];
      for (let step = walk.next(); !step.done; step = walk.next()) {
        const [objectKey, names] = step.value;
        if (begun === undefined && from !== undefined && objectKey <= from) continue;
        let latest = true;
        for await (const { id: versionId, metadata, bytes } of files.headsOf(objectKey, names)) {
          const { putAt, storageClass } = metadata;
          const archivedAt = Date.parse(putAt);
          versions.push({ objectKey, versionId, latest, bytes, archivedAt, storageClass });
          latest = false;
        }
        if (versions.length < pageLimit) continue;
        walks.set(`${objectKey} ${prefix}`, walk);
        return { versions, next: objectKey };
      }
      return { versions, next: undefined };
    },
    async details(objectKey, versionId) {
      const found = await find(files, objectKey, versionId);
      if (found === undefined) return undefined;
      const { etag, digest, sequence, of, storageClass } = found.metadata;
      const { bytes } = found;
      return { etag, digest, sequence, of, bytes, storageClass, retrieval: retrievalOf(found.metadata) };
    },
    async read(objectKey, versionId) {
      const found = await find(files, objectKey, versionId);
      const body = found && (await files.bodyOf(found));
      if (found === undefined || body === undefined)
        throw new DenormError('archive.missing', `Expected ${objectKey} in the archive, found no object`);
      if (retrievalOf(found.metadata) === 'needed')
        throw new DenormError(
          'archive.not-retrieved',
          `${objectKey} is in Glacier and cannot be read yet: ask for its retrieval, then read it`,
        );
      if (md5(body) === found.metadata.etag) return body;
      throw new DenormError(
        'archive.damaged',
        `Expected ${objectKey} to be what was put, but its MD5 differs. An older version may be intact`,
      );
    },
    async retrieve(objectKey, versionId, days) {
      const found = await find(files, objectKey, versionId);
      const body = found && (await files.bodyOf(found));
      if (found === undefined || body === undefined || retrievalOf(found.metadata) === 'none') return;
      const readableUntil = new Date(Date.now() + days * dayMilliseconds).toISOString();
      await files.replace({ id: found.id, metadata: { ...found.metadata, readableUntil }, body });
    },
  };
}

type Walk = Iterator<readonly [string, readonly string[]], unknown>;

/** @param versionId default: the newest */
async function find(
  files: ArchiveFiles,
  objectKey: string,
  versionId?: string,
): Promise<VersionHead | undefined> {
  for await (const version of files.headsOf(objectKey))
    if (versionId === undefined || versionId === version.id) return version;
  return undefined;
}

function retrievalOf({ storageClass, readableUntil }: VersionMetadata): Retrieval {
  if (!['GLACIER', 'DEEP_ARCHIVE'].includes(storageClass)) return 'none';
  return readableUntil !== undefined && Date.parse(readableUntil) > Date.now() ? 'readable' : 'needed';
}
