import { defineConfig } from 'vitest/config';
import { projectFolder } from '../../scripts/python-tools.ts';
import { everySuite, resolve } from '../vitest-settings.ts';

/** What takes too long for `npm test`: `npm run test:operations`. */
export default defineConfig({
  root: projectFolder,
  resolve,
  test: {
    ...everySuite,
    include: ['test/operations/*.operations.ts'],
    pool: 'forks',
    maxWorkers: 2,
    // Minutes on two idle cores; a machine that is busy with other work takes its time.
    testTimeout: 900_000,
    hookTimeout: 600_000,
  },
});
