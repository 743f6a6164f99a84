import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { add, emptySummary } from '../../src/simulator/summary.ts';
import { keep, type Progress, resumed } from './progress-file.ts';

const begins: Progress = { sources: 'a', seed: 1, steps: 200, summary: emptySummary(), notRun: undefined };

function progressFile(): string {
  const folder = mkdtempSync(join(tmpdir(), 'progress-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return join(folder, 'below', 'simulation.json');
}

describe('a long run', () => {
  test('begins without a file, and goes on with what was kept in one', () => {
    const file = progressFile();
    const summary = emptySummary();
    const faults = new Map([
      ['outages', 2],
      ['unreadable records', 0],
    ]);
    add(summary, { ...emptySummary(), seeds: 50, faults, failed: [{ seed: 7, what: '1: a copy' }] });
    const played = { ...begins, summary, notRun: { 'file:///a.ts': [[1, 3] as const] } };

    expect(resumed(file, begins)).toBe(begins);
    keep(file, played);

    expect(resumed(file, begins)).toEqual(played);
  });

  test.each([
    [{ sources: 'b' }, 'seeds that were played on another source tree do not count'],
    [{ seed: 9 }, '--seed 9 --steps 200, got --seed 1 --steps 200: give the same'],
  ])('is not resumed after another one: %j', (other, sentence) => {
    const file = progressFile();
    keep(file, { ...begins, ...other });

    expect(() => resumed(file, begins)).toThrow(sentence);
  });
});
