import { defineConfig } from 'vitest/config';
import { projectFolder } from '../../scripts/python-tools.ts';
import { everySuite, resolve } from '../vitest-settings.ts';

export default defineConfig({
  root: projectFolder,
  resolve,
  test: {
    ...everySuite,
    include: ['test/template/**/*.test.ts'],
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 120_000,
    hookTimeout: 240_000,
  },
});
