import { basename } from 'node:path';
import { definitionsIn } from '../anchors/definitions.ts';
import type { Sources } from '../anchors/edit.ts';
import type { Judged, Mutant } from './mutant.ts';

/** Columns of source that are shown of a mutant. */
const widest = 100;

/**
 * A survivor as survivors.md lists it: by the function that it changes, without its file and line, which move. The reason
 * why it is harmless follows there, after a colon.
 */
export function listed({ within, original, replacement }: Mutant): string {
  return `- ${code(within)}: ${code(shortened(original))} → ${code(shortened(replacement))}`;
}

/** What survived, compared with what is listed as harmless. */
export interface Listing {
  readonly known: readonly Judged[];
  readonly unknown: readonly Judged[];
  /** Lines of the list that none of the survivors is, although every file that they may be about was judged in full. */
  readonly stale: readonly string[];
}

/** A line of the list. */
export interface ListedSurvivor {
  readonly line: string;
  /** The function, class member or constant, or the name of a file. */
  readonly within: string;
  readonly original: string;
  readonly replacement: string;
  /** Why it is harmless; empty where the line does not say so. */
  readonly reason: string;
}

const listedLine = /^- `([^`]+)`: (`` .*? ``|`[^`]*`) → (`` .*? ``|`[^`]*`)(?:: (.*))?$/;

/** The survivors that a text of Markdown lists. */
export function readList(list: string): ListedSurvivor[] {
  return list.split('\n').flatMap((line) => {
    const [, within, original, replacement, reason = ''] = listedLine.exec(line) ?? [];
    if (within === undefined || original === undefined || replacement === undefined) return [];
    return [{ line, within, original: uncoded(original), replacement: uncoded(replacement), reason }];
  });
}

/**
 * Compares those that nothing noticed with the list of the harmless ones. A line is for one survivor: where the same text
 * is changed in the same way in two places of a function, it takes two.
 * @param sources where what the list names is defined
 */
export function compare(judged: readonly Judged[], list: string, sources: Sources): Listing {
  const unused = readList(list);
  const [known, unknown]: [Judged[], Judged[]] = [[], []];
  for (const one of judged) {
    if (one.fate !== 'survived' && one.fate !== 'unreached') continue;
    const at = unused.findIndex((listedOne) => isListedAs(listedOne, one.mutant));
    if (at >= 0) unused.splice(at, 1);
    (at >= 0 ? known : unknown).push(one);
  }
  const inFull = new Set(judged.map(({ mutant }) => mutant.file));
  for (const { mutant, fate } of judged) if (fate === 'untried') inFull.delete(mutant.file);
  const stale = unused
    .filter(({ within }) => filesWith(within, sources).every((file) => inFull.has(file)))
    .map(({ line }) => line);
  return { known, unknown, stale };
}

/** The files that define this, or that are called so. */
export function filesWith(within: string, sources: Sources): string[] {
  return [...sources]
    .filter(
      ([file, text]) => basename(file) === within || definitionsIn(text).some(({ name }) => name === within),
    )
    .map(([file]) => file);
}

/** What a reader has to know of the survivors. */
export function survivorsText({ known, unknown, stale }: Listing): string {
  const line = ({ mutant, fate }: Judged) =>
    `${listed(mutant)} (${mutant.file}:${mutant.line}, ${mutant.operator}${fate === 'unreached' ? ', not reached' : ''})`;
  return [
    `${known.length + unknown.length} survivors, ${unknown.length} of them not listed in test/mutation/survivors.md`,
    ...unknown.map(line),
    ...(stale.length === 0 ? [] : [`${stale.length} that are listed there and survive no more`, ...stale]),
  ].join('\n');
}

function isListedAs({ within, original, replacement }: ListedSurvivor, mutant: Mutant): boolean {
  return (
    within === mutant.within && isSame(original, mutant.original) && isSame(replacement, mutant.replacement)
  );
}

/** Whether a listed text, which may have been cut, is this one, however either is broken into lines. */
function isSame(listedText: string, text: string): boolean {
  const [a, b] = [compact(listedText), compact(text)];
  return a === b || (a.endsWith('…') && b.startsWith(a.slice(0, -1)));
}

function compact(text: string): string {
  return text.replaceAll(/\s+/g, '').replaceAll(/,(?=[)\]}])/g, '');
}

function shortened(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ');
  return line.length <= widest ? line : `${line.slice(0, widest)}…`;
}

function code(text: string): string {
  return text.includes('`') ? `\`\` ${text} \`\`` : `\`${text}\``;
}

function uncoded(text: string): string {
  return text.startsWith('`` ') ? text.slice(3, -3) : text.slice(1, -1);
}
