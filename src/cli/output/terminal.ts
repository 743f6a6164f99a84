import { styleText } from 'node:util';
import { SingleBar } from 'cli-progress';
import { visible } from '../../model/basics/text.ts';
import { printsJson } from './json.ts';
import { progressLine } from './progress-line.ts';
import { visibleLine } from './visible.ts';

type Style = Parameters<typeof styleText>[0];

/** Plain text unless standard output is a terminal that supports styles. */
export function styled(style: Style, text: string): string {
  return styleText(style, text, { stream: process.stdout, validateStream: true });
}

export function pairs(entries: readonly (readonly [name: string, value: string])[]): string {
  const shown = entries.map(([name, value]) => [visible(name), visible(value)] as const);
  const width = Math.max(...shown.map(([name]) => name.length));
  return shown
    .map(([name, value]) => {
      // A style of nothing would count as a word where the line wraps.
      const shownName = name === '' ? '' : styled('dim', name);
      return `  ${shownName}${' '.repeat(width - name.length)}  ${value}`.trimEnd();
    })
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
  const started = performance.now();
  let line = '';
  const bar = new SingleBar({
    stream: cursor,
    format: () => line,
    clearOnComplete: true,
    stopOnComplete: false,
    fps: 5,
  });
  const progress: Progress = {
    update(done, extra = '') {
      const elapsedMs = performance.now() - started;
      if (!shown.has(progress) || elapsedMs < showsBarAfterMs) return;
      // The total is an estimate: the table may contain more items by now.
      const all = total ? Math.max(total, done) : undefined;
      // A terminal that does not know its width says 0.
      const width = process.stderr.columns || 80;
      line = progressLine({ label, unit, done, total: all, elapsedMs, extra }, width);
      if (!bar.isActive) bar.start(all ?? done, 0);
      bar.update(done);
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
