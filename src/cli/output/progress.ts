import { SingleBar } from 'cli-progress';

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
