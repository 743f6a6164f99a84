import { z } from 'zod';
import { type WayName, ways } from './ways/index.ts';

/** One round, as the process of the way measured it. */
export const measuredRound = z.object({
  runs: z.number(),
  copiesPerSecond: z.number(),
  /** CPU time of the process for each copy. */
  microseconds: z.number(),
});

/** A round, with the requests of one run as the stub counted them. */
export interface Round extends z.output<typeof measuredRound> {
  readonly requests: number;
}

interface Spread {
  readonly min: number;
  readonly median: number;
  readonly max: number;
}

export interface Result {
  readonly way: WayName;
  readonly copiesPerSecond: Spread;
  readonly microseconds: Spread;
  readonly requests: number;
}

export function resultOf(way: WayName, rounds: readonly Round[]): Result {
  return {
    way,
    copiesPerSecond: spread(rounds.map(({ copiesPerSecond }) => copiesPerSecond)),
    microseconds: spread(rounds.map(({ microseconds }) => microseconds)),
    requests: spread(rounds.map(({ requests }) => requests)).median,
  };
}

function spread(values: readonly number[]): Spread {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (index: number) => sorted[index] ?? 0;
  return { min: at(0), median: at(Math.floor(sorted.length / 2)), max: at(sorted.length - 1) };
}

/** A table in Markdown: median, and least to most in brackets. */
export function tableOf(results: readonly Result[]): string {
  const rows = results.map(({ way, copiesPerSecond, microseconds, requests }) => [
    ways[way].title,
    shown(copiesPerSecond),
    shown(microseconds),
    requests.toLocaleString('en-US'),
  ]);
  const table = [['way', 'copies/s', 'CPU µs a copy', 'requests'], ['---', '--:', '--:', '--:'], ...rows];
  const widths = [0, 1, 2, 3].map((column) => Math.max(...table.map((row) => row[column]?.length ?? 0)));
  const lines = table.map(
    (row) => `| ${row.map((cell, column) => padded(cell, widths[column] ?? 0, column > 0)).join(' | ')} |`,
  );
  return lines.join('\n');
}

function shown({ min, median, max }: Spread): string {
  const [low, middle, high] = [min, median, max].map((value) => Math.round(value).toLocaleString('en-US'));
  return `${middle} (${low} to ${high})`;
}

function padded(cell: string, width: number, right: boolean): string {
  return right ? cell.padStart(width) : cell.padEnd(width);
}
