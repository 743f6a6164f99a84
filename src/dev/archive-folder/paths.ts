import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { FatalError } from '../../model/errors.ts';

/** The longest segment that stands as it is, in bytes. File systems hold names of 255: the rest is left for endings. */
const maxName = 240;

/** What keys begin with: items and batches of them, what batches hold, what was erased, and notes. */
export const roots: readonly string[] = ['archive', 'manifests', 'erased', 'restored', 'state'];

/** How much of a hashed segment stays readable, in bytes. */
const readableBytes = 100;

/** Stands in every hashed name and in no encoded segment: `%` is followed by two hexadecimal digits there. */
export const marker = '%sha256-';

/** Where the pieces of one object stand below the archive folder. */
export interface ObjectPaths {
  /** The object as it is now: its body, exactly. */
  readonly object: string;
  /** The folder with what is said of the object, one file for each ETag that it ever had. */
  readonly metadata: string;
  /** The folder with the bodies that were replaced, numbered in their order. */
  readonly versions: string;
  /** The file that whoever puts the object holds meanwhile. */
  readonly lock: string;
}

/**
 * Where an object stands: `archive/Order/ORDER%231/METADATA.json` is that very file below the folder. Only a segment
 * that a file system cannot hold is replaced, by {@link nameOf}.
 * @throws FatalError `archive.key` for a key that is not one of the archive's: it would leave the folder, or mean another
 */
export function pathsOf(folder: string, objectKey: string): ObjectPaths {
  const segments = objectKey.split('/');
  const unsafe = segments.some((segment) => /^\.{0,2}$/.test(segment) || /[\0\\]/.test(segment));
  if (!roots.includes(segments[0] ?? '') || segments.length < 2 || unsafe)
    throw new FatalError(
      'archive.key',
      `Expected an object key such as 'archive/Order/ORDER%231/METADATA.json', got '${objectKey}'`,
    );
  const path = join(...segments.map(nameOf));
  return {
    object: join(folder, path),
    metadata: join(folder, 'metadata', path),
    versions: join(folder, 'versions', path),
    lock: join(inProgress(folder), `${sha256(objectKey)}.lock`),
  };
}

/** The folder with locks and with files that are being written. Nothing in it outlives a put that was not killed. */
export function inProgress(folder: string): string {
  return join(folder, 'in-progress');
}

/**
 * The name that a segment of a key goes by in a file system: itself, or, beyond 240 bytes, its first 100 bytes, the mark
 * `%sha256-`, the SHA-256 of the whole segment in hexadecimal, and its `.json` with what follows. To find the file of a
 * key, take this of each segment; to find the key of a file, look into its metadata.
 */
export function nameOf(segment: string): string {
  if (Buffer.byteLength(segment) <= maxName && !segment.includes(marker)) return segment;
  const ending = /\.json(\.\d{1,40})?$/.exec(segment)?.[0] ?? '';
  return `${beginning(segment.replaceAll(marker, ''))}${marker}${sha256(segment)}${ending}`;
}

/** The first characters of a text, never a part of one, nor of an escape such as `%2F`. */
function beginning(text: string): string {
  let kept = '';
  for (const character of text) {
    if (Buffer.byteLength(kept + character) > readableBytes) break;
    kept += character;
  }
  return kept.replace(/%.?$/, '');
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
