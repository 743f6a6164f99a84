import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { defineConfig, type Rule } from 'stream-denormalizer';
import { describeRule, type RuleExample } from 'stream-denormalizer/testing';
import { describe, expect, test } from 'vitest';
import { ticketStateKeys } from '../../fixtures/cruises/cruise-rules.ts';
import { table as cruiseTable } from '../../fixtures/model/table.ts';
import { titleOnTags, titleOnTagsThat } from '../../fixtures/posts/posts.ts';
import { author, authorOnPosts, blog, blogWith, post, postOnComments } from '../../fixtures/testing/blog.ts';

const authorItem = {
  ...{ pk: 'author#1', sk: 'profile', _type: 'author', name: 'Ann', email: 'ann@example.com' },
  ...{ joined: '2026-01-15', rank: 'staff', score: 12n },
};

const postItem = {
  ...{
    pk: 'blog#x',
    sk: 'post#1',
    _type: 'post',
    author: '1',
    author_name: 'Ann',
    rank: 'staff',
    title: 'One',
  },
  ...{ author_label: 'One by Ann (12)', published: 'draft', author_pk: 'author#1', author_sk: 'post#1' },
  tags: new Set(['a', 'b']),
};

const example: RuleExample = { root: authorItem, copies: [postItem], change: { name: 'Bea' } };

describeRule(blog, 'author-on-posts', {
  ...example,
  expected: { author_name: 'Bea', author_label: 'One by Bea (12)' },
  unconcerned: { email: 'bea@example.com' },
  others: [{ ...postItem, sk: 'post#2', author: '2', author_name: 'Cy' }],
  invalid: { score: undefined },
});

describeRule(blog, 'post-on-comments', {
  root: postItem,
  copies: [
    {
      pk: 'blog#x#comments',
      sk: '1#c',
      _type: 'comment',
      title: 'One',
      published: 'draft',
      weight: { value: '1e2' },
    },
  ],
  change: { title: 'Two' },
});

const commentsGo = { ...postOnComments, name: 'comments-go', copies: [] };
const aComment = { pk: 'blog#x#comments', sk: '1#c', _type: 'comment', text: 'One' };

describeRule(blogWith([commentsGo]), 'comments-go', {
  ...{ root: postItem, copies: [aComment], change: {}, onDelete: 'delete', onExpire: 'delete' },
  others: [{ ...aComment, sk: '2#c' }],
});

const staffOnPosts = {
  ...authorOnPosts,
  reads: { root: ['name', 'score', 'rank'], copy: ['author', 'title'] },
  when: { root: (root: Readonly<Record<string, unknown>>) => root['rank'] === 'staff' },
} satisfies Rule;

for (const onDelete of ['keep', 'clear', 'delete'] as const)
  describeRule(blogWith([{ ...staffOnPosts, onDelete }]), 'author-on-posts', {
    ...example,
    excluded: { rank: 'guest' },
  });

describe('an example of a rule with when', () => {
  const config = blogWith([staffOnPosts]);

  test.each<[string, Partial<RuleExample>, string]>([
    [
      'has no root for which it is false',
      {},
      'Expected excluded, a change after which when is false for root',
    ],
    [
      'takes another for one',
      { excluded: { name: 'Cy' } },
      'Expected when to be false for root after excluded',
    ],
    [
      'changes its root to one for which it is false',
      { change: { rank: 'guest' }, excluded: { rank: 'guest' } },
      'Expected when to be true for root after change, found false',
    ],
  ])('%s', async (_, given, sentence) => {
    const { failures } = await failuresOf(config, 'author-on-posts', { ...example, ...given });

    expect(failures.get('has an example that fits it')).toContain(sentence);
  });

  test('must not be impure or return something else', async () => {
    const when = { root: (root: Readonly<Record<string, unknown>>) => root['rank'] as boolean };
    const { failures } = await failuresOf(blogWith([{ ...staffOnPosts, when }]), 'author-on-posts', example);

    expect([...failures.values()].join()).toContain(
      'when.root gives a value of type string: return true or false',
    );
  });
});

describe('an example that does not fit', () => {
  test.each<[string, Partial<RuleExample>, string]>([
    ['a root without a key', { root: { name: 'Ann' } }, 'Expected root with the key attributes pk and sk'],
    [
      'a root of another kind',
      { root: { ...authorItem, sk: 'x' } },
      "Expected root to be a Author (pk like 'author#{author}'",
    ],
    ['a root of another type', { root: { ...authorItem, _type: 'post' } }, 'and the _type "post"'],
    ['no copies', { copies: [] }, 'Expected a copy of the root in copies, found none'],
    [
      'a copy of another root',
      { copies: [{ ...postItem, author: '2' }] },
      'found {"pk":"author#2","sk":"profile"}',
    ],
    [
      'a copy that names no root',
      { copies: [{ ...postItem, author: undefined }] },
      'give copies[0] the attributes that rootOf reads (author, title)',
    ],
    [
      'a copy at another location',
      { copies: [{ ...postItem, author_pk: 'author#9' }] },
      'Expected located.at to find copies[0] ({"pk":"blog#x","sk":"post#1"})',
    ],
    [
      'a copy that says something else',
      { copies: [{ ...postItem, rank: 'guest' }] },
      'but rank is "guest" instead of "staff"',
    ],
    [
      'a change that changes no copy',
      { change: { email: 'x@example.com' } },
      'Expected a change that changes copies',
    ],
  ])('is told by a sentence: %s', async (_, given, sentence) => {
    const { failures } = await failuresOf(blog, 'author-on-posts', { ...example, ...given });

    expect(failures.get('has an example that fits it')).toContain(sentence);
  });

  test('a root that is its own copy is told that it lacks what the rule derives', async () => {
    const config = defineConfig({ table: cruiseTable, rules: [ticketStateKeys] });
    const root = { Part: 'TICKET#1', Sort: 'TICKET', Kind: 'Ticket', Status: 'PAID', SoldAt: '2026-01-01' };
    const { failures } = await failuresOf(config, 'ticket-state-keys', { root, change: { Status: 'VOID' } });

    expect(failures.get('has an example that fits it')).toContain(
      'Expected root to have what ticket-state-keys derives from it before the change, but',
    );
  });

  test('a rule of another name is told the names', () => {
    expect(() => describeRule(blog, 'authors-on-posts', example)).toThrow(
      "Expected the name of a rule of the config (author-on-posts, post-on-comments), got 'authors-on-posts'",
    );
  });
});

describe('a wrong rule', () => {
  const spec = { ...authorOnPosts, root: author, copy: post } as const;
  const calls: string[] = [];

  test.each<[string, Partial<Rule>, Partial<RuleExample>, string, string]>([
    [
      'derives something else than expected',
      {},
      { expected: { author_name: 'bea' } },
      'updates copies when their root changes, and touches nothing else',
      'author_name is "Bea" instead of "bea"',
    ],
    [
      'deletes what is to be kept',
      { onDelete: 'delete' },
      { onDelete: 'keep' },
      'follows onDelete when the root is deleted',
      '{"pk":"blog#x","sk":"post#1"} is gone',
    ],
    [
      'takes an unconcerned change for one of its own',
      {},
      { unconcerned: { rank: 'guest' } },
      'requests nothing when a change does not concern it',
      'correct unconcerned, or reads',
    ],
    [
      'is not pure',
      { derive: { author_name: () => String(calls.push('once more')) } },
      {},
      'has pure functions: the same items give the same result',
      'derive.author_name gives two results for the same items',
    ],
  ])('%s', async (_, change, given, title, sentence) => {
    const config = blogWith([{ ...spec, ...change }, postOnComments]);
    const { failures } = await failuresOf(config, 'author-on-posts', { ...example, ...given });

    expect(failures.get(title)).toContain(sentence);
  });

  test('that reads what it does not declare is told what to add', async () => {
    const reads = { root: ['name'], copy: ['author', 'title'] };
    const config = blogWith([{ ...authorOnPosts, reads }]);
    const { failures } = await failuresOf(config, 'author-on-posts', example);

    expect(failures.get('has pure functions: the same items give the same result')).toContain(
      "Rule author-on-posts reads 'score' of its root without declaring it: add it to reads.root",
    );
  });
});

test('every promise is kept or broken by its own test', async () => {
  const { titles, failures } = await failuresOf(blog, 'author-on-posts', {
    ...example,
    invalid: { score: 'x' },
  });

  expect(titles).toHaveLength(11);
  expect([...failures]).toEqual([]);
});

test('the suite runs under node:test', async () => {
  const file = new URL('../../fixtures/testing/node-test-rules.ts', import.meta.url).pathname;
  const { VITEST: _, ...env } = process.env;
  const { stdout } = await promisify(execFile)(process.execPath, ['--test', '--test-reporter=tap', file], {
    env,
  });

  expect(stdout).toContain('ok 1 - author-on-posts, as every rule,');
  expect(stdout).toContain('# fail 0');
});

/** Runs a conformance suite and tells which of its tests fail, and with what. */
async function failuresOf(
  config: typeof blog,
  rule: string,
  given: RuleExample,
): Promise<{ titles: string[]; failures: Map<string, string> }> {
  const tests: [string, () => Promise<void>][] = [];
  describeRule(config, rule, given, {
    describe: (_, body) => body(),
    test: (title, body) => tests.push([title, body]),
  });
  const failures = new Map<string, string>();
  for (const [title, body] of tests)
    await body().catch((error: unknown) => failures.set(title, error instanceof Error ? error.message : ''));
  return { titles: tests.map(([title]) => title), failures };
}

const tagging = {
  root: { Part: 'POST#1', Sort: 'POST', Kind: 'Post', Title: 'One', Tags: ['a', 'b'] },
  copies: ['a', 'b'].map((tag) => ({ Part: `TAG#${tag}`, Sort: 'POST#1', Kind: 'TaggedPost', Title: 'One' })),
  change: { Title: 'Two' },
};
describeRule(
  defineConfig({ table: cruiseTable, rules: [titleOnTagsThat('clear')] }),
  'title-on-tags',
  tagging,
);
describeRule(defineConfig({ table: cruiseTable, rules: [titleOnTags] }), 'title-on-tags', tagging);

// A copy that is made again has only what the rule writes.
for (const onDelete of ['keep', 'clear', 'delete'] as const)
  describeRule(
    defineConfig({
      table: cruiseTable,
      rules: [
        {
          ...titleOnTagsThat(onDelete, 'keep', true),
          reads: { root: ['Tags', 'Views'], copy: [] },
          when: { root: (root: Readonly<Record<string, unknown>>) => root['Views'] !== 0 },
        },
      ],
    }),
    'title-on-tags',
    {
      ...tagging,
      root: { ...tagging.root, Views: 1 },
      copies: tagging.copies.map((copy) => ({ ...copy, Pinned: true })),
      excluded: { Views: 0 },
    },
  );
