import { defineConfig } from 'vitest/config';
import { everySuite, resolve } from '../vitest-settings.ts';

/** What takes too long for `npm test`: `npm run test:archive`. */
export default defineConfig({
  resolve,
  test: {
    ...everySuite,
    include: ['test/archive-proofs/*.proof.ts'],
    // Each file has a process of its own: the peak of memory that it prints is its own.
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 1_800_000,
    hookTimeout: 120_000,
  },
});
