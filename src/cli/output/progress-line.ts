import { number } from '../../model/basics/text.ts';
import { duration } from './text.ts';
import { textWidth } from './visible.ts';

export interface ProgressFacts {
  readonly label: string;
  readonly unit: string;
  readonly done: number;
  /** An estimate; undefined if it is unknown. */
  readonly total: number | undefined;
  readonly elapsedMs: number;
  /** Additional text: '12 found' */
  readonly extra: string;
}

const barWidths = { least: 8, most: 40 };

/**
 * A line about work in progress, never wider than the terminal: the bar gets the room that is left, then the rate, the total and the
 * time go, and at last the end.
 * @param width in columns
 */
export function progressLine({ label, unit, done, total, elapsedMs, extra }: ProgressFacts, width: number) {
  const rate = `${number(Math.round((done / elapsedMs) * 1_000))}/s`;
  const read = `${number(done)} ${unit}`;
  if (total === undefined)
    return fitted(
      [
        [label, read, rate, duration(elapsedMs), extra],
        [label, read, extra],
      ],
      width,
    );
  // At the rate since the start: of the last few updates, which may come at once, it would be any.
  const left = `${duration(((total - done) / Math.max(done, 1)) * elapsedMs)} left`;
  const share = Math.min(1, done / total);
  const percent = `${Math.floor(share * 100)} %`;
  const ofAll = `${number(done)} of about ${number(total)} ${unit}`;
  const whole = [percent, ofAll, rate, left, extra];
  const room = width - textWidth(joined([label, ...whole])) - gap.length;
  // In steps, so that the bar keeps its width while numbers grow.
  const bar = Math.min(barWidths.most, Math.floor(room / barWidths.least) * barWidths.least);
  const full = Math.round(Math.max(0, bar) * share);
  const drawn = bar < barWidths.least ? '' : `${'='.repeat(full)}${'-'.repeat(bar - full)}`;
  return fitted(
    [
      [label, drawn, ...whole],
      [label, percent, ofAll, left, extra],
      [label, percent, read, left, extra],
      [label, percent, extra],
    ],
    width,
  );
}

const gap = '  ';

function joined(parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join(gap);
}

/** The first that fits, or as much of the last as does. */
function fitted(choices: readonly (readonly string[])[], width: number): string {
  const lines = choices.map(joined);
  const fits = lines.find((line) => textWidth(line) <= width);
  return fits ?? `${lines.at(-1)?.slice(0, width - 1)}…`;
}
