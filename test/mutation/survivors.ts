import type { Judged, Mutant } from './mutant.ts';

/** Columns of source that are shown of a mutant. */
const widest = 100;

/** A survivor as docs/mutation.md lists it: without its line, which moves. A reason of its own may follow, after a colon. */
export function listed({ file, original, replacement }: Mutant): string {
  return `- ${code(file)}: ${code(inOneLine(original))} → ${code(inOneLine(replacement))}`;
}

/** What survived, next to what is listed as harmless. */
export interface Listing {
  readonly known: readonly Judged[];
  readonly unknown: readonly Judged[];
  /** Lines of the list that none of the survivors is, though their file was judged in full. */
  readonly stale: readonly string[];
}

/**
 * Compares those that nothing noticed with the list of the harmless ones, which is a Markdown text. A line is for one
 * survivor: where the same text is changed in the same way in two places of a file, it takes two.
 */
export function compare(judged: readonly Judged[], list: string): Listing {
  const unused = list.split('\n').filter((line) => line.startsWith('- `src/'));
  const [known, unknown]: [Judged[], Judged[]] = [[], []];
  for (const one of judged) {
    if (one.fate !== 'survived' && one.fate !== 'unreached') continue;
    const text = listed(one.mutant);
    const at = unused.findIndex((line) => line === text || line.startsWith(`${text}: `));
    if (at >= 0) unused.splice(at, 1);
    (at >= 0 ? known : unknown).push(one);
  }
  const inFull = new Set(judged.map(({ mutant }) => mutant.file));
  for (const { mutant, fate } of judged) if (fate === 'untried') inFull.delete(mutant.file);
  const stale = unused.filter((line) => [...inFull].some((file) => line.startsWith(`- ${code(file)}:`)));
  return { known, unknown, stale };
}

/** What a reader has to know of the survivors. */
export function survivorsText({ known, unknown, stale }: Listing): string {
  const line = ({ mutant, fate }: Judged) =>
    `${listed(mutant)} (line ${mutant.line}, ${mutant.operator}${fate === 'unreached' ? ', not reached' : ''})`;
  return [
    `${known.length + unknown.length} survivors, ${unknown.length} of them not listed in docs/mutation.md`,
    ...unknown.map(line),
    ...(stale.length === 0 ? [] : [`${stale.length} that are listed there and survive no more`, ...stale]),
  ].join('\n');
}

function inOneLine(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ');
  return line.length <= widest ? line : `${line.slice(0, widest)}…`;
}

function code(text: string): string {
  return text.includes('`') ? `\`\` ${text} \`\`` : `\`${text}\``;
}
