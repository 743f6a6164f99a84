import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { everySuite, resolve } from '../vitest-settings.ts';

export default defineConfig({
  root: fileURLToPath(new URL('../..', import.meta.url)),
  resolve,
  test: {
    ...everySuite,
    include: ['test/package/*.test.ts'],
    globalSetup: ['test/package/packed.setup.ts'],
    pool: 'forks',
    fileParallelism: false,
    testTimeout: 300_000,
    hookTimeout: 600_000,
  },
});
