import { describe, expect, test } from 'vitest';
import { exampleChanges } from '../../src/examples/example-changes.ts';
import { type Item, keyed, keyIn, keyText } from '../../src/model/items/item.ts';
import { itemSize } from '../../src/model/items/item-size.ts';
import type { TableNames } from '../../src/model/items/table-names.ts';
import { isOfKind } from '../../src/model/kinds/kind.ts';
import type { BoundRule } from '../../src/model/rules/bound-rule.ts';
import type { Rule } from '../../src/model/rules/rule.ts';
import { planCopies } from '../../src/plan/plan-copy.ts';
import { loadRules } from '../fixtures/application/load-rules.ts';
import { bound } from '../fixtures/model/bound.ts';
import { authorOnPosts, postOnComments, blogTable as table } from '../fixtures/testing/blog.ts';
import { orders, players } from '../fixtures/testing/other-keys.ts';

const application = loadRules();
const [ofOrders, ofPlayers] = [orders.registry(), players.registry()];

const [onPosts, onComments] = [bound(authorOnPosts, table), bound(postOnComments, table)];

function changeOf(rule: BoundRule, copies = 3, bytes = 1024, index = 0) {
  return exampleChanges(rule, bytes).change(copies, index);
}

function plansOf(rule: BoundRule, names: TableNames, root: Item, copies: readonly Item[]) {
  const { key: rootKey } = keyed(names, root);
  const snapshot = { rule, rootKey, root, cause: 'changed', locations: [] } as const;
  return planCopies(snapshot, { copies: copies.map((copy) => keyed(names, copy)), missing: [] }).map(
    ({ is }) => is,
  );
}

describe.each<{ names: TableNames; rule: BoundRule }>([
  ...[onPosts, onComments].map((rule) => ({ names: table, rule })),
  ...[application, ofOrders, ofPlayers].flatMap(({ table: names, rules }) =>
    rules.map((rule) => ({ names, rule })),
  ),
])('a root and copies of $rule.name', ({ names, rule }) => {
  const { before = {}, after, others } = changeOf(rule, 3, 1024, 0);

  test('are equal before the change, and differ after it', () => {
    const [was, is] = rule.located.in === 'itself' ? [[before], [after]] : [others, others];

    expect(isOfKind(rule.root, before)).toBe(true);
    expect(new Set(plansOf(rule, names, before, was))).toEqual(new Set(['unchanged']));
    expect(new Set(plansOf(rule, names, after, is))).toEqual(new Set(['update']));
  });

  test('have keys of their own, and roots of several changes too', () => {
    const next = changeOf(rule, 3, 1024, 1);
    const keys = [before, ...others, next.after].map((item) => keyText(keyIn(names, item)));

    expect(new Set(keys).size).toBe(keys.length);
  });
});

test('a location with room for many copies has as many as are asked for', () => {
  for (const { table: names, rules } of [{ table, rules: [onPosts] }, ofOrders, ofPlayers]) {
    const { others, fanOut } = changeOf(rules[0] ?? onPosts, 40, 1024, 0);

    expect(fanOut).toBe(40);
    expect(new Set(others.map((copy) => keyText(keyIn(names, copy)))).size).toBe(40);
  }
});

test('items are in the indexes whose keys their schemas list', () => {
  const { before, others } = changeOf(onComments);

  expect(before).toMatchObject({
    author_pk: { S: expect.any(String) },
    author_sk: { S: expect.any(String) },
  });
  expect(others[0]).not.toHaveProperty('author_pk');
});

describe('the attribute that changes', () => {
  test('is one that is only copied, before one that is read', () => {
    const { attribute, before = {}, after } = changeOf(onPosts);

    expect(attribute).toBe('rank');
    expect(changeOf(bound({ ...authorOnPosts, copies: ['name', 'rank'] }, table)).attribute).toBe('rank');
    expect(after['rank']).not.toEqual(before['rank']);
    expect({ ...after, rank: before['rank'] }).toEqual(before);
  });

  test('is one that is read, where nothing is copied', () => {
    expect(changeOf(bound({ ...authorOnPosts, copies: [] }, table)).attribute).toBe('name');
  });

  test('leaves the keys of an index alone, and what names the root, if another can', () => {
    const rule = application.rules.find(({ name }) => name === 'incident-on-participations');

    expect(rule && changeOf(rule, 3, 1024, 0).attribute).toBe('Title');
  });

  test('is none of which a change would move copies', () => {
    const byRank: Rule = {
      ...authorOnPosts,
      ...{ copies: [], reads: { root: ['rank', 'name'], copy: ['author'] } },
      located: {
        ...{ in: 'index', index: table.indexes.byAuthor },
        at: (root) => ({ pk: `rank#${String(root['rank'])}`, begins: 'post#' }),
      },
      derive: { author_name: ({ root }) => `${String(root['name'])}, ${String(root['rank'])}` },
    };

    expect(changeOf(bound(byRank, table)).attribute).toBe('name');
  });

  test('is missed in a sentence', () => {
    const bare = { ...authorOnPosts, copies: [], derive: {}, reads: { root: [], copy: ['author'] } };

    expect(() => changeOf(bound(bare, table))).toThrow(
      'Expected to make a root of which another value of an attribute changes copies and leaves them where they are that shows author-on-posts, but found none: add examples',
    );
  });
});

describe('padded items', () => {
  test('have the size that was asked for', () => {
    const { itemBytes, before = {}, others } = changeOf(onPosts);

    expect(itemBytes).toBe(1024);
    for (const item of [before, ...others]) expect(Math.abs(itemSize(item) - 1024)).toBeLessThan(20);
  });

  test('have the padding of their root where the rule copies it', () => {
    const rule = application.rules.find(({ name }) => name === 'incident-on-participations');
    const { before, others } = changeOf(rule ?? expect.fail('no rule'), 3, 2048, 0);

    expect(others[0]?.['Padding']).toEqual(before?.['Padding']);
    expect(itemSize(others[0] ?? {})).toBeLessThanOrEqual(2048);
    expect(itemSize(others[0] ?? {})).toBeGreaterThan(1900);
  });

  test('stay as they are if they are larger', () => {
    expect(changeOf(onPosts, 3, 10).before).not.toHaveProperty('Padding');
  });
});
