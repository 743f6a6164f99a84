import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { defineKind } from '../../../src/model/kinds/define-kind.ts';
import { type AnyKind, bindKinds, isOfKind } from '../../../src/model/kinds/kind.ts';
import { aging, defineArchive, predicate } from '../../../src/model/rules/archive-rule.ts';
import { defineConfig } from '../../../src/model/rules/config.ts';
import { defineAggregate } from '../../../src/model/rules/define-aggregate.ts';
import { defineRule } from '../../../src/model/rules/define-rule.ts';
import { count } from '../../../src/model/rules/reducers.ts';
import { archivedAs } from '../../../src/model/rules/registry.ts';
import { item } from '../../fixtures/model/items.ts';
import { ByOwner, table } from '../../fixtures/model/table.ts';
import { workerAfter } from '../../fixtures/world/world.ts';
import { refusal } from '../../suites/refusal.ts';

function kind(name: string, pk: string, sk: string, type?: string): AnyKind {
  return defineKind({ name, pk, sk, ...(type !== undefined && { type }), attributes: z.object({}) });
}

/** The kinds that an item is of. */
function kindsOf(
  pk: string,
  sk: string,
  type: string | undefined,
  ...kinds: readonly AnyKind[]
): readonly string[] {
  const found = item({ Part: pk, Sort: sk, Kind: type });
  return kinds.map(bindKinds(table, kinds)).flatMap((one) => (isOfKind(one, found) ? one.name : []));
}

describe('an item whose key fits two kinds', () => {
  const post = kind('Post', 'BLOG#{blog}', 'POST#{post}');
  const comment = kind('Comment', 'BLOG#{blog}', 'POST#{post}#COMMENT#{comment}');
  const reply = kind('Reply', 'BLOG#{blog}', 'POST#{post}#COMMENT#{comment}#REPLY#{reply}');

  test.each([
    ['POST#1', ['Post']],
    ['POST#1#COMMENT#2', ['Comment']],
    ['POST#1#COMMENT#2#REPLY#3', ['Reply']],
    ['POST#1#REPLY#3', ['Post']],
  ])('is of the most specific one: %s', (sk, expected) => {
    expect(kindsOf('BLOG#b', sk, undefined, post, comment, reply)).toEqual(expected);
    expect(kindsOf('BLOG#b', sk, undefined, reply, post, comment)).toEqual(expected);
  });

  test.each([
    ['one part is text', kind('A', 'A#{a}', '{b}'), kind('B', 'A#{a}', 'B'), 'A#1', 'B', ['B']],
    ['an id is in both parts', kind('A', '{a}', '{b}'), kind('B', '{a}', '{a}'), '1', '1', ['B']],
    [
      'neither is more specific',
      kind('A', 'A#{a}', '{b}'),
      kind('B', '{a}', 'B#{b}'),
      'A#1',
      'B#1',
      ['A', 'B'],
    ],
    ['both have one pattern', kind('A', 'A#{a}', 'S'), kind('B', 'A#{b}', 'S'), 'A#1', 'S', ['A', 'B']],
  ])('is told by its key if %s', (_, one, other, pk, sk, expected) => {
    expect(kindsOf(pk, sk, undefined, one, other)).toEqual(expected);
    expect(kindsOf(pk, sk, undefined, other, one).toSorted()).toEqual(expected);
  });

  test.each([
    ['Comment', ['Comment']],
    ['Post', ['Any']],
    [undefined, ['Any']],
  ])('is told by its type, if one has it: %s', (type, expected) => {
    const typed = kind('Comment', 'BLOG#{blog}', 'POST#{post}#COMMENT#{comment}', 'Comment');
    const any = kind('Any', 'BLOG#{blog}', '{any}');

    expect(kindsOf('BLOG#b', 'POST#1#COMMENT#2', type, typed, any)).toEqual(expected);
    expect(kindsOf('BLOG#b', 'POST#1', 'Comment', typed, any)).toEqual(['Any']);
  });

  test.each([
    ['Note', ['Note']],
    ['Other', ['Any']],
  ])('is of the one with a type if their keys are alike: %s', (type, expected) => {
    expect(kindsOf('N#1', 'N', type, kind('Any', 'N#{n}', 'N'), kind('Note', 'N#{n}', 'N', 'Note'))).toEqual(
      expected,
    );
  });
});

test('a number is more specific than any number, and so is a whole one', () => {
  const numbers = [kind('Zero', '0', 'S'), kind('Any', '{n:number}', 'S'), kind('Whole', '{n:bigint}', 'S')];
  const narrower = numbers.map(bindKinds(table, numbers)).map((one) => one.narrower.map(({ name }) => name));

  expect(narrower).toEqual([[], ['Zero', 'Whole'], ['Zero']]);
});

describe('a project', () => {
  const post = defineKind({
    name: 'Post',
    pk: 'POST#{post}',
    sk: '{part}',
    attributes: z.object({ Title: z.string().optional() }),
  });
  const comment = defineKind({
    name: 'Comment',
    pk: 'POST#{post}#COMMENT#{comment}',
    sk: 'COMMENT',
    attributes: z.object({ Title: z.string().optional() }),
  });
  const author = defineKind({
    name: 'Author',
    pk: 'AUTHOR#{author}',
    sk: 'AUTHOR',
    attributes: z.object({ Title: z.string().optional(), Posts: z.number().optional() }),
  });
  const titleOnPosts = defineRule({
    name: 'title-on-posts',
    root: author,
    copy: post,
    located: { in: 'index', index: ByOwner, at: ({ ids }) => ({ pk: ids.author }) },
    rootOf: () => author.key({ author: 'ada' }),
    copies: ['Title'],
    onDelete: 'delete',
    onExpire: 'delete',
  });
  const postsOfAuthor = defineAggregate({
    name: 'posts-of-author',
    of: post,
    on: author,
    members: [{ in: 'index', index: ByOwner, at: ({ ids }) => ({ pk: ids.author }) }],
    targetsOf: () => [author.key({ author: 'ada' })],
    computes: { Posts: count() },
  });
  const archivePosts = defineArchive({
    name: 'archive-posts',
    kinds: [post, author],
    when: [predicate(post, { reads: [], item: () => true })],
    ages: aging(author, {
      ...{ reads: [], when: () => true, since: () => 0, days: 1, found: { in: 'scan' } },
      with: [{ kind: post, at: () => ({ in: 'partition', pk: 'POST#1' }) }],
    }),
  });
  const rules = [titleOnPosts];
  const aggregates = [postsOfAuthor];
  const archives = [archivePosts];
  const config = defineConfig({ table, rules, aggregates, archives, kinds: [comment] });
  const ada = item({ Part: 'AUTHOR#ada', Sort: 'AUTHOR', Title: 'Dr.' });
  const owned = { OwnerPart: 'ada', OwnerSort: 'x', Sort: 'COMMENT' };
  const aPost = item({ Part: 'POST#1', ...owned });
  const aComment = item({ Part: 'POST#1#COMMENT#2', ...owned });

  test('takes no item of a kind that it only lists for a copy or a member', async () => {
    const worker = await workerAfter([ada, aPost, aComment], config.registry());

    expect(worker.table.read({ pk: 'POST#1', sk: 'COMMENT' })).toMatchObject({ Title: { S: 'Dr.' } });
    expect(worker.table.read({ pk: 'POST#1#COMMENT#2', sk: 'COMMENT' })).toEqual(aComment);
    expect(worker.table.read({ pk: 'AUTHOR#ada', sk: 'AUTHOR' })).toMatchObject({ Posts: { N: '1' } });

    worker.table.delete({ pk: 'AUTHOR#ada', sk: 'AUTHOR' });
    await worker.rest();

    expect(worker.table.items()).toEqual([aComment]);
  });

  test('archives no such item, whatever rules are disabled', () => {
    const registry = config.registry({ disabled: ['title-on-posts', 'posts-of-author'] });

    expect(archivedAs(registry, aPost)?.kind.name).toBe('Post');
    expect(archivedAs(registry, aComment)).toBeUndefined();
    expect(registry.archives[0]?.when[0]?.kind).toBe(registry.archives[0]?.kinds[0]);
    expect(registry.archives[0]?.ages?.with[0]?.kind).toBe(registry.archives[0]?.kinds[0]);
  });

  test('has each kind once, bound to the table, in all that names it', () => {
    const registry = defineConfig({ table, rules, aggregates, archives }).registry();
    const [ofAuthor, ofPost] = registry.kinds;

    expect(registry.kinds).toMatchObject([author, post].map(({ name }) => ({ name, table })));
    expect(registry.aggregates[0]?.on).toBe(ofAuthor);
    expect(registry.archives[0]?.kinds[0]).toBe(ofPost);
  });

  test('is refused if a listed kind has the name of another, or fits no key', () => {
    const listing = (listed: AnyKind) => defineConfig({ table, rules, kinds: [listed] });

    expect(refusal(() => listing(kind('Post', 'OTHER', 'OTHER')).registry())).toMatchObject({
      code: 'kind.twice',
    });
    expect(refusal(() => listing(kind('Other', '{n:number}', 'OTHER')).registry())).toMatchObject({
      code: 'kind.key',
    });
  });

  test('is refused if the items of a ledger would be taken for a kind that it only lists', () => {
    const all = kind('All', '{pk}', '{sk}');
    const ledger = { ...postsOfAuthor, ledger: { shards: 1 } };

    expect(
      refusal(() => defineConfig({ table, rules, aggregates: [ledger], kinds: [all] }).registry()),
    ).toMatchObject({ code: 'rule.no-ledger' });
  });
});
