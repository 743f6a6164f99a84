import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { mutatedFolders } from './folders.ts';
import { type InstrumentedCopy, instrumentedCopy } from './instrumented-copy.ts';
import type { DryRun } from './messages.ts';
import { dryRunOf, runMutants } from './mutate.ts';

/** A small repository, in which each function is tested in another way. */
const files = {
  'package.json': '{ "type": "module" }',
  'template.yaml': '',
  'denorm.config.ts': '',
  'src/worker/propagation/plan/sum.ts': [
    'export const isLess = (a: number, b: number): boolean => a < b;',
    'export const isUnseen = (a: number): boolean => a === 0;',
    'export const isMore = (a: number, b: number): boolean => a > b;',
    'export const countTo = (end: number): number => { let at = 0; while (at !== end) at += 1; return at; };',
    'export const greeting = (): string => `hello`;',
    'export const settle = (at: boolean): Promise<void> => new Promise((done) => { if (at) done(); });',
    'const word = "loaded";',
    'export const loaded = (): number => word.length;',
  ].join('\n'),
  'test/worker/propagation/plan/sum.test.ts': [
    "import { describe, expect, test } from 'vitest';",
    "import { countTo, greeting, isLess, loaded, settle } from '../../../../src/worker/propagation/plan/sum.ts';",
    "describe('sums', () => {",
    "  test('less', () => { expect([isLess(1, 2), isLess(2, 1)]).toEqual([true, false]); });",
    "  test('count', () => { expect(countTo(3)).toBe(3); });",
    "  test('settles', async () => { await settle(true); });",
    "  test('greets', () => { expect(typeof greeting()).toBe('string'); });",
    "  test('loads', () => { expect(loaded()).toBe(6); });",
    '});',
  ].join('\n'),
  'test/worker/propagation/plan/mocks.test.ts': "import { vi } from 'vitest';\nvi.mock('x');",
  'test/worker/propagation/plan/red.test.ts':
    "import { expect, test } from 'vitest';\ntest('red', () => { expect(1).toBe(2); });",
  'test/simulation/run.ts': [
    "import { isMore } from '../../src/worker/propagation/plan/sum.ts';",
    "export const run = async () => ({ violations: isMore(2, 1) && !isMore(1, 2) ? [] : [{ what: 'wrong' }] });",
  ].join('\n'),
};

let repository = '';
let copy: InstrumentedCopy;
let dryRun: DryRun;
const effort = { seeds: 2, workers: 2, until: Number.POSITIVE_INFINITY };

beforeAll(async () => {
  repository = mkdtempSync(join(tmpdir(), 'small-repository-'));
  for (const folder of [...mutatedFolders, 'rules'].map((name) => `test/${name}`))
    mkdirSync(join(repository, folder), { recursive: true });
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(repository, name)), { recursive: true });
    writeFileSync(join(repository, name), text);
  }
  symlinkSync(
    fileURLToPath(new URL('../../node_modules', import.meta.url)),
    join(repository, 'node_modules'),
  );
  copy = await instrumentedCopy(repository, ['src/worker/propagation/plan'], () => true);
  dryRun = await dryRunOf(copy.folder, effort);
}, 180_000);

afterAll(() => {
  copy.remove();
  rmSync(repository, { recursive: true, force: true });
  expect(existsSync(copy.folder)).toBe(false);
});

describe('without a mutant', () => {
  test('tests and seeds pass, and failing ones are named', () => {
    expect(dryRun.cases.map(({ name }) => name)).toEqual([
      'test/worker/propagation/plan/sum.test.ts > sums > less',
      'test/worker/propagation/plan/sum.test.ts > sums > count',
      'test/worker/propagation/plan/sum.test.ts > sums > settles',
      'test/worker/propagation/plan/sum.test.ts > sums > greets',
      'test/worker/propagation/plan/sum.test.ts > sums > loads',
      'seed 1',
      'seed 2',
    ]);
    expect(dryRun.failing).toEqual([
      expect.stringContaining('test/worker/propagation/plan/red.test.ts > red'),
    ]);
    expect(dryRun.leftOut).toEqual([expect.stringContaining('test/worker/propagation/plan/mocks.test.ts')]);
  });
});

describe('mutants', () => {
  test('are killed by tests, by seeds or by a hang, survive, or are not reached', {
    timeout: 180_000,
  }, async () => {
    const results = await runMutants(copy, dryRun, effort, () => {});

    expect(resultOf('a < b', 'a >= b')).toMatchObject({
      status: 'killed',
      by: expect.stringContaining('less'),
    });
    expect(resultOf('a > b', 'a <= b')).toMatchObject({
      status: 'killed',
      why: 'Error: wrong',
    });
    expect(resultOf('at += 1', 'at -= 1')).toMatchObject({ status: 'hung' });
    expect(resultOf('at', 'false')).toMatchObject({ status: 'hung', why: 'it does not end' });
    expect(resultOf('a < b', 'a <= b')).toMatchObject({ status: 'survived' });
    expect(resultOf('`hello`', '``')).toMatchObject({ status: 'survived' });
    expect(resultOf('a === 0', 'true')).toMatchObject({ status: 'unreached' });
    expect(resultOf('"loaded"', '""')).toMatchObject({ status: 'killed' });

    function resultOf(original: string, replacement: string) {
      return results.find(({ mutant }) => mutant.original === original && mutant.replacement === replacement);
    }
  });

  test('are left untried when time is up', async () => {
    const results = await runMutants(
      copy,
      dryRun,
      { ...effort, until: performance.now() - 60_000 },
      () => {},
    );

    expect(new Set(results.map(({ status }) => status))).toEqual(new Set(['untried']));
  });
});
