import { styleText } from 'node:util';
import { SingleBar } from 'cli-progress';
import { visible } from '../../model/basics/text.ts';
import { printsJson } from './json.ts';
import { duration } from './text.ts';
import { visibleLine } from './visible.ts';

type Style = Parameters<typeof styleText>[0];

/** Plain text unless standard output is a terminal that supports styles. */
export function styled(style: Style, text: string): string {
  return styleText(style, text, { stream: process.stdout, validateStream: true });
}

export function pairs(entries: readonly (readonly [name: string, value: string])[]): string {
  const width = Math.max(...entries.map(([name]) => name.length));
  return entries
    .map(([name, value]) => `  ${styled('dim', visible(name).padEnd(width))}  ${visible(value)}`)
    .join('\n');
}

/** The sequences that save and restore a position. A bar moves down with the lines above it, so it may not go back. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they begin with one.
const positions = /\u001b[78]/g;

/** Standard error, with nothing made visible: to move the cursor. */
export const cursor: NodeJS.WriteStream = Object.create(process.stderr, {
  write: {
    value: (text: string, done?: () => void) =>
      process.stderr.write(Buffer.from(text.replaceAll(positions, '')), done),
  },
});

/** Prints a line. If a progress bar is shown, clears it first; the bar redraws itself below. */
export function say(line: string): void {
  if (cursor.isTTY) cursor.write('\r\u001b[K');
  console.log(visibleLine(line));
}

export function warn(line: string): void {
  console.error(printsJson ? JSON.stringify({ warning: line }) : `denorm: ${visible(line)}`);
}

export interface Progress {
  /** @param extra additional text: '12 found' */
  update(done: number, extra?: string): void;
  /** Ends the bar and leaves the line for other output. Safe to call twice. */
  stop(): void;
}

export interface ProgressOptions {
  readonly label: string;
  readonly unit: string;
  readonly total?: number | undefined;
}

const showsBarAfterMs = 2_000;

const shown = new Set<Progress>();

/** Takes all bars away, for good. */
export function endBars(): void {
  for (const bar of shown) bar.stop();
}

/** For work that takes longer than two seconds. Only if standard error is a terminal, so that it does not fill logs. */
export function progressBar({ label, unit, total }: ProgressOptions): Progress {
  if (!process.stderr.isTTY) return { update() {}, stop() {} };
  const known = total !== undefined && total > 0;
  const started = performance.now();
  const bar = new SingleBar({
    stream: cursor,
    format: known
      ? `${label} {bar} {percentage} %  {value} of about {total} ${unit}  {rate}/s  {left} left  {extra}`
      : `${label}  {value} ${unit}  {rate}/s  {duration_formatted}  {extra}`,
    // What it says besides takes about 80 columns.
    barsize: Math.min(40, Math.max(8, process.stderr.columns - 80)),
    clearOnComplete: true,
    stopOnComplete: false,
    fps: 5,
  });
  const progress: Progress = {
    update(done, extra = '') {
      const elapsed = performance.now() - started;
      if (!shown.has(progress) || elapsed < showsBarAfterMs) return;
      const all = Math.max(total ?? 0, done);
      const rate = (done / elapsed) * 1_000;
      // At the rate since the start: of the last few updates, which may come at once, it would be any.
      const left = duration(((all - done) / Math.max(done, 1)) * elapsed);
      const texts = { rate: Math.round(rate), left, extra };
      if (!bar.isActive) bar.start(all, 0, texts);
      // The total is an estimate: the table may contain more items by now.
      if (known) bar.setTotal(all);
      bar.update(done, texts);
    },
    stop() {
      if (bar.isActive) bar.stop();
      shown.delete(progress);
    },
  };
  shown.add(progress);
  return progress;
}

export async function withProgress<Result>(
  options: ProgressOptions,
  work: (bar: Progress) => Promise<Result>,
): Promise<Result> {
  const bar = progressBar(options);
  try {
    return await work(bar);
  } finally {
    bar.stop();
  }
}
