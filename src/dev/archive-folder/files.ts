import { createHash, randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, rmdir, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { DenormError, FatalError, TransientError } from '../../model/errors.ts';

/** What may be over in a moment. Everything else needs a person: a right, or another folder. */
const passing = ['EAGAIN', 'EBUSY', 'EIO', 'EINTR', 'EMFILE', 'ENFILE', 'ENOSPC', 'EDQUOT', 'ETIMEDOUT'];

/** What is wrong, in the words of a sentence that ends with it. */
const wrong: Readonly<Record<string, string>> = {
  EACCES: 'permission is denied',
  EPERM: 'permission is denied',
  EROFS: 'the file system is read-only',
  ENOTDIR: 'a part of that path is a file',
  EEXIST: 'a file stands there',
  EISDIR: 'a folder stands there',
  ENAMETOOLONG: 'that path is too long for the file system',
  ENOSPC: 'no space is left',
  EDQUOT: 'no space is left',
  EMFILE: 'too many files are open',
};

/**
 * What an error of the file system means: `TransientError` `folder.unavailable` where it may be over in a moment,
 * `FatalError` `folder.unusable` otherwise. An error of this project comes back as it is.
 * @param what the end of "Cannot …": 'write below .denorm/archive'
 */
export function fromFolder(error: unknown, what: string): DenormError {
  if (error instanceof DenormError) return error;
  const code = codeOf(error) ?? 'no error code';
  const message = `Cannot ${what}: ${wrong[code] ?? 'the file system refuses'} (${code})`;
  return passing.includes(code)
    ? new TransientError('folder.unavailable', message, { cause: error })
    : new FatalError('folder.unusable', message, { cause: error });
}

/** The code of a system error, such as `ENOENT`. */
export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

/** A file's bytes, or undefined where there is no such file. */
export async function readIfThere(path: string): Promise<Buffer | undefined> {
  try {
    return await readFile(path);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** The names in a folder, sorted; none where there is no such folder. */
export async function namesIn(path: string): Promise<string[]> {
  try {
    return (await readdir(path)).sort();
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return [];
    throw error;
  }
}

/** Removes a folder in which nothing stands. */
export async function removeIfEmpty(path: string): Promise<void> {
  try {
    await rmdir(path);
  } catch (error) {
    if (!['ENOENT', 'ENOTEMPTY', 'EEXIST'].includes(codeOf(error) ?? '')) throw error;
  }
}

/** The MD5 of a body in hexadecimal, as S3's ETag is. */
export function md5(body: string | Uint8Array): string {
  return createHash('md5').update(body).digest('hex');
}

/** The SHA-256 of a body, as S3 spells a checksum. */
export function sha256(body: string | Uint8Array): string {
  return createHash('sha256').update(body).digest('base64');
}

/**
 * Makes a folder and those above it. One by one, because Node's recursive mkdir never ends where the system answers
 * ENOENT to a folder whose parent is there, as below /proc.
 */
export async function makeFolder(path: string): Promise<void> {
  if (await makeOne(path)) return;
  const parent = dirname(path);
  if (parent !== path) await makeFolder(parent);
  if (!(await makeOne(path)))
    throw Object.assign(new Error('No folder can be made there'), { code: 'ENOENT' });
}

/** @returns false where the folder above is not there */
async function makeOne(path: string): Promise<boolean> {
  try {
    await mkdir(path);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return false;
    if (codeOf(error) !== 'EEXIST' || !(await stat(path)).isDirectory()) throw error;
  }
  return true;
}

/**
 * Writes a file so that whoever looks sees it whole or not at all, whenever this process ends. An older file of that
 * path is replaced.
 * @param by the folder to write it in before it moves, on the same file system
 */
export async function writeWhole(path: string, body: string | Uint8Array, by: string): Promise<void> {
  await makeFolder(by);
  const temporary = join(by, `${randomUUID()}.tmp`);
  try {
    await writeFile(temporary, body, { flag: 'wx', flush: true });
    await makeFolder(dirname(path));
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}
