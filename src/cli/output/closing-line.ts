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

/** `nothing left`, or for example `left 3 (3 invalid) and the rest`: the rest is what an unfinished run has not come to. */
export function leftText(some: string | undefined, finished: boolean): string {
  const left = [some, finished ? undefined : 'the rest'].filter((one) => one !== undefined);
  return left.length === 0 ? 'nothing left' : `left ${left.join(' and ')}`;
}
