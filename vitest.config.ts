import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { everySuite, resolve } from './test/vitest-settings.ts';

export default defineConfig({
  resolve,
  test: {
    ...everySuite,
    include: ['test/**/*.test.ts'],
    // These need Python (npm run setup:sam) or a registry, and have configurations of their own.
    exclude: ['test/deployed/**', 'test/package/**', 'test/template/**'],
    // Processes, not threads: tests start servers and spawn the CLI, and signals and exit codes are per process.
    pool: 'forks',
    // Vitest leaves a core to itself, which is half of a machine with two; files that wait for a server, or for a command
    // that they have started, leave room for another.
    maxWorkers: Math.max(3, availableParallelism()),
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
