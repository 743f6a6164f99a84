import { styleText } from 'node:util';
import { SingleBar } from 'cli-progress';
import { visible, visibleLine } from './visible.ts';

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

/** Standard error, with nothing made visible: to move the cursor. */
export const cursor: NodeJS.WriteStream = Object.create(process.stderr, {
  write: { value: (text: string, done?: () => void) => process.stderr.write(Buffer.from(text), done) },
});

/** Prints a line. If a progress bar is shown, clears it first; the bar redraws itself below. */
export function say(line: string): void {
  if (cursor.isTTY) cursor.write('\r\u001b[K');
  console.log(visibleLine(line));
}

export function warn(line: string): void {
  console.error(`denorm: ${visible(line)}`);
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

/** How long to wait before showing a bar, in milliseconds. */
const patience = 2_000;

/** For work that takes longer than two seconds. Only if standard error is a terminal, so that it does not fill logs. */
export function progressBar({ label, unit, total }: ProgressOptions): Progress {
  if (!process.stderr.isTTY) return { update() {}, stop() {} };
  const known = total !== undefined && total > 0;
  const started = performance.now();
  const bar = new SingleBar({
    stream: cursor,
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
      // The total is an estimate: the table may contain more items by now.
      if (known && done > bar.getTotal()) bar.setTotal(done);
      bar.update(done, { rate, extra });
    },
    stop() {
      if (running) bar.stop();
      running = false;
    },
  };
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
