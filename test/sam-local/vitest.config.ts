import { defineConfig } from 'vitest/config';
import { projectFolder } from '../../scripts/python-tools.ts';
import { everySuite, resolve } from '../vitest-settings.ts';

export default defineConfig({
  root: projectFolder,
  resolve,
  test: {
    ...everySuite,
    include: ['test/sam-local/**/*.proof.ts'],
    pool: 'forks',
    fileParallelism: false,
    testTimeout: 120_000,
    hookTimeout: 300_000,
    reporters: everySuite.reporters,
  },
});
