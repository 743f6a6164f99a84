import { say, styled } from './terminal.ts';

/** Entries of one sort that people see; the rest is only counted. */
const maxListed = 10;

/** An entry in both formats, each made only if it is printed. */
export interface Entry {
  readonly json: () => unknown;
  readonly text: () => string | readonly string[];
}

/** Prints entries as they are found: every one as a line of JSON, or the first ten of a sort as text. */
export class Listing {
  private readonly isJson: boolean;
  private readonly listed = new Map<string, number>();

  constructor(isJson: boolean) {
    this.isJson = isJson;
  }

  add(sort: string, { json, text }: Entry): void {
    if (this.isJson) {
      say(JSON.stringify(json()));
      return;
    }
    const before = this.listed.get(sort) ?? 0;
    this.listed.set(sort, before + 1);
    if (before < maxListed) for (const line of [text()].flat()) say(line);
    else if (before === maxListed) say(styled('dim', `… more ${sort} are only counted; --json lists all`));
  }
}
