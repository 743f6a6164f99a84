import { readFileSync, writeFileSync } from 'node:fs';
import { z } from 'zod';
import type { Comparison } from './comparisons.ts';
import type { Sample, Sampler } from './samplers.ts';

export interface Result extends Pick<Comparison, 'id' | 'title' | 'unit'> {
  /** Lower quartiles. */
  readonly ours: number;
  readonly other: number;
  readonly ratio: number;
  /** What a run of each side sends. */
  readonly requests: readonly [ours: number, other: number];
  /** How far the ratios of the middle half of the rounds lie apart, as a share of their median. */
  readonly noise: number;
}

/** Samples each side once a round, so that all of them meet the same load of the machine. */
export async function measured(comparisons: readonly Comparison[], rounds: number): Promise<Result[]> {
  const samples = new Map<Sampler, Sample[]>(
    comparisons.flatMap(({ ours, other }) => [ours, other]).map((sampler) => [sampler, []]),
  );
  for (let round = 0; round < rounds; round += 1)
    for (const [sampler, values] of samples) values.push(await sampler());
  return comparisons.map((one) => resultOf(one, samples.get(one.ours) ?? [], samples.get(one.other) ?? []));
}

function resultOf(
  { id, title, unit }: Comparison,
  our: readonly Sample[],
  others: readonly Sample[],
): Result {
  const [ours, other] = [our, others].map((some) => some.map(({ value }) => value)) as [number[], number[]];
  const ratios = ours.map((value, round) => value / (other[round] ?? Number.NaN));
  const requests = [our[0]?.requests ?? 0, others[0]?.requests ?? 0] as const;
  const spread = quantile(ratios, 0.75) - quantile(ratios, 0.25);
  const [mine, beside] = [quantile(ours, 0.25), quantile(other, 0.25)];
  return {
    ...{ id, title, unit, ours: mine, other: beside, ratio: mine / beside, requests },
    noise: spread / quantile(ratios, 0.5),
  };
}

function quantile(values: readonly number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.floor(share * (values.length - 1))] ?? Number.NaN;
}

const heldFile = new URL('held.json', import.meta.url);

const recorded = z.record(z.string(), z.number());

/** The ratios that are held, by the ids of their comparisons. */
export function held(): z.output<typeof recorded> {
  return recorded.parse(JSON.parse(readFileSync(heldFile, 'utf8')));
}

/** The comparisons that were not measured stay as they were. */
export function record(results: readonly Result[]): void {
  const ratios = results.map(({ id, ratio }) => [id, Number(ratio.toFixed(2))] as const);
  writeFileSync(heldFile, `${JSON.stringify({ ...held(), ...Object.fromEntries(ratios) }, null, 2)}\n`);
}

/** On another machine the same code has another ratio, but a bundle is as large: so much of a ratio is never worse. */
const roomOf = ({ unit }: Result) => (unit === 'kB' ? 0.005 : 0.15);

/** Those whose ratio is worse than the one that is held by more than their noise. */
export function worse(results: readonly Result[], limits = held()): Result[] {
  return results.filter((one) => {
    const { id, ratio, noise } = one;
    const limit = limits[id];
    if (limit === undefined)
      throw new Error(`Expected a ratio of ${id} in bench/held.json: add it by --record`);
    return ratio > limit * (1 + Math.max(noise, roomOf(one)));
  });
}

/** A table in Markdown, of at most 80 columns. */
export function tableOf(results: readonly Result[], limits = held()): string {
  const rows = results.map(({ id, title, unit, ours, other, ratio, noise }) => [
    `${title}, ${unit}`,
    shown(ours),
    shown(other),
    ratio.toFixed(2),
    `${(100 * noise).toFixed(0)}%`,
    limits[id]?.toFixed(2) ?? '',
  ]);
  const table = [
    ['ours : other', 'ours', 'other', 'ratio', 'noise', 'held'],
    ['---', '--:', '--:', '--:', '--:', '--:'],
    ...rows,
  ];
  const widths =
    table[0]?.map((_, column) => Math.max(...table.map((row) => row[column]?.length ?? 0))) ?? [];
  return table
    .map(
      (row) => `| ${row.map((cell, column) => padded(cell, widths[column] ?? 0, column > 0)).join(' | ')} |`,
    )
    .join('\n');
}

function shown(value: number): string {
  return value.toLocaleString('en-US', { maximumFractionDigits: value < 100 ? 1 : 0 });
}

function padded(cell: string, width: number, right: boolean): string {
  return right ? cell.padStart(width) : cell.padEnd(width);
}
