import { expect, test } from 'vitest';
import { keysWithin, linkOfAggregate, linkOfRule } from '../../src/examples/links.ts';
import type { Item } from '../../src/model/items/item.ts';
import type { Rule } from '../../src/model/rules/rule.ts';
import { bound } from '../fixtures/model/bound.ts';
import { author, authorOnPosts, blogTable } from '../fixtures/testing/blog.ts';
import { aPost, aTagged, titleOnTagsThat } from '../fixtures/world/posts.ts';
import { likes } from '../simulation/likes-rules.ts';

const titles = titleOnTagsThat('delete');
const leads = (rule: Rule, copy: Item, root: Item) => linkOfRule(bound(rule))?.leads(copy, root);

test('each key of a list is a place of its own', () => {
  expect(linkOfRule(bound(titles))?.placesOf(aPost(['a', 'b']))).toEqual([
    { in: 'key', pk: 'TAG#a', sk: 'POST#1' },
    { in: 'key', pk: 'TAG#b', sk: 'POST#1' },
  ]);
});

test('a copy leads to the root that it names, if that places it there', () => {
  expect(leads(titles, aTagged('a'), aPost(['a']))).toBe(true);
  expect(leads(titles, aTagged('a'), aPost(['b']))).toBe(false);
  expect(leads(titles, aTagged('a'), aPost(['a'], 'one', '2'))).toBe(false);
});

test('a copy of an excluded root leads to it too', () => {
  const when = (answer: () => boolean): Rule => ({ ...titles, when: { root: answer } });
  const untold = when(() => {
    throw new Error('fails');
  });

  expect(
    leads(
      when(() => false),
      aTagged('a'),
      aPost(['a']),
    ),
  ).toBe(true);
  expect(leads(untold, aTagged('a'), aPost(['a']))).toBe(false);
});

test('a root that cannot say where its copies are has no place for one', () => {
  const { Tags, ...untagged } = aPost(['a']);

  expect(Tags).toBeDefined();
  expect(linkOfRule(bound(titles))?.placesOf(untagged)).toEqual([]);
  expect(leads(titles, aTagged('a'), untagged)).toBe(false);
});

test('a range that ends before it begins is no place', () => {
  const root = { pk: { S: 'author#1' }, sk: { S: 'profile' }, _type: { S: 'author' } };
  const at = (from: string, to: string): Rule => ({
    ...authorOnPosts,
    root: author,
    located: { in: 'index', index: blogTable.indexes.byAuthor, at: () => ({ pk: 'author#1', from, to }) },
  });

  expect(linkOfRule(bound(at('a', 'b'), blogTable))?.placesOf(root)).toHaveLength(1);
  expect(linkOfRule(bound(at('b', 'a'), blogTable))?.placesOf(root)).toEqual([]);
});

test('an item within a range has keys that the range leaves open', () => {
  const found = { in: 'index', index: 'by-author', pk: 'author#1', begins: 'post#' } as const;

  expect(keysWithin(blogTable, found, '7')).toEqual({
    author_pk: { S: 'author#1' },
    author_sk: { S: 'post#7' },
  });
});

test('a member of a ledger may be anywhere', () => {
  const { aggregates } = likes(1);
  const places = aggregates.map((one) => linkOfAggregate(one).placesOf({}));

  expect(places).toContainEqual([{ in: 'anywhere' }]);
});
