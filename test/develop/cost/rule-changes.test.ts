import { describe, expect, test } from 'vitest';
import {
  changesOfRule,
  type RuleChanges,
  type RuleChangesOptions,
} from '../../../src/develop/cost/rule-changes.ts';
import { givenItems, isCopyOf, type RuleItems } from '../../../src/develop/cost/rule-items.ts';
import type { Item } from '../../../src/model/item.ts';
import { keyIn, keyText } from '../../../src/model/item.ts';
import { itemSize } from '../../../src/model/item-size.ts';
import type { Rule } from '../../../src/model/rule.ts';
import type { TableNames } from '../../../src/model/table-names.ts';
import { incidentOnParticipations } from '../../../src/rules/incident-on-participations.ts';
import { orderStatusKeys } from '../../../src/rules/order-status-keys.ts';
import { table as applicationTable } from '../../../src/table.ts';
import { authorOnPosts, postOnComments, blogTable as table } from '../../fixtures/testing/blog.ts';
import { ada, firstComment, postBy } from './blog-stack.ts';

const options: RuleChangesOptions = { copies: 3, itemBytes: undefined, roots: 20, everySeconds: 120 };

function changesOf(
  rule: Rule,
  root: Item,
  copy: Item | undefined,
  more: Partial<RuleChangesOptions> = {},
  names: TableNames = table,
): RuleChanges {
  return changesOfRule(names, rule, givenItems(names, rule, root, copy), { ...options, ...more });
}

describe('copies that are made from one', () => {
  test('have keys of their own, name the same root, and are where the rule looks', () => {
    const { changes, copies } = changesOf(authorOnPosts, ada, postBy('ada'));
    const [, ...posts] = changes.before;

    expect(copies).toBe(3);
    expect(new Set(posts.map((post) => keyText(keyIn(table, post)))).size).toBe(3);
    expect(posts.every((post) => isCopyOf(table, authorOnPosts, ada, post))).toBe(true);
  });

  test('differ in an id that does not tell their root', () => {
    const { changes } = changesOf(postOnComments, postBy('ada'), firstComment);

    expect(changes.before.slice(1).map((comment) => keyIn(table, comment))).toEqual([
      { pk: 'blog#engines#comments', sk: 'notes#1' },
      { pk: 'blog#engines#comments', sk: 'notes#11' },
      { pk: 'blog#engines#comments', sk: 'notes#12' },
    ]);
  });

  test('equal their root before the change', () => {
    const { changes } = changesOf(
      authorOnPosts,
      ada,
      postBy('ada', { author_name: 'Augusta', rank: 'guest' }),
    );

    for (const post of changes.before.slice(1))
      expect(post).toMatchObject({ author_name: { S: 'Ada' }, rank: { S: 'staff' } });
  });
});

describe('the attribute that changes', () => {
  test('is one that is only copied, before one that is read', () => {
    const { attribute, changes } = changesOf(authorOnPosts, ada, postBy('ada'));

    expect(attribute).toBe('rank');
    expect(changesOf({ ...authorOnPosts, copies: ['name', 'rank'] }, ada, postBy('ada')).attribute).toBe(
      'rank',
    );
    expect(changes.after).toHaveLength(1);
    expect(changes.after[0]?.['rank']).not.toEqual(ada['rank']);
    expect({ ...changes.after[0], rank: ada['rank'] }).toEqual(ada);
  });

  test('is one that is read, where nothing is copied', () => {
    const derived = { ...authorOnPosts, copies: [] };

    expect(changesOf(derived, ada, postBy('ada')).attribute).toBe('name');
  });

  test('leaves the keys of an index alone, and what names the root, if another can', () => {
    const { attribute } = changesOf(incidentOnParticipations, incident, participation, {}, applicationTable);

    expect(attribute).toBe('Title');
  });

  test('of a root that is its own copy leaves it to the worker to follow', () => {
    const order = {
      ...{ PK: { S: 'ORDER#1' }, SK: { S: 'METADATA' }, Type: { S: 'Order' } },
      ...{ Status: { S: 'PAID' }, CreatedAt: { S: '2026-01-15' } },
    };
    const { attribute, copies, changes } = changesOf(
      orderStatusKeys(1),
      order,
      undefined,
      {},
      applicationTable,
    );

    expect([attribute, copies]).toEqual(['Status', 1]);
    expect(changes.before).toEqual([
      { ...order, GSI2PK: { S: 'STATUS#PAID' }, GSI2SK: { S: 'ORDER#2026-01-15' } },
    ]);
    expect(changes.after[0]).toMatchObject({ Status: { S: 'PAIx' }, GSI2PK: { S: 'STATUS#PAID' } });
  });
});

describe('padded items', () => {
  test('have the size that was asked for', () => {
    const { changes, copyBytes } = changesOf(authorOnPosts, ada, postBy('ada'), { itemBytes: 1024 });

    expect(copyBytes).toBe(1024);
    expect(changes.before.map(itemSize)).toEqual([1024, 1024, 1024, 1024]);
  });

  test('have it too where the rule copies the padding', () => {
    const { changes } = changesOf(
      incidentOnParticipations,
      incident,
      participation,
      { itemBytes: 2048 },
      applicationTable,
    );
    const [root, first] = changes.before;

    expect(itemSize(first ?? {})).toBe(2048);
    expect(first?.['Padding']).toEqual(root?.['Padding']);
  });

  test('are as large as that after the change, if it makes them larger', () => {
    const items = givenItems(table, authorOnPosts, ada, postBy('ada'));
    const promoted = { ...items, otherValues: () => [{ S: 'editor in chief' }] };

    const { changes, copyBytes } = changesOfRule(table, authorOnPosts, promoted, {
      ...options,
      itemBytes: 1024,
    });

    expect(copyBytes).toBe(1024);
    expect(itemSize(changes.before[1] ?? {})).toBe(1024 - ('editor in chief'.length - 'staff'.length));
  });

  test('stay as they are if they are larger', () => {
    const { changes } = changesOf(authorOnPosts, ada, postBy('ada'), { itemBytes: 10 });

    expect(changes.before[0]).toEqual(ada);
  });
});

test('a change that would move copies is not made', () => {
  const byRank: Rule = {
    ...authorOnPosts,
    ...{ copies: [], reads: { root: ['rank', 'name'], copy: ['author'] } },
    located: {
      ...{ in: 'index', index: table.indexes.byAuthor },
      at: (root) => ({ pk: `rank#${String(root['rank'])}`, begins: 'post#' }),
    },
    derive: { author_name: ({ root }) => `${String(root['name'])}, ${String(root['rank'])}` },
  };

  const items = givenItems(table, byRank, ada, postBy('ada', { author_pk: 'rank#staff' }));
  const others: RuleItems = {
    ...items,
    otherValues: (_, name) => [{ S: name === 'rank' ? 'guest' : 'Eve' }],
  };

  expect(changesOfRule(table, byRank, others, options).attribute).toBe('name');
});

test('a root of which no change concerns the rule is refused', () => {
  const { rank: _, name: __, score: ___, ...bare } = ada;
  const ranked = { ...authorOnPosts, derive: {}, reads: { root: [], copy: ['author'] } };

  expect(() => changesOf(ranked, bare, postBy('ada'))).toThrow(
    'Expected a root of which another value of an attribute changes copies and leaves them where they are to count author-on-posts with, got none',
  );
});

const said = {
  ...{ ID: { S: 'inc_1' }, Title: { S: 'Errors' }, Status: { S: 'TRIGGERED' }, State: { S: 'OPEN' } },
  ...{ Number: { N: '1' }, CreatedAt: { N: '1614194921' }, UpdatedAt: { N: '1614194921' } },
};
const incident = { PK: { S: 'acct_1#inc' }, SK: { S: 'inc_1' }, ...said };
const participation = {
  ...{ PK: { S: 'acct_1#inc_1#incpart' }, SK: { S: 'user_1' }, ...said, ParticipantID: { S: 'user_1' } },
  ...{ GSI1PK: { S: 'acct_1#user_1#incpart' }, GSI1SK: { S: 'OPEN#2021-02-24T19:28:41Z' } },
};
