import { readdir } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import * as z from 'zod';
import { codeOf, namesIn, readIfThere } from './files.ts';
import { marker, nameOf, pathsOf, roots } from './paths.ts';

/**
 * The keys of the objects in the folder that begin so, in the order of their files' names: that of the keys, but among
 * those whose names had to be hashed. Only folders that may hold such keys are looked into.
 * @param after the last key that is not wanted any more
 */
export async function* keysBelow(folder: string, prefix: string, after?: string): AsyncGenerator<string> {
  const from = after === undefined ? '' : relative(folder, pathsOf(folder, after).object);
  for await (const path of filesBelow(folder, '', prefix.split('/'), from)) {
    const key = await keyOfFile(folder, path);
    if (key?.startsWith(prefix)) yield key;
  }
}

/** The keys of the last states that stand beside an object. */
export async function keysOfLastStates(folder: string, objectKey: string): Promise<string[]> {
  const { object } = pathsOf(folder, objectKey);
  const path = relative(folder, dirname(object));
  const candidates = (await namesIn(dirname(object))).filter((name) => /\.json\.\d+$/.test(name));
  const keys: string[] = [];
  for (const name of candidates) {
    const key = await keyOfFile(folder, join(path, name));
    if (key?.startsWith(objectKey) && /^\.\d+$/.test(key.slice(objectKey.length))) keys.push(key);
  }
  return keys;
}

async function* filesBelow(
  folder: string,
  above: string,
  [wanted = '', ...further]: readonly string[],
  from: string,
): AsyncGenerator<string> {
  for (const { name, isFolder } of await entriesOf(join(folder, above))) {
    const path = above === '' ? name : `${above}/${name}`;
    if ((above === '' && !roots.includes(name)) || !mayBegin(name, wanted, further.length > 0)) continue;
    if (!isFolder) {
      if (path > from && further.length === 0) yield path;
    } else if (`${path}/` > from || from.startsWith(`${path}/`))
      yield* filesBelow(folder, path, further, from);
  }
}

interface Entry {
  readonly name: string;
  readonly isFolder: boolean;
}

/** What stands in a folder, in the order in which the keys of it and of what is below come. */
async function entriesOf(path: string): Promise<Entry[]> {
  try {
    const entries = await readdir(path, { withFileTypes: true });
    return entries
      .filter((entry) => !entry.name.startsWith('.'))
      .map((entry) => ({ name: entry.name, isFolder: entry.isDirectory() }))
      .sort((a, b) => (sortText(a) < sortText(b) ? -1 : 1));
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return [];
    throw error;
  }
}

function sortText({ name, isFolder }: Entry): string {
  return isFolder ? `${name}/` : name;
}

/** Whether a name may stand for a segment that begins so. A hashed name shows only how its segment begins. */
function mayBegin(name: string, wanted: string, whole: boolean): boolean {
  if (whole) return name === nameOf(wanted);
  const [shown = ''] = name.split(marker);
  return name.startsWith(wanted) || (shown !== name && wanted.startsWith(shown));
}

const keyed = z.object({ key: z.string() });

/**
 * The key of the object that stands in this file: its path, unless a part of that is hashed. Undefined where nothing
 * says what a hashed one stands for.
 */
async function keyOfFile(folder: string, path: string): Promise<string | undefined> {
  if (!path.includes(marker)) return path;
  const said = join(folder, 'metadata', path);
  const [any] = await namesIn(said);
  const text = any === undefined ? undefined : await readIfThere(join(said, any));
  try {
    return keyed.safeParse(JSON.parse(String(text))).data?.key;
  } catch {
    return undefined;
  }
}
