import { defineConfig } from 'vitest/config';

/** Of this project's own: without it, vitest takes one of a folder above. */
export default defineConfig({ test: { include: ['test/**/*.test.ts'] } });
