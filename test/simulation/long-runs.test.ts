import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, onTestFinished, test } from 'vitest';
import { add, emptySummary, unmetIn } from '../../src/develop/testing/simulation/summary.ts';
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
    expect(unmetIn(resumed(file, begins).summary)).toEqual(['unreadable records']);
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

test('what is listed as not run is what neither thread ran', async () => {
  // Under vitest, a module is not the text of its file.
  const script = `
    const { linesOf, neither, noteCoverage } = await import('./test/simulation/coverage.ts');
    const repository = new URL(process.argv[1]);
    const notRun = await noteCoverage(new URL('test/fixtures/simulation/', repository).href);
    const { sign } = await import('./test/fixtures/simulation/branches.ts');
    sign(1);
    const one = await notRun();
    sign(-1);
    const both = neither(one, await notRun());
    console.log(JSON.stringify([one, both].map((ranges) => linesOf(ranges, repository))));`;
  const repository = new URL('../../', import.meta.url);
  const args = ['--input-type=module', '--eval', script, repository.href];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: fileURLToPath(repository) });

  const below = "test/fixtures/simulation/branches.ts:3: if (value < 0) return 'below';";
  const zero = "test/fixtures/simulation/branches.ts:4: return value === 0 ? 'zero' : 'above';";
  expect(JSON.parse(stdout)).toEqual([[below, zero], [zero]]);
});
