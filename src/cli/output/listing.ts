import { number } from '../../model/basics/text.ts';
import { say, styled } from './terminal.ts';

/** The number of entries of a group that are printed for people: the others are only counted. */
const maxListed = 10;

/** A reason may be another for each entry: then there are as many groups as entries. */
const maxGroups = 100;

/** An entry in both formats, each made only if it is printed. */
export interface ListingEntry {
  readonly json: () => unknown;
  /** Entries of a group are printed together, once all are known. */
  readonly group: string;
  /** @param count how many entries the group has */
  readonly heading: (count: number) => string;
  readonly text: () => string | Promise<string>;
  /** The place of its group among the others, the lowest first. */
  readonly rank: number;
  /** A command to go on with, by the example of this entry. */
  readonly next?: (() => string) | undefined;
}

/** Prints entries for machines as they are found, each as a line of JSON; for people in groups, the first ten of each. */
export function listing(isJson: boolean) {
  const groups = new Map<string, { readonly entries: ListingEntry[]; count: number }>();
  let others = 0;
  return {
    add(entry: ListingEntry): void {
      if (isJson) {
        say(JSON.stringify(entry.json()));
        return;
      }
      const group = groups.get(entry.group) ?? { entries: [], count: 0 };
      if (group.count === 0 && groups.size === maxGroups) {
        others += 1;
        return;
      }
      groups.set(entry.group, group);
      group.count += 1;
      if (group.count <= maxListed) group.entries.push(entry);
    },

    /** Prints the groups, and forgets them. */
    async printGroups(): Promise<void> {
      const sorted = [...groups.values()].toSorted((one, other) => rankOf(one) - rankOf(other));
      for (const { entries, count } of sorted) {
        const [first] = entries;
        if (first === undefined) continue;
        say(first.heading(count));
        for (const { text } of entries) for (const line of (await text()).split('\n')) say(`  ${line}`);
        if (count > entries.length)
          say(styled('dim', `  … and ${number(count - entries.length)} more, which --json lists`));
        if (first.next !== undefined) say(`  ${first.next()}`);
        say('');
      }
      if (others > 0) say(styled('dim', `… and ${number(others)} more of other sorts, which --json lists`));
      groups.clear();
    },
  };
}

function rankOf({ entries: [first] }: { readonly entries: readonly ListingEntry[] }): number {
  return first?.rank ?? 0;
}
