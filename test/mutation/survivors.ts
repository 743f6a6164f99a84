import type { Mutant, MutantResult } from './mutant.ts';

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
  readonly known: readonly MutantResult[];
  readonly unknown: readonly MutantResult[];
  /** Lines of the list that none of the survivors is. */
  readonly stale: readonly string[];
}

/**
 * Compares the survivors with the list of the harmless ones. A line is for one survivor: where the same text
 * is changed in the same way in two places of a function, it takes two.
 */
export function compare(results: readonly MutantResult[], list: string): Listing {
  const unused = list.split('\n').filter((line) => line.startsWith('- '));
  const [known, unknown]: [MutantResult[], MutantResult[]] = [[], []];
  for (const one of results) {
    if (one.status !== 'survived' && one.status !== 'not covered') continue;
    const text = compact(listed(one.mutant));
    const at = unused.findIndex((line) => compact(line).startsWith(`${text}:`));
    if (at >= 0) unused.splice(at, 1);
    (at >= 0 ? known : unknown).push(one);
  }
  return { known, unknown, stale: unused };
}

/** What a reader has to know of the survivors. @param isWhole whether every mutant ran: only then is a line known to be stale */
export function survivorsText({ known, unknown, stale }: Listing, isWhole: boolean): string {
  const line = ({ mutant, status }: MutantResult) =>
    `${listed(mutant)} (${mutant.file}:${mutant.line}, ${mutant.operator}${status === 'not covered' ? ', not covered' : ''})`;
  return [
    `${known.length + unknown.length} survivors, ${unknown.length} of them not listed in test/mutation/survivors.md`,
    ...unknown.map(line),
    ...(isWhole && stale.length > 0
      ? [`${stale.length} that are listed there and survive no more`, ...stale]
      : []),
  ].join('\n');
}

/** The same however it is broken into lines. */
export function compact(text: string): string {
  return text.replaceAll(/\s+/g, '').replaceAll(/,(?=[)\]}])/g, '');
}

function shortened(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ');
  return line.length <= widest ? line : `${line.slice(0, widest)}…`;
}

function code(text: string): string {
  return text.includes('`') ? `\`\` ${text} \`\`` : `\`${text}\``;
}
