import { styleText } from 'node:util';
import { SingleBar } from 'cli-progress';
import Table from 'cli-table3';

type Style = Parameters<typeof styleText>[0];

/** Text in a style where standard output is a terminal that shows it; plain text elsewhere. */
export function styled(style: Style, text: string): string {
  return styleText(style, text, { stream: process.stdout, validateStream: true });
}

/** A table for people: a row for each entry, long cells wrapped to the terminal's width. */
export function tableOf(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  widths?: readonly number[],
): string {
  const table = new Table({
    // Where cells are wrapped, the signs that make text bold would be counted as text.
    head: head.map((text) => (widths === undefined ? styled('bold', text) : text)),
    style: { head: [], border: [], compact: true },
    ...(widths && { colWidths: [...widths], wordWrap: true, wrapOnWordBoundary: false }),
  });
  table.push(...rows.map((row) => [...row]));
  return table.toString();
}

/** Pairs of name and value, one a line, the names aligned. */
export function pairs(entries: readonly (readonly [string, string])[]): string {
  const width = Math.max(...entries.map(([name]) => name.length));
  return entries.map(([name, value]) => `  ${styled('dim', name.padEnd(width))}  ${value}`).join('\n');
}

/** Prints a line where a progress bar may be drawn: the bar is wiped first, and draws itself anew below. */
export function say(line: string): void {
  if (process.stderr.isTTY) process.stderr.write('\r\u001b[K');
  console.log(line);
}

/** How far something is, for whoever watches. */
export interface Progress {
  /** @param done of the total; @param extra what else is worth a word: '12 found' */
  update(done: number, extra?: string): void;
  /** Ends the bar, and leaves the line to what is printed next. Safe to call twice. */
  stop(): void;
}

export interface ProgressOptions {
  /** What is worked on, in a word or two: 'verify'. */
  readonly label: string;
  /** What is counted: 'items'. */
  readonly unit: string;
  /** How many there will be, as far as anybody knows; undefined where nobody does. */
  readonly total?: number | undefined;
}

/** Nobody wants to see a bar for less, in milliseconds. */
const patience = 2_000;

/**
 * A bar on standard error, with rate and time left, for what takes longer than two seconds. Nothing is shown where
 * standard error is no terminal: there it would only stand in a log.
 */
export function progressBar({ label, unit, total }: ProgressOptions): Progress {
  if (!process.stderr.isTTY) return { update() {}, stop() {} };
  const known = total !== undefined && total > 0;
  const started = performance.now();
  const bar = new SingleBar({
    stream: process.stderr,
    format: known
      ? `${label} {bar} {percentage} %  {value} of about {total} ${unit}  {rate}/s  {eta_formatted} left  {extra}`
      : `${label}  {value} ${unit}  {rate}/s  {duration_formatted}  {extra}`,
    hideCursor: true,
    clearOnComplete: true,
    stopOnComplete: false,
    fps: 5,
  });
  let running = false;
  return {
    update(done, extra = '') {
      const elapsed = performance.now() - started;
      const rate = Math.round((done / Math.max(elapsed, 1)) * 1_000);
      if (!running && elapsed < patience) return;
      if (!running) bar.start(Math.max(total ?? 0, done), 0, { rate, extra });
      running = true;
      // The total is an estimate: a table may hold more by now.
      if (known && done > bar.getTotal()) bar.setTotal(done);
      bar.update(done, { rate, extra });
    },
    stop() {
      if (running) bar.stop();
      running = false;
    },
  };
}
