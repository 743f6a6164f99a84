import { defineConfig } from 'vitest/config';
import { projectFolder } from '../scripts/python-tools.ts';
import { testFiles } from './test-files.ts';
import { everySuite, longer, resolve } from './vitest-settings.ts';

/** `npm run test:cli`: the tests that start programs as a user would, wherever they are. */
export default defineConfig({
  root: projectFolder,
  resolve,
  test: { ...everySuite, ...longer, include: testFiles.commands },
});
