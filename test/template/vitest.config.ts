import { defineConfig } from 'vitest/config';
import { projectFolder } from '../../scripts/python-tools.ts';
import { ClosingLineReporter } from '../closing-line.reporter.ts';

export default defineConfig({
  root: projectFolder,
  test: {
    include: ['test/template/**/*.test.ts'],
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 120_000,
    hookTimeout: 240_000,
    reporters: ['default', new ClosingLineReporter()],
  },
});
