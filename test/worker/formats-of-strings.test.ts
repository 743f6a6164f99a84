import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { formatsOfStrings } from './formats-of-strings.ts';

/** Made by the code before keys had types. */
const before = JSON.parse(readFileSync(new URL('formats-of-strings.json', import.meta.url), 'utf8'));

test('messages and objects of a table whose keys are strings are as they were before keys had types', async () => {
  expect(before.messages.length + before.objects.length).toBeGreaterThan(5);
  expect(await formatsOfStrings()).toEqual(before);
});
