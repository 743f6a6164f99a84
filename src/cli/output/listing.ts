import { say, styled } from './terminal.ts';

/** The number of entries of one sort that are printed for people: the others are only counted. */
const maxListed = 10;

/** An entry in both formats, each made only if it is printed. */
export interface ListingEntry {
  readonly json: () => unknown;
  readonly text: () => string;
  /** What it has in common with others: they are printed at the end, below this. */
  readonly under?: () => string;
}

/** Prints entries as they are found: every one as a line of JSON, or the first ten of a sort as text. */
export function listing(isJson: boolean) {
  const listed = new Map<string, number>();
  const groups = new Map<string, string[]>();
  return {
    add(sort: string, { json, text, under }: ListingEntry): void {
      if (isJson) {
        say(JSON.stringify(json()));
        return;
      }
      const heading = under?.();
      const counted = heading ?? sort;
      const before = listed.get(counted) ?? 0;
      listed.set(counted, before + 1);
      if (before > maxListed) return;
      const more = `… more ${heading === undefined ? sort : 'of these'} are only counted; --json lists all`;
      const line = before < maxListed ? text() : styled('dim', more);
      if (heading === undefined) say(line);
      else groups.set(heading, [...(groups.get(heading) ?? []), line]);
    },

    /** Prints the entries that have something in common, and forgets them. */
    printGroups(): void {
      for (const [heading, lines] of groups) [heading, ...lines.map((line) => `  ${line}`)].forEach(say);
      groups.clear();
    },
  };
}
