import { defineConfig } from 'vitest/config';
import { everySuite, resolve } from '../vitest-settings.ts';

/** What takes too long for `npm test`: `npm run crash`. */
export default defineConfig({
  resolve,
  test: {
    ...everySuite,
    include: ['test/crash/*.crash.ts'],
    testTimeout: 300_000,
  },
});
