import { expect, test } from 'vitest';
import * as z from 'zod';
import { generatedItems } from '../../../src/develop/cost/generated-items.ts';
import { changesOfRule } from '../../../src/develop/cost/rule-changes.ts';
import { isCopyOf } from '../../../src/develop/cost/rule-items.ts';
import { defineKind, defineRule } from '../../../src/index.ts';
import { keyIn, keyText } from '../../../src/model/item.ts';
import { isOfKind } from '../../../src/model/kind.ts';
import type { Rule } from '../../../src/model/rule.ts';
import type { TableNames } from '../../../src/model/table-names.ts';
import { loadRules } from '../../fixtures/application/load-rules.ts';
import { authorOnPosts, post, postOnComments, blogTable as table } from '../../fixtures/testing/blog.ts';

const application = loadRules();

test.each<{ names: TableNames; rule: Rule }>([
  { names: table, rule: authorOnPosts },
  { names: table, rule: postOnComments },
  ...application.rules.map((rule) => ({ names: application.table, rule })),
])('roots and copies of $rule.name fit it', ({ names, rule }) => {
  const items = generatedItems(names, rule);
  const roots = items.roots(3);

  expect(new Set(roots.map((root) => keyText(keyIn(names, root)))).size).toBe(3);
  expect(roots.every((root) => isOfKind(names, rule.root, root))).toBe(true);
  for (const root of roots)
    for (const copy of items.copies(root, 3)) expect(isCopyOf(names, rule, root, copy)).toBe(true);
});

test('a location with room for many copies has as many as are asked for, with different keys', () => {
  const items = generatedItems(table, authorOnPosts);
  const [root = {}] = items.roots(1);
  const keys = items.copies(root, 40).map((copy) => keyText(keyIn(table, copy)));

  expect(new Set(keys).size).toBe(40);
});

test('copies of different roots have different keys', () => {
  const items = generatedItems(table, authorOnPosts);
  const copies = items.roots(4).flatMap((root) => items.copies(root, 5));

  expect(new Set(copies.map((copy) => keyText(keyIn(table, copy)))).size).toBe(20);
});

test('items are in the indexes whose keys their schemas list', () => {
  const items = generatedItems(table, postOnComments);
  const [root = {}] = items.roots(1);

  expect(root).toMatchObject({ author_pk: { S: expect.any(String) }, author_sk: { S: expect.any(String) } });
  expect(items.copies(root, 1)[0]).not.toHaveProperty('author_pk');
});

test('of roots that place their copies at one key, one is counted', () => {
  const { rules, table: names } = application;
  const rule = rules.find(({ name }) => name === 'order-on-user-order') ?? expect.fail('no such rule');
  const items = generatedItems(names, rule);

  const { changes } = changesOfRule(names, rule, items, {
    ...{ copies: 1, itemBytes: undefined, roots: 5, everySeconds: 10 },
  });

  expect(items.roots(5)).toHaveLength(5);
  expect(changes.after).toHaveLength(1);
});

test('a schema of which no value is known asks for examples', () => {
  const coded = defineKind({
    name: 'Coded',
    pk: 'code#{code}',
    sk: 'code',
    attributes: z.object({ code: z.string().regex(/^Q-\d{17}$/), rank: z.string() }),
  });
  const rule = defineRule({
    name: 'code-on-posts',
    root: coded,
    copy: post,
    reads: { root: ['code'], copy: ['author'] },
    located: { in: 'partition', at: ({ ids }) => ({ pk: `blog#${ids.code}` }) },
    rootOf: ({ ids }) => coded.key({ code: ids.blog }),
    derive: { title: ({ root }) => root.code },
    onDelete: 'keep',
    onExpire: 'keep',
  });

  expect(() => generatedItems(table, rule)).toThrow(
    "Expected to make values of 'code' of Coded from its schema, but it accepts none of those that were tried: add examples",
  );
});
