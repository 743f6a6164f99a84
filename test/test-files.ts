import { globSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

const repository = fileURLToPath(new URL('..', import.meta.url));

/** These need Python (npm run setup:sam), a registry or a browser, and have configurations of their own. */
const withMoreThanNpm = [
  'test/cdk/**',
  'test/deployed/**',
  'test/libraries/**',
  'test/package/**',
  'test/browser/**',
  'test/servers/**',
  'test/template/**',
  'test/terraform/**',
];

/**
 * These take long by themselves: many operations, whole commands on large tables, items of 400 KB, every schedule.
 * Once in CI is enough: what breaks them breaks them every time, and few changes can. They start in this order, the longest first.
 */
const long = [
  'test/worker/lambda/large-items.test.ts',
  'test/docs/costs.test.ts',
  'test/operations/small-table.test.ts',
  'test/dev/many-day-totals.test.ts',
  'test/bench/bench.test.ts',
  'test/bench/scale.test.ts',
  'test/simulator/exhaustive.test.ts',
  'test/mutation/mutant-runner.test.ts',
  // It measures a pace: the others are over, or almost.
  'test/bench/pace.test.ts',
];

const files = globSync('test/**/*.test.ts', { cwd: repository, exclude: withMoreThanNpm })
  .map((path) => path.split(sep).join('/'))
  .sort();
const text = (path: string) => readFileSync(join(repository, path), 'utf8');

/**
 * The tests that need nothing but npm: each of them is run by just one command.
 * - `commands` start programs as a user would: `npm run suite cli`;
 * - `long`: `npm run suite long`;
 * - `npm test` runs all others.
 */
export const testFiles = {
  commands: files.filter(
    (path) => !long.includes(path) && /\/(denorm|screen)\.ts'|bin\/(denorm|node-24)\.mjs/.test(text(path)),
  ),
  long,
  withMoreThanNpm,
  /** Of those that `npm test` runs: they replace modules, so that they share none with other files. */
  replacingModules: files.filter((path) => !long.includes(path) && /\bvi\.(doMock|mock)\(/.test(text(path))),
};
