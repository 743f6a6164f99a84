import { number } from '../../model/basics/text.ts';

/**
 * The last line of a report.
 * @param parts what was looked at, found, done and left, in this order; without those that are undefined
 * @param fault why the exit code is 1
 */
export function closingLine(parts: readonly (string | undefined)[], fault?: string): string {
  const said = parts.filter((part) => part !== undefined);
  return [...said, ...(fault === undefined ? [] : [`exits 1, because ${fault}`])].join('; ');
}

/** For example `2 differs, 1 orphan`. */
export function countsText(counts: readonly (readonly [name: string, count: number])[]): string {
  return counts.flatMap(([name, count]) => (count === 0 ? [] : [`${number(count)} ${name}`])).join(', ');
}
