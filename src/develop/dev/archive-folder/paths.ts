import type { Dirent } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { FatalError } from '../../../model/errors.ts';
import { codeOf } from './files.ts';

/** The first segments of keys: objects, manifests of batches, and notes. */
const roots: readonly string[] = ['archive', 'manifests', 'erased', 'restored', 'state'];

/** The longest name in characters, all of them ASCII. File systems hold 255. */
const maxName = 200;

/** Encoded keys contain no `@`, so a name with one is never a segment of a key. A piece of a cut segment may look like one, as a folder. */
const versionName = /^@\d{8}$/;

/**
 * The folder of an object, or the file of a note: its key, with segments of more than 200 characters cut into several folders (`aaa@/@aaa`).
 * @throws FatalError `archive.key` for a key that is not one of the archive's, because it could leave the folder
 */
export function pathOf(folder: string, objectKey: string): string {
  const segments = objectKey.split('/');
  const unsafe = segments.some((segment) => /^\.{0,2}$/.test(segment) || /[\0\\@]/.test(segment));
  if (!roots.includes(segments[0] ?? '') || segments.length < 2 || unsafe)
    throw new FatalError(
      'archive.key',
      `Expected an object key such as 'archive/Order/ORDER%231/METADATA.json', got '${objectKey}'`,
    );
  return join(folder, ...segments.map(nameOf));
}

/** The folder in which versions are written before they move to their object. */
export function inProgress(folder: string): string {
  return join(folder, 'in-progress');
}

/** The keys that begin with this prefix, in their order. */
export async function keysBelow(folder: string, prefix: string): Promise<string[]> {
  const above = prefix.split('/').slice(0, -1);
  const [root = ''] = above;
  if (above.length > 1) pathOf(folder, above.join('/'));
  const begin = above.length === 0 ? roots : roots.includes(root) ? [above.map(nameOf).join('/')] : [];
  const keys: string[] = [];
  for (const path of begin)
    for await (const object of objectsBelow(join(folder, path)))
      keys.push(relative(folder, object).split(sep).join('/').replaceAll('@/@', ''));
  return keys.filter((key) => key.startsWith(prefix)).sort();
}

async function* objectsBelow(path: string): AsyncGenerator<string> {
  const entries = await entriesOf(path);
  if (entries.some(isVersion)) yield path;
  for (const entry of entries) if (entry.isDirectory()) yield* objectsBelow(join(path, entry.name));
}

/** The version files of an object, the oldest first. */
export async function versionFilesIn(path: string): Promise<string[]> {
  return (await entriesOf(path))
    .filter(isVersion)
    .map(({ name }) => name)
    .sort();
}

function isVersion(entry: Dirent): boolean {
  return entry.isFile() && versionName.test(entry.name);
}

async function entriesOf(path: string): Promise<Dirent[]> {
  try {
    return await readdir(path, { withFileTypes: true });
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return [];
    throw error;
  }
}

function nameOf(segment: string): string {
  const pieces = segment.match(new RegExp(`.{1,${maxName}}`, 'gsu')) ?? [];
  return pieces.join('@/@');
}
