import { defineConfig } from 'vitest/config';
import { projectFolder } from '../../scripts/python-tools.ts';
import { everySuite, longer, resolve } from '../vitest-settings.ts';

/** `npm run test:page`: the page of `denorm dev` in Debian's chromium. */
export default defineConfig({
  root: projectFolder,
  resolve,
  test: {
    ...everySuite,
    ...longer,
    include: ['test/browser/*.test.ts'],
    // A browser takes a core to itself.
    maxWorkers: 1,
  },
});
