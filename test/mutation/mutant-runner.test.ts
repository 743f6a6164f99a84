import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { mutatedFolders } from './folders.ts';
import { dryRun, runMutants } from './mutant-runner.ts';
import type { DryRunResult } from './requests.ts';
import { createSandbox, type Sandbox } from './sandbox.ts';

/** A small repository, in which each function is tested in another way. */
const files = {
  'package.json': '{ "type": "module" }',
  'template.yaml': '',
  'denorm.config.ts': '',
  'src/plan/sum.ts': [
    'export const isLess = (a: number, b: number): boolean => a < b;',
    'export const isUnseen = (a: number): boolean => a === 0;',
    'export const isMore = (a: number, b: number): boolean => a > b;',
    'export const countTo = (end: number): number => { let at = 0; while (at !== end) at += 1; return at; };',
    'export const greeting = (): string => `hello`;',
    'export const settle = (at: boolean): Promise<void> => new Promise((done) => { if (at) done(); });',
    'const word = "loaded";',
    'export const loaded = (): number => word.length;',
  ].join('\n'),
  'test/plan/sum.test.ts': [
    "import { describe, expect, test } from 'vitest';",
    "import { countTo, greeting, isLess, loaded, settle } from '../../src/plan/sum.ts';",
    "describe('sums', () => {",
    "  test('less', () => { expect([isLess(1, 2), isLess(2, 1)]).toEqual([true, false]); });",
    "  test('count', () => { expect(countTo(3)).toBe(3); });",
    "  test('settles', async () => { await settle(true); });",
    "  test('greets', () => { expect(typeof greeting()).toBe('string'); });",
    "  test('loads', () => { expect(loaded()).toBe(6); });",
    '});',
  ].join('\n'),
  'test/plan/mocks.test.ts': "import { vi } from 'vitest';\nvi.mock('x');",
  'test/plan/red.test.ts':
    "import { expect, test } from 'vitest';\ntest('red', () => { expect(1).toBe(2); });",
  'test/simulation/run.ts': [
    "import { isMore } from '../../src/plan/sum.ts';",
    "export const run = async () => ({ violations: isMore(2, 1) && !isMore(1, 2) ? [] : [{ what: 'wrong' }] });",
  ].join('\n'),
};

let repository = '';
let sandbox: Sandbox;
let dry: DryRunResult;
const options = { seeds: 2, workers: 2, until: Number.POSITIVE_INFINITY };

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
  sandbox = await createSandbox(repository, ['src/plan'], () => true);
  dry = await dryRun(sandbox.folder, options);
}, 180_000);

afterAll(() => {
  sandbox.remove();
  rmSync(repository, { recursive: true, force: true });
  expect(existsSync(sandbox.folder)).toBe(false);
});

describe('without a mutant', () => {
  test('tests and seeds pass, and failing ones are named', () => {
    expect(dry.tests.map(({ name }) => name)).toEqual([
      'test/plan/sum.test.ts > sums > less',
      'test/plan/sum.test.ts > sums > count',
      'test/plan/sum.test.ts > sums > settles',
      'test/plan/sum.test.ts > sums > greets',
      'test/plan/sum.test.ts > sums > loads',
      'seed 1',
      'seed 2',
    ]);
    expect(dry.failing).toEqual([expect.stringContaining('test/plan/red.test.ts > red')]);
    expect(dry.leftOut).toEqual([expect.stringContaining('test/plan/mocks.test.ts')]);
  });
});

describe('mutants', () => {
  test('are killed by tests, by seeds or by a timeout, survive, or are not covered', {
    timeout: 180_000,
  }, async () => {
    const results = await runMutants(sandbox, dry, options, () => {});

    expect(resultOf('a < b', 'a >= b')).toMatchObject({
      status: 'killed',
      killedBy: expect.stringContaining('less'),
    });
    expect(resultOf('a > b', 'a <= b')).toMatchObject({ status: 'killed', reason: 'Error: wrong' });
    expect(resultOf('at += 1', 'at -= 1')).toMatchObject({ status: 'timeout' });
    expect(resultOf('at', 'false')).toMatchObject({ status: 'timeout', reason: 'it does not end' });
    expect(resultOf('a < b', 'a <= b')).toMatchObject({ status: 'survived' });
    expect(resultOf('`hello`', '``')).toMatchObject({ status: 'survived' });
    expect(resultOf('a === 0', 'true')).toMatchObject({ status: 'not covered' });
    expect(resultOf('"loaded"', '""')).toMatchObject({ status: 'killed' });

    function resultOf(original: string, replacement: string) {
      return results.find(({ mutant }) => mutant.original === original && mutant.replacement === replacement);
    }
  });

  test('do not run when time is up', async () => {
    const results = await runMutants(
      sandbox,
      dry,
      { ...options, until: performance.now() - 60_000 },
      () => {},
    );

    expect(new Set(results.map(({ status }) => status))).toEqual(new Set(['not run']));
  });
});
