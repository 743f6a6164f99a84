import { say, styled } from './terminal.ts';

/** The number of entries of one sort that are printed for people: the others are only counted. */
const maxListed = 10;

/** An entry in both formats, each made only if it is printed. */
export interface ListingEntry {
  readonly json: () => unknown;
  readonly text: () => string | readonly string[];
  /** What it has in common with others: they are printed at the end, below this. */
  readonly under?: () => string;
}

/** Prints entries as they are found: every one as a line of JSON, or the first ten of a sort as text. */
export class Listing {
  private readonly isJson: boolean;
  private readonly listed = new Map<string, number>();
  private readonly groups = new Map<string, string[]>();

  constructor(isJson: boolean) {
    this.isJson = isJson;
  }

  add(sort: string, { json, text, under }: ListingEntry): void {
    if (this.isJson) {
      say(JSON.stringify(json()));
      return;
    }
    const heading = under?.();
    const counted = heading ?? sort;
    const before = this.listed.get(counted) ?? 0;
    this.listed.set(counted, before + 1);
    if (before > maxListed) return;
    const more = `… more ${heading === undefined ? sort : 'of these'} are only counted; --json lists all`;
    const lines = before < maxListed ? [text()].flat() : [styled('dim', more)];
    if (heading === undefined) lines.forEach(say);
    else this.groups.set(heading, [...(this.groups.get(heading) ?? []), ...lines]);
  }

  /** Prints the entries that have something in common, and forgets them. */
  printGroups(): void {
    for (const [heading, lines] of this.groups) [heading, ...lines.map((line) => `  ${line}`)].forEach(say);
    this.groups.clear();
  }
}
