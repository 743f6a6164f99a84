import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { definitionsIn } from './definitions.ts';

/** A small change of the source, which says what it changes and not in which file that is. */
export interface Edit {
  /** The function, class or constant in which it is: `name` or `Class.member`, wherever that is defined. */
  readonly in: string;
  /** The text that is replaced. It occurs there exactly once. */
  readonly find: string;
  readonly replace: string;
}

/** Files of TypeScript by their paths, with `/` between folders. */
export type Sources = ReadonlyMap<string, string>;

/** Every file of TypeScript in these folders of a repository. */
export function sourcesIn(repository: string, folders: readonly string[]): Sources {
  const files = folders.flatMap((folder) =>
    readdirSync(join(repository, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .sort()
      .map((name) => `${folder}/${name}`),
  );
  return new Map(files.map((file) => [file, readFileSync(join(repository, file), 'utf8')]));
}

/**
 * Makes these edits, one after another.
 * @returns the files that have changed
 * @throws Error if nothing of that name is defined, or if the text does not occur exactly once
 */
export function edited(sources: Sources, edits: readonly Edit[]): Sources {
  const changed = new Map<string, string>();
  for (const edit of edits) {
    const { file, text, at } = located(new Map([...sources, ...changed]), edit);
    changed.set(file, text.slice(0, at) + edit.replace + text.slice(at + edit.find.length));
  }
  return changed;
}

/** If several files define the name, the text tells which is meant. */
function located(sources: Sources, { in: name, find }: Edit) {
  const defined = definitionsOf(sources, name);
  if (defined.length === 0)
    throw new Error(
      `Expected a function, class, member or constant ${name}, found none: is it called otherwise now?`,
    );
  const found = defined.flatMap(({ file, text, start, end }) =>
    offsetsOf(find, text.slice(start, end)).map((offset) => ({ file, text, at: start + offset })),
  );
  const [first, ...others] = found;
  if (first !== undefined && others.length === 0) return first;
  const files = (found.length > 0 ? found : defined).map(({ file }) => file);
  throw new Error(
    `Expected this once in ${name} (${files.join(', ')}), found it ${found.length} times: ${find}`,
  );
}

function offsetsOf(part: string, text: string): number[] {
  const offsets: number[] = [];
  for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + 1)) offsets.push(at);
  return offsets;
}

/** Where anything of this name is defined. */
export function definitionsOf(sources: Sources, name: string) {
  return [...sources].flatMap(([file, text]) =>
    definitionsIn(text).flatMap((one) => (one.name === name ? [{ ...one, file, text }] : [])),
  );
}
