import { defineArchive, defineConfig } from 'stream-denormalizer';
import { type ArchiveExample, describeArchive } from 'stream-denormalizer/testing';
import { describe, expect, test } from 'vitest';
import { blog, blogTable, comment, post } from '../fixtures/testing/blog.ts';
import { suiteRun } from './suite-run.ts';

const item = {
  ...{ pk: 'blog#x', sk: 'post#1', _type: 'post', title: 'One', published: '2026-01-15T09:30:00Z' },
  ...{ views: 12345678901234567890n, tags: new Set(['a']) },
};

const example: ArchiveExample = {
  item,
  others: [{ pk: 'author#1', sk: 'profile', _type: 'author', name: 'Ann' }],
  aged: new Date('2027-01-16'),
  young: new Date('2027-01-14'),
};

describeArchive(blog, 'archive-posts', example);

for (const policy of [
  { onDelete: 'keep', layout: 'batch' },
  { onDelete: 'erase' },
  { onDelete: 'archive' },
] as const)
  describeArchive(
    defineConfig({
      table: blogTable,
      rules: [],
      archives: [defineArchive({ name: 'archive-all', kinds: [post, comment], ...policy })],
    }),
    'archive-all',
    { item },
  );

describe('an example that does not fit an archive rule', () => {
  test.each<[string, Partial<ArchiveExample>, string, string]>([
    [
      'an item of another kind',
      { item: { pk: 'author#1', sk: 'profile' } },
      'has an example that fits it',
      'Expected item to be a Post, found the key {"pk":"author#1","sk":"profile"}',
    ],
    [
      'another item that is archived',
      { others: [{ ...item, sk: 'post#2' }] },
      'does not archive others[0]',
      'Expected others[0] not to be archived by archive-posts',
    ],
    [
      'an item that is not aged at that time',
      { aged: new Date('2026-02-01') },
      'lets the item expire when it has aged',
      'Expected the item to be aged at 2026-02-01T00:00:00.000Z, found it young',
    ],
    [
      'a text for a time',
      // @ts-expect-error as a test in JavaScript may give it
      { aged: '2027-01-16' },
      'lets the item expire when it has aged',
      "Expected aged to be a Date, such as new Date('2026-11-01'), found string",
    ],
    [
      'an item without a time',
      { item: { ...item, published: 'soon' } },
      'leaves the item alone while it is young',
      "found it unclassified: Expected attribute 'published' of Post",
    ],
  ])('is told by a sentence: %s', async (_, given, title, sentence) => {
    const { failures } = await suiteRun((runner) =>
      describeArchive(blog, 'archive-posts', { ...example, ...given }, runner),
    );

    expect(failures.get(title)).toContain(sentence);
  });

  test('a rule without ages is tested without aged and young', async () => {
    const archives = [defineArchive({ name: 'archive-all', kinds: [post] })];
    const config = defineConfig({ table: blogTable, rules: [], archives });
    const { failures } = await suiteRun((runner) => {
      describeArchive(config, 'archive-all', example, runner);
    });

    expect(failures.get('lets the item expire when it has aged')).toContain(
      'Expected aged only for a rule with ages, and archive-all has none: leave aged out, or add ages',
    );
    expect(failures.get('leaves the item alone while it is young')).toContain('leave young out');
  });

  test('a rule of another name is told the names', () => {
    expect(() => describeArchive(blog, 'archive-authors', example)).toThrow(
      "Expected the name of an archive rule of the config (archive-posts), got 'archive-authors'",
    );
  });
});
