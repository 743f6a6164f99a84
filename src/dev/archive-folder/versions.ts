import { link, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { codeOf, makeFolder, md5, namesIn, readIfThere, removeIfEmpty, writeWhole } from './files.ts';
import { readMetadata, removeMetadata } from './metadata.ts';
import { inProgress, type ObjectPaths } from './paths.ts';

/** A body that stands in the folder, replaced or not. */
export interface FolderVersion {
  /** Its ETag, which is its version's id as well: bodies are unique for each put. */
  readonly etag: string;
  readonly path: string;
}

/** All versions of an object, the newest first. One that a killed put kept, and did not replace, is there once. */
export async function versionsOf(paths: ObjectPaths): Promise<readonly FolderVersion[]> {
  const [first, second, ...others] = await bodiesOf(paths);
  return [first, first?.etag === second?.etag ? undefined : second, ...others].filter(
    (version) => version !== undefined,
  );
}

async function bodiesOf(paths: ObjectPaths): Promise<FolderVersion[]> {
  const replaced = await replacedOf(paths);
  const body = await readIfThere(paths.object);
  return body === undefined ? replaced : [{ etag: md5(body), path: paths.object }, ...replaced];
}

/** Keeps the standing body under the next number; a put that was killed after this has kept it already. */
export async function keepVersion(folder: string, paths: ObjectPaths, etag: string): Promise<void> {
  const { object, versions } = paths;
  await makeFolder(versions);
  const last = (await numbered(versions)).at(-1);
  if (last?.endsWith(`-${etag}`)) return;
  const number = Number(last?.slice(0, 8) ?? 0) + 1;
  const path = join(versions, `${String(number).padStart(8, '0')}-${etag}`);
  try {
    await link(object, path);
  } catch (error) {
    // Not every file system has hard links.
    if (!['EPERM', 'ENOTSUP', 'ENOSYS', 'EMLINK'].includes(codeOf(error) ?? '')) throw error;
    await writeWhole(path, await readFile(object), inProgress(folder));
  }
}

/**
 * Erases the versions that no record younger than `upTo` has put, the oldest first. Where the standing one goes, the
 * newest that is left stands there, as in S3.
 */
export async function eraseVersions(paths: ObjectPaths, upTo: bigint): Promise<void> {
  const left: FolderVersion[] = [];
  let standing: FolderVersion | undefined;
  for (const version of (await bodiesOf(paths)).reverse()) {
    const sequence = (await readMetadata(paths, version.etag))?.sequence ?? 0n;
    if (sequence > upTo) left.push(version);
    else if (version.path === paths.object) standing = version;
    else await erase(paths, version);
  }
  const next = left.at(-1);
  if (standing !== undefined && next === undefined) await erase(paths, standing);
  if (standing !== undefined && next !== undefined) {
    await removeMetadata(paths, standing.etag);
    await rename(next.path, paths.object);
  }
  await removeIfEmpty(paths.versions);
}

async function erase(paths: ObjectPaths, { etag, path }: FolderVersion): Promise<void> {
  await rm(path, { force: true });
  await removeMetadata(paths, etag);
}

async function replacedOf({ versions }: ObjectPaths): Promise<FolderVersion[]> {
  const names = await numbered(versions);
  return names.reverse().map((name) => ({ etag: name.slice(9), path: join(versions, name) }));
}

async function numbered(versions: string): Promise<string[]> {
  return (await namesIn(versions)).filter((name) => /^\d{8}-/.test(name));
}
