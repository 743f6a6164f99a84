/**
 * The archive as a folder, for development. An object is a folder, and each of its versions a file, numbered in order: a line
 * with the metadata that S3 would store, then the same bytes as in the bucket.
 *
 *   archive/Order/ORDER%231/METADATA.json/@00000001
 *
 * Commands use it beside `denorm dev`. A version is added by one link, which fails if its number is taken. Puts therefore need
 * no lock, and a process that is killed leaves no part of a version, except in `in-progress/`.
 */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { defaultStorageClass } from '../../../model/archive-rule.ts';
import { FatalError } from '../../../model/errors.ts';
import { isHashed } from '../../../worker/archive/object.ts';
import type { ArchiveHead, ArchiveNotes, ArchiveObject, ArchivePort } from '../../../worker/archive/ports.ts';
import { fromFolder, makeFolder, readIfThere, writeWhole } from './files.ts';
import { inProgress, keysBelow, pathOf } from './paths.ts';
import { addVersion, eraseVersions, md5, nextNumber, versionsOf } from './versions.ts';

export interface ArchiveFolderOptions {
  /**
   * Storage class for objects without their own. As in S3, it decides whether the reader requires a
   * retrieval. Default: `STANDARD`.
   */
  readonly storageClass?: string;
}

/**
 * Opens a folder as the archive, and creates it if it is missing. Several processes may use it at once.
 * @throws FatalError `folder.unusable` if it cannot be read and written
 */
export async function openArchiveFolder(
  folder: string,
  { storageClass = defaultStorageClass }: ArchiveFolderOptions = {},
): Promise<ArchivePort> {
  async function guarded<Result>(work: () => Promise<Result>): Promise<Result> {
    try {
      return await work();
    } catch (error) {
      throw fromFolder(error, `use the folder '${folder}' as the archive`);
    }
  }
  await guarded(() => tryOut(folder));
  return {
    head: (objectKey) => guarded(async () => head(folder, objectKey)),
    put: (objectKey, object, replaces) =>
      guarded(async () => put(folder, { objectKey, object, replaces, storageClass })),
    erase: (objectKey, upTo) =>
      guarded(async () => {
        const lastStates = (await keysBelow(folder, objectKey)).filter((key) =>
          /^\.\d+$/.test(key.slice(objectKey.length)),
        );
        for (const key of [objectKey, ...lastStates]) await eraseVersions(pathOf(folder, key), upTo);
      }),
  };
}

/** A folder that is only read: it is not created, and a missing one contains nothing. */
export function archiveFolderSeen(folder: string): Pick<ArchivePort, 'head'> {
  return { head: (objectKey) => head(folder, objectKey) };
}

/** Notes beside an archive that is a folder: a file each, without versions. */
export function folderNotes(folder: string): ArchiveNotes {
  return {
    async read(noteKey) {
      try {
        return (await readIfThere(pathOf(folder, noteKey)))?.toString();
      } catch (error) {
        throw fromFolder(error, `read notes in the folder '${folder}'`);
      }
    },
    async write(noteKey, text) {
      try {
        await writeWhole(pathOf(folder, noteKey), text, inProgress(folder));
      } catch (error) {
        throw fromFolder(error, `write notes in the folder '${folder}'`);
      }
    },
  };
}

async function tryOut(folder: string): Promise<void> {
  await keysBelow(folder, 'state/');
  const probe = join(folder, 'archive', '.writable');
  await writeWhole(probe, '', inProgress(folder));
  await rm(probe, { force: true });
  await makeFolder(inProgress(folder));
}

async function head(folder: string, objectKey: string): Promise<ArchiveHead | undefined> {
  for await (const { metadata } of versionsOf(pathOf(folder, objectKey))) {
    if (metadata.key !== undefined && metadata.key !== objectKey)
      throw new FatalError(
        'archive.collision',
        `'${objectKey}' and '${metadata.key}' are one file here: use a case-sensitive file system`,
      );
    const { etag, digest, sequence, previousStates } = metadata;
    return { etag, digest, sequence, previousStates };
  }
  return undefined;
}

interface Put {
  readonly objectKey: string;
  readonly object: ArchiveObject;
  readonly replaces: string | undefined;
  readonly storageClass: string;
}

async function put(folder: string, { objectKey, object, replaces, storageClass }: Put): Promise<boolean> {
  const path = pathOf(folder, objectKey);
  const number = await nextNumber(path);
  if ((await head(folder, objectKey))?.etag !== replaces) return false;
  const metadata = {
    etag: md5(object.body),
    key: objectKey,
    digest: object.digest,
    sequence: object.sequence ?? 0n,
    ...(object.previousStates !== undefined && { previousStates: [...object.previousStates] }),
    ...(object.of !== undefined && isHashed(objectKey) && { of: object.of }),
    storageClass: object.storageClass ?? storageClass,
    putAt: new Date().toISOString(),
  };
  return addVersion(folder, path, number, { metadata, body: Buffer.from(object.body) });
}
