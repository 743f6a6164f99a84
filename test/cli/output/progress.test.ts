import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { interruption } from '../../../src/cli/interruption.ts';
import { type Progress, progressBar } from '../../../src/cli/output/terminal.ts';

/** What standard error, as a terminal, was given. */
let written: string;

beforeEach(() => {
  written = '';
  vi.useFakeTimers();
  Object.assign(process.stderr, { isTTY: true, columns: 120 });
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    written += String(text);
    return true;
  });
});

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  Object.assign(process.stderr, { isTTY: undefined, columns: undefined });
});

async function advance(bar: Progress, perSecond: number, seconds: number): Promise<void> {
  for (let second = 1; second <= seconds; second += 1) {
    await vi.advanceTimersByTimeAsync(1_000);
    // The parts of a scan are read in parallel, and report at the same time.
    for (const part of [3, 2, 1, 0]) bar.update(perSecond * second - part);
  }
}

test('a bar estimates the time left by the rate that it shows', async () => {
  const bar = progressBar({ label: 'verify', unit: 'items', total: 15_001 });
  await advance(bar, 274, 3);
  bar.stop();

  expect(written).toMatch(/ 274\/s {2}5[12] s left/);
  expect(written).not.toMatch(/ [0-3]?\d s left/);
});

test('Ctrl-C takes the bar away, before anything else is said', async () => {
  vi.spyOn(console, 'error').mockImplementation((text) => {
    written += text;
  });
  const bar = progressBar({ label: 'verify', unit: 'items', total: 15_001 });
  await advance(bar, 274, 3);
  const stopping = interruption();
  process.emit('SIGINT');
  bar.update(1_000);
  await vi.advanceTimersByTimeAsync(5_000);
  stopping.end();

  expect(written.slice(written.lastIndexOf('\u001b[2K'))).toBe(
    '\u001b[2Kdenorm: stopping cleanly; press Ctrl-C again to stop at once',
  );
});

test('a bar stays where it is when lines are printed above', async () => {
  const bar = progressBar({ label: 'verify', unit: 'items' });
  await advance(bar, 5, 3);
  bar.stop();

  for (const restored of ['\u001b7', '\u001b8']) expect(written).not.toContain(restored);
});
