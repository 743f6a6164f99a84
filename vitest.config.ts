import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { testFiles } from './test/test-files.ts';
import { everySuite, resolve } from './test/vitest-settings.ts';

const { commands, long, replacingModules, withMoreThanNpm } = testFiles;
const elsewhere = [...withMoreThanNpm, ...commands, ...long];

/** `npm test`. */
export default defineConfig({
  resolve,
  test: {
    ...everySuite,
    // Processes, not threads: tests start servers, and signals and exit codes are per process.
    pool: 'forks',
    // Vitest leaves a core to itself, which is half of a machine with two; files that wait for a server leave room for
    // another.
    maxWorkers: Math.max(3, availableParallelism()),
    testTimeout: 60_000,
    hookTimeout: 60_000,
    projects: [
      {
        extends: true,
        test: {
          name: 'shared',
          include: ['test/**/*.test.ts'],
          exclude: [...elsewhere, ...replacingModules],
          // To load every module anew for each file would take twice as long as the tests.
          isolate: false,
        },
      },
      { extends: true, test: { name: 'isolated', include: replacingModules } },
    ],
  },
});
