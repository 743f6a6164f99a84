import { defineConfig } from 'vitest/config';
import { projectFolder } from '../scripts/python-tools.ts';
import { testFiles } from './test-files.ts';
import { everySuite, longer, resolve } from './vitest-settings.ts';

/** `npm run test:long`: what takes long by itself, such as a thousand seeds. */
export default defineConfig({
  root: projectFolder,
  resolve,
  test: { ...everySuite, ...longer, include: testFiles.long },
});
