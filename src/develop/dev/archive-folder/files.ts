import { randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { DenormError, FatalError, TransientError } from '../../../model/errors.ts';

/** Errors that a later attempt may not meet. All others need a person, or another folder. */
const passing = ['EAGAIN', 'EBUSY', 'EIO', 'EINTR', 'EMFILE', 'ENFILE', 'ENOSPC', 'EDQUOT', 'ETIMEDOUT'];

/** The end of the error's sentence. */
const reasons: Readonly<Record<string, string>> = {
  EACCES: 'permission is denied',
  EPERM: 'permission is denied',
  EROFS: 'the file system is read-only',
  ENOTDIR: 'a part of that path is a file',
  EEXIST: 'a file is there',
  EISDIR: 'a folder is there',
  ENAMETOOLONG: 'that path is too long for the file system',
  ENOSPC: 'no space is left',
  EDQUOT: 'no space is left',
  EMFILE: 'too many files are open',
};

/**
 * Converts an error of the file system: `TransientError` `folder.unavailable` if a later attempt may succeed,
 * `FatalError` `folder.unusable` otherwise. An error of this project is returned as it is.
 * @param what the end of "Cannot …": 'write below .denorm/archive'
 */
export function fromFolder(error: unknown, what: string): DenormError {
  if (error instanceof DenormError) return error;
  const code = codeOf(error) ?? 'no error code';
  const message = `Cannot ${what}: ${reasons[code] ?? 'the file system refuses'} (${code})`;
  return passing.includes(code)
    ? new TransientError('folder.unavailable', message, { cause: error })
    : new FatalError('folder.unusable', message, { cause: error });
}

/** The code of a system error, such as `ENOENT`. */
export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

/** A file's bytes, or undefined if there is no such file. */
export async function readIfThere(path: string): Promise<Buffer | undefined> {
  try {
    return await readFile(path);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/**
 * Creates a folder and its parents one by one, because Node's recursive mkdir never ends if the system answers ENOENT
 * although the parent exists, as below /proc.
 */
export async function makeFolder(path: string): Promise<void> {
  if (await makeOne(path)) return;
  const parent = dirname(path);
  if (parent !== path) await makeFolder(parent);
  if (!(await makeOne(path)))
    throw Object.assign(new Error('No folder can be created there'), { code: 'ENOENT' });
}

/** @returns false if the parent is missing */
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
 * Writes a file so that readers see it whole or not at all, even if this process is killed. Replaces an older file.
 * @param by the folder in which to write it before it is renamed, on the same file system
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
