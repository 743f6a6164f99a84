import { defineConfig } from 'vitest/config';
import { ClosingLineReporter } from '../closing-line.reporter.ts';

/** What takes too long for `npm test`: `npm run crash`. */
export default defineConfig({
  test: {
    include: ['test/crash/*.crash.ts'],
    testTimeout: 300_000,
    reporters: ['default', new ClosingLineReporter()],
  },
});
