import { expect, test } from 'vitest';
import { allPages } from '../../../src/model/basics/all-pages.ts';

async function reading(nexts: readonly unknown[]): Promise<number> {
  const left = [...nexts];
  let pages = 0;
  for await (const _ of allPages({ of: 'archive', what: 'archive/' }, async () => ({ next: left.shift() })))
    pages += 1;
  return pages;
}

test('pages are read until one names no next page', async () => {
  expect(await reading([{ pk: 'a' }, { pk: 'b' }, undefined, 'never read'])).toBe(3);
});

test.each([[['a', 'a', 'b']], [[{ pk: 'a' }, { pk: 'a' }]]])(
  'pages of a server that names the same next page again end with an error: %j',
  async (nexts) => {
    await expect(reading(nexts)).rejects.toMatchObject({
      code: 'archive.cut-off',
      message:
        'Expected each page of archive/ to name a later one, got the same again: check that the server pages as AWS does',
    });
  },
);
