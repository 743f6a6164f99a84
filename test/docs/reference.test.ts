import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { referenceText } from '../../scripts/reference-text.ts';

test('docs/reference.md is what `node bin/node-24.mjs scripts/reference.ts` writes', () => {
  const written = readFileSync(new URL('../../docs/reference.md', import.meta.url), 'utf8');

  expect(referenceText()).toBe(written);
});
