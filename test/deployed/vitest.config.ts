import { defineConfig } from 'vitest/config';
import { projectFolder } from '../../scripts/python-tools.ts';
import { everySuite, resolve } from '../vitest-settings.ts';

export default defineConfig({
  root: projectFolder,
  resolve,
  test: {
    ...everySuite,
    include: ['test/deployed/**/*.test.ts'],
    globalSetup: ['test/deployed/deployed-stack.setup.ts'],
    pool: 'forks',
    // One emulator serves them all: beside one another they would only wait for it.
    fileParallelism: false,
    testTimeout: 120_000,
    hookTimeout: 240_000,
  },
});
