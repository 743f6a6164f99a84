import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { defineConfig, type Rule } from 'stream-denormalizer';
import { describeRule, type RuleExample } from 'stream-denormalizer/testing';
import { describe, expect, test } from 'vitest';
import { table as worldTable } from '../fixtures/model/table.ts';
import { author, authorOnPosts, blog, blogWith, post, postOnComments } from '../fixtures/testing/blog.ts';
import { orders } from '../fixtures/testing/other-keys.ts';
import { titleOnTags, titleOnTagsThat } from '../fixtures/world/posts.ts';
import { orderStateKeys } from '../fixtures/world/rules.ts';
import { suiteRun } from './suite-run.ts';

const authorItem = {
  ...{ pk: 'author#1', sk: 'profile', _type: 'author', name: 'Ann', email: 'ann@example.com' },
  ...{ joined: '2026-01-15', rank: 'staff', score: 12n },
};

const postItem = {
  ...{ pk: 'blog#x', sk: 'post#1', _type: 'post', author: '1', author_name: 'Ann' },
  ...{ rank: 'staff', title: 'One' },
  ...{ author_label: 'One by Ann (12)', published: 'draft', author_pk: 'author#1', author_sk: 'post#1' },
  tags: new Set(['a', 'b']),
};

const aComment = { pk: 'blog#x#comments', sk: '1#c', _type: 'comment', text: 'One' };

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
  copies: [{ ...aComment, title: 'One', published: 'draft', weight: { value: '1e2' } }],
  change: { title: 'Two' },
});

describeRule(orders, 'receipts', {
  root: { pk: 'ORDERS#1', at: 12345678901234567890n, kind: 'order', total: 1, status: 'closed' },
  copies: [{ pk: 'RECEIPTS#1', at: 12345678901234567890n, kind: 'receipt', total: 1 }],
  ...{ change: { total: 2 }, excluded: { status: 'open' } },
});

const commentsGo = { ...postOnComments, name: 'comments-go', copies: [] };

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

const fits = 'has an example that fits it';
const isPure = 'has pure functions: the same items give the same result';
const withWhen = blogWith([staffOnPosts]);
const calls: string[] = [];
const rankOf = (root: Readonly<Record<string, unknown>>) => root['rank'] as boolean;

function blogLike(change: Partial<Rule>) {
  return blogWith([{ ...authorOnPosts, root: author, copy: post, ...change }, postOnComments]);
}

describe('a test of the suite fails with a sentence', () => {
  test.each<
    [why: string, title: string, sentence: string, given: Partial<RuleExample>, config?: typeof blog]
  >([
    [
      'no root without when',
      fits,
      'Expected excluded, a change after which when is false for root',
      {},
      withWhen,
    ],
    [
      'another root for one without when',
      fits,
      'Expected when to be false for root after excluded',
      { excluded: { name: 'Cy' } },
      withWhen,
    ],
    [
      'a change to a root without when',
      fits,
      'Expected when to be true for root after change, found false',
      { change: { rank: 'guest' }, excluded: { rank: 'guest' } },
      withWhen,
    ],
    [
      'a root without a key',
      fits,
      'Expected root with the key attributes pk and sk',
      { root: { name: 'Ann' } },
    ],
    [
      'a root of another kind',
      fits,
      "Expected root to be an Author (pk like 'author#{author}'",
      { root: { ...authorItem, sk: 'x' } },
    ],
    ['a root of another type', fits, 'and the _type "post"', { root: { ...authorItem, _type: 'post' } }],
    ['no copies', fits, 'Expected a copy of the root in copies, found none', { copies: [] }],
    [
      'a copy of another root',
      fits,
      'found {"pk":"author#2","sk":"profile"}',
      { copies: [{ ...postItem, author: '2' }] },
    ],
    [
      'a copy that names no root',
      fits,
      'give copies[0] the attributes that rootOf reads (author, title)',
      { copies: [{ ...postItem, author: undefined }] },
    ],
    [
      'a copy at another location',
      fits,
      'Expected located.at to find copies[0] ({"pk":"blog#x","sk":"post#1"})',
      { copies: [{ ...postItem, author_pk: 'author#9' }] },
    ],
    [
      'a copy that says something else',
      fits,
      'but rank is "guest" instead of "staff"',
      { copies: [{ ...postItem, rank: 'guest' }] },
    ],
    [
      'a change that changes no copy',
      fits,
      'Expected a change that changes copies',
      { change: { email: 'x@example.com' } },
    ],
    [
      'something else than expected',
      'updates copies when their root changes, and touches nothing else',
      'author_name is "Bea" instead of "bea"',
      { expected: { author_name: 'bea' } },
    ],
    [
      'an unconcerned change that concerns the rule',
      'requests nothing when a change does not concern it',
      'correct unconcerned, or reads',
      { unconcerned: { rank: 'guest' } },
    ],
    [
      'a rule that deletes what is to be kept',
      'follows onDelete when the root is deleted',
      '{"pk":"blog#x","sk":"post#1"} is gone',
      { onDelete: 'keep' },
      blogLike({ onDelete: 'delete' }),
    ],
    [
      'a rule that is not pure',
      isPure,
      'derive.author_name gives two results for the same items',
      {},
      blogLike({ derive: { author_name: () => String(calls.push('once more')) } }),
    ],
    [
      'a when that returns something else',
      isPure,
      'when.root gives a value of type string: return true or false',
      {},
      blogWith([{ ...staffOnPosts, when: { root: rankOf } }]),
    ],
  ])('for %s', async (_, title, sentence, given, config = blog) => {
    const { failures } = await runOf(config, { ...example, ...given });

    expect(failures.get(title)).toContain(sentence);
  });

  test('for a root that is its own copy and lacks what the rule derives', async () => {
    const config = defineConfig({ table: worldTable, rules: [orderStateKeys] });
    const root = { Part: 'ORDER#1', Sort: 'ORDER', Kind: 'Order', Status: 'PAID', CreatedAt: '2026-01-01' };
    const { failures } = await runOf(config, { root, change: { Status: 'VOID' } }, 'order-state-keys');

    expect(failures.get(fits)).toContain(
      'Expected root to have what order-state-keys derives from it before the change, but',
    );
  });
});

test('a rule of another name is told the names', () => {
  expect(() => describeRule(blog, 'authors-on-posts', example)).toThrow(
    "Expected the name of a rule of the config (author-on-posts, post-on-comments), got 'authors-on-posts'",
  );
});

test('every promise is kept or broken by its own test', async () => {
  const { titles, failures } = await runOf(blog, { ...example, invalid: { score: 'x' } });

  expect(titles).toHaveLength(7);
  expect([...failures]).toEqual([]);
});

test('the suite runs under node:test', async () => {
  const file = new URL('../fixtures/testing/node-test-rules.ts', import.meta.url).pathname;
  const { VITEST: _, ...env } = process.env;
  const { stdout } = await promisify(execFile)(process.execPath, ['--test', '--test-reporter=tap', file], {
    env,
  });

  expect(stdout).toContain('ok 1 - author-on-posts, as every rule,');
  expect(stdout).toContain('# fail 0');
});

function runOf(config: typeof blog, given: RuleExample, rule = 'author-on-posts') {
  return suiteRun((runner) => describeRule(config, rule, given, runner));
}

const tagging = {
  root: { Part: 'POST#1', Sort: 'POST', Kind: 'Post', Title: 'One', Tags: ['a', 'b'] },
  copies: ['a', 'b'].map((tag) => ({ Part: `TAG#${tag}`, Sort: 'POST#1', Kind: 'TaggedPost', Title: 'One' })),
  change: { Title: 'Two' },
};

describeTagging(titleOnTagsThat('clear'));
describeTagging(titleOnTags);

// A copy that is made again has only what the rule writes.
for (const onDelete of ['keep', 'clear', 'delete'] as const) {
  const reads = { root: ['Tags', 'Views'], copy: [] };
  const when = { root: (root: Readonly<Record<string, unknown>>) => root['Views'] !== 0 };
  describeTagging(
    { ...titleOnTagsThat(onDelete, 'keep', true), reads, when },
    {
      root: { ...tagging.root, Views: 1 },
      copies: tagging.copies.map((copy) => ({ ...copy, Pinned: true })),
      excluded: { Views: 0 },
    },
  );
}

function describeTagging(rule: Rule, given: Partial<RuleExample> = {}): void {
  describeRule(defineConfig({ table: worldTable, rules: [rule] }), rule.name, { ...tagging, ...given });
}
