import { fileURLToPath } from 'node:url';
import { ClosingLineReporter } from './closing-line.reporter.ts';

const inRepository = (path: string) => fileURLToPath(new URL(`../${path}`, import.meta.url));

/** `stream-denormalizer` is this repository's sources. */
export const resolve = {
  alias: [
    { find: /^stream-denormalizer$/, replacement: inRepository('src/index.ts') },
    { find: 'stream-denormalizer/cdk', replacement: inRepository('src/deploy/cdk/denormalizer.ts') },
    { find: 'stream-denormalizer/lambda', replacement: inRepository('src/worker/lambda/index.ts') },
    { find: 'stream-denormalizer/read', replacement: inRepository('src/read/index.ts') },
    { find: 'stream-denormalizer/testing', replacement: inRepository('src/testing/index.ts') },
  ],
};

/** For the settings `test` of every suite. */
export const everySuite = {
  // In a zone whose day is never UTC's between 10:00 and 24:00, a day that is taken from the local time is found.
  env: { DENORM_CONFIG: inRepository('denorm.config.ts'), TZ: 'Pacific/Kiritimati' },
  reporters: ['default', new ClosingLineReporter()],
};
