/**
 * The archive as a folder, for development: what the bucket would hold stands below `archive/`, and beside it
 *
 *   versions/<key>/00000001-<ETag>    the bodies that were replaced, numbered in their order
 *   metadata/<key>/<ETag>.json        what S3 would keep with a body: checksum, digest, storage class, time, the whole key
 *   manifests/, state/, restored/     what stands beside the items, in the bucket as well
 *   in-progress/                      locks, and files that are being written
 *
 * A put writes its metadata first, then keeps the body that it replaces, then moves its own into place. Metadata goes
 * by the ETag of its body, so whichever body stands when a process is killed has its own beside it.
 */
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isHashed } from '../../archive/object.ts';
import type { ArchiveHead, ArchiveObject, ArchivePort } from '../../archive/ports.ts';
import { FatalError } from '../../model/errors.ts';
import { fromFolder, makeFolder, md5, readIfThere, sha256, writeWhole } from './files.ts';
import { keysOfLastStates } from './keys.ts';
import { whileLocked } from './lock.ts';
import { readMetadata, writeMetadata } from './metadata.ts';
import { inProgress, type ObjectPaths, pathsOf } from './paths.ts';
import { eraseVersions, keepVersion } from './versions.ts';

export interface ArchiveFolderOptions {
  /** That of objects which name none. A folder costs the same in every class, and reads as S3 does. Default: `GLACIER`. */
  readonly storageClass?: string;
}

/**
 * Opens a folder as the archive, made where it does not exist. Several processes may have it open. An ETag is the MD5 of
 * the body in hexadecimal, as S3's is.
 * @throws FatalError `folder.unusable` where it cannot be read and written, in one sentence for whoever named it
 */
export async function openArchiveFolder(
  folder: string,
  { storageClass = 'GLACIER' }: ArchiveFolderOptions = {},
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
    head: (objectKey) => guarded(async () => head(pathsOf(folder, objectKey), objectKey)),
    put: (objectKey, object, replaces) =>
      guarded(async () => {
        const paths = pathsOf(folder, objectKey);
        return whileLocked(paths.lock, () =>
          put(folder, paths, { objectKey, object, replaces, storageClass }),
        );
      }),
    erase: (objectKey, upTo) =>
      guarded(async () => {
        for (const key of [objectKey, ...(await keysOfLastStates(folder, objectKey))]) {
          const paths = pathsOf(folder, key);
          await whileLocked(paths.lock, () => eraseVersions(paths, upTo));
        }
      }),
  };
}

/** A folder that is only looked into: nothing is made there, and where it does not exist nothing stands. */
export function archiveFolderSeen(folder: string): Pick<ArchivePort, 'head'> {
  return { head: (objectKey) => head(pathsOf(folder, objectKey), objectKey) };
}

/** Does all that a put does, but for the object. */
async function tryOut(folder: string): Promise<void> {
  for (const below of ['archive', 'metadata', 'versions']) {
    await makeFolder(join(folder, below));
    await readdir(join(folder, below));
  }
  await whileLocked(join(inProgress(folder), 'open.lock'), async () => {
    const probe = join(folder, 'archive', '.writable');
    await writeWhole(probe, '', inProgress(folder));
    await rm(probe);
  });
}

/** Metadata of a replaced body stays where it is, so a put between the two reads does not make them disagree. */
async function head(paths: ObjectPaths, objectKey: string): Promise<ArchiveHead | undefined> {
  const body = await readIfThere(paths.object);
  if (body === undefined) return undefined;
  const etag = md5(body);
  const metadata = await readMetadata(paths, etag);
  if (metadata !== undefined && metadata.key !== objectKey)
    throw new FatalError(
      'archive.collision',
      `'${objectKey}' and '${metadata.key}' are one file here: use a file system that tells upper from lower case`,
    );
  const { digest, sequence = 0n, previousStates } = metadata ?? {};
  return { etag, digest, sequence, previousStates };
}

interface Put {
  readonly objectKey: string;
  readonly object: ArchiveObject;
  readonly replaces: string | undefined;
  readonly storageClass: string;
}

async function put(folder: string, paths: ObjectPaths, wanted: Put): Promise<boolean> {
  const { objectKey, object, replaces, storageClass } = wanted;
  const standing = await head(paths, objectKey);
  if (standing?.etag !== replaces) return false;
  const metadata = {
    key: objectKey,
    digest: object.digest,
    sequence: object.sequence ?? 0n,
    ...(object.previousStates !== undefined && { previousStates: object.previousStates }),
    sha256: sha256(object.body),
    ...(object.of !== undefined && isHashed(objectKey) && { of: object.of }),
    storageClass: object.storageClass ?? storageClass,
    putAt: new Date().toISOString(),
  };
  await writeMetadata(paths, md5(object.body), metadata, inProgress(folder));
  if (standing !== undefined) await keepVersion(folder, paths, standing.etag);
  await writeWhole(paths.object, object.body, inProgress(folder));
  return true;
}
