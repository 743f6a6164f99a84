import { defineConfig } from 'vitest/config';
import { projectFolder } from '../../scripts/python-tools.ts';
import { ClosingLineReporter } from '../closing-line.reporter.ts';

export default defineConfig({
  root: projectFolder,
  test: {
    include: ['test/sam-local/**/*.proof.ts'],
    pool: 'forks',
    fileParallelism: false,
    testTimeout: 120_000,
    hookTimeout: 300_000,
    reporters: ['verbose', new ClosingLineReporter()],
  },
});
