import { describe, expect, test } from 'vitest';
import { rulesOfChange } from '../../src/explain/rules-of-change.ts';
import { type Item, keyOf } from '../../src/model/items/item.ts';
import type { Aggregate } from '../../src/model/rules/aggregate.ts';
import { defineArchive, predicate } from '../../src/model/rules/archive-rule.ts';
import type { Registry } from '../../src/model/rules/registry.ts';
import { aDay, salesOfDay } from '../fixtures/world/days.ts';
import {
  aMembership,
  anIncident,
  anOrder,
  aParticipation,
  aTeam,
  aUser,
  aUserOrder,
} from '../fixtures/world/items.ts';
import { incident, order, team } from '../fixtures/world/kinds.ts';
import { aPost, aTagged, titleOnTags } from '../fixtures/world/posts.ts';
import { orderThatIsValid, world } from '../fixtures/world/rules.ts';
import { aContender, aMatch, contenderTotals } from '../fixtures/world/totals.ts';
import { registryOf } from '../fixtures/world/world.ts';

type Image = Item | undefined;

function explained(registry: Registry, before: Image, after: Image, expired = false) {
  const key = keyOf(registry.table, after ?? before ?? {}) ?? { pk: '', sk: '' };
  return rulesOfChange(registry, { key, before, after, sequence: 1n, expired, at: undefined });
}

/** What a rule says of a change: its role, what it asks for, and the sentence. */
function says(registry: Registry, name: string, before: Image, after: Image, expired = false): string[] {
  return explained(registry, before, after, expired)
    .filter(({ rule }) => rule === name)
    .map(({ as, asks, why }) => `${as}, ${asks}: ${why}`);
}

test('an item that its schema refuses is told apart from one on which a function fails', () => {
  const registry = world();
  const [text] = says(registry, membership, undefined, { ...aMembership('u'), UserId: { N: '1' } });

  expect(text).toMatch(
    /^copy, nothing: its UserId is not what the schema of Membership accepts; dead-lettered/,
  );
});

type Case = readonly [says: string, rule: string, before: Image, after: Image];

/** Names of rules. */
const participations = 'incident-on-participations';
const membership = 'username-on-memberships';
const users = 'order-on-user-order';
const keys = 'order-state-keys';
const totals = 'contender-totals';

const annulled = anOrder({ Status: 'ANNULLED' });
const left = aMembership('p', { Name: 'x', UserId: '2', OwnerSort: 'SERVER#q', Role: 'cook' });

describe('a rule says in a sentence', () => {
  test.each<Case>([
    ['root, propagation: it is new to the rule', membership, undefined, aUser()],
    [
      'root, propagation: Lead, State changed',
      participations,
      anIncident(),
      anIncident({ State: 'X', Lead: undefined, EndsAt: 1 }),
    ],
    [
      'root, propagation: its type is another one now; its copies are deleted',
      'order-on-user-order',
      anOrder(),
      anOrder({ Kind: 'Void' }),
    ],
    [
      'copy, nothing: its type is another one now',
      membership,
      aMembership('p'),
      aMembership('p', { Kind: 'Passage' }),
    ],
    ['root, propagation: it was deleted; its copies are deleted', participations, anIncident(), undefined],
    ['root, nothing: it was removed, and the rule keeps what it wrote', membership, aUser(), undefined],
    ['copy, check: it is new to the rule', 'team-name-on-incidents', undefined, anIncident()],
    ['copy, check: Name, OwnerSort, UserId changed', membership, aMembership('p'), left],
    [
      'copy, nothing: nothing that the rule copies, computes, reads or finds it by differs',
      membership,
      aMembership('p'),
      aMembership('p', { Role: 'cook' }),
    ],
    ['copy, nothing: it was removed', membership, aMembership('p'), undefined],
    [
      'copy, nothing: it names no root: never written; it has no value of UserId',
      membership,
      undefined,
      aMembership('p', { UserId: undefined }),
    ],
    ['itself, nothing: it is what the rule says', keys, anOrder(), anOrder({ Total: 1 })],
    [
      'itself, propagation: StatePart, StateSort not what the rule says',
      keys,
      anOrder(),
      anOrder({ Status: 'USED', StateSort: undefined }),
    ],
  ])('%s', (expected, rule, before, after) => {
    expect(says(world(), rule, before, after)).toEqual([expected]);
  });

  test('that a root has expired, which its rule may keep', () => {
    expect(says(world(), participations, anIncident(), undefined, true)).toEqual([
      'root, propagation: it has expired; its copies are deleted',
    ]);
    expect(says(world(), users, anOrder(), undefined, true)).toEqual([
      'root, nothing: it was removed, and the rule keeps what it wrote',
    ]);
  });

  test('nothing of an item of other kinds', () => {
    expect(says(world(), keys, undefined, aUser())).toEqual([]);
  });

  test.each<Case>([
    ['root, propagation: Status changed; when is false: its copies are deleted', users, anOrder(), annulled],
    ['root, nothing: when is false for it', users, { ...annulled, UserId: { NULL: true } }, undefined],
  ])('of what when excludes: %s', (expected, rule, before, after) => {
    expect(says(world(orderThatIsValid('delete')), rule, before, after)).toEqual([expected]);
  });

  test.each<Case>([
    ['member, propagation: it is new to the rule', totals, undefined, aMatch('a', 'b')],
    [
      'member, propagation: HomePoints, OwnerSort, Votes changed',
      totals,
      aMatch('a', 'b'),
      aMatch('a', 'b', { HomePoints: 3, Votes: 1, OwnerSort: 'AWAY#x', Referee: 'S' }),
    ],
    ['member, propagation: it was removed', totals, aMatch('a', 'b'), undefined],
    [
      'member, nothing: it names no target; it has no value of Rival',
      totals,
      undefined,
      aMatch('a', 'b', { Rival: undefined }),
    ],
    [
      'target, check: Matches changed',
      totals,
      aContender('a', { Matches: 1 }),
      aContender('a', { Matches: 2, Name: 'x' }),
    ],
    ['target, nothing: it was removed', totals, aContender('a', { Matches: 1 }), undefined],
  ])('of an aggregate: %s', (expected, rule, before, after) => {
    expect(says(registryOf(contenderTotals), rule, before, after)).toEqual([expected]);
  });

  test.each<[says: string, before: Image, after: Image]>([
    ['target, check: it was removed; if it has members, it is made again', aDay('mon'), undefined],
    ['target, check: its type is another one now', aDay('mon'), aDay('mon', { Kind: 'Holiday' })],
    ['target, check: Note changed', aDay('mon', { Note: 'x' }), aDay('mon')],
  ])('of an aggregate that creates its targets: %s', (expected, before, after) => {
    expect(says(registryOf(salesOfDay('delete')), 'sales-of-day', before, after)).toEqual([expected]);
  });
});

test('a copy names its root, and a created one the root that it has lost', () => {
  const creating = registryOf(titleOnTags);
  const root = { pk: 'POST#1', sk: 'POST' };

  expect(explained(creating, undefined, aTagged('a'))).toMatchObject([
    { as: 'copy', because: 'new', of: [root] },
  ]);
  expect(explained(creating, aTagged('a'), undefined)).toMatchObject([
    { asks: 'check', because: 'lost', of: [root] },
  ]);
  expect(explained(creating, undefined, aPost(['a']))).toMatchObject([{ as: 'root', of: [] }]);
});

test('an item that is member and target has a line for each', () => {
  const unions: Aggregate = { ...contenderTotals, of: contenderTotals.on, reads: { member: [], target: [] } };
  const lines = (targetsOf: Aggregate['targetsOf']) =>
    explained(registryOf({ ...unions, targetsOf }), undefined, aContender('a', { Matches: 1 })).map(
      ({ as, because, of }) => [as, because, of.length],
    );

  expect(lines(() => [{ pk: 'CONTENDER#z', sk: 'CONTENDER' }])).toEqual([
    ['member', 'new', 1],
    ['target', 'new', 0],
  ]);
  expect(lines(() => [])[0]).toEqual(['member', 'nowhere', 0]);
  expect(lines(() => 7 as never)[0]).toEqual(['member', 'failed', 0]);
});

describe('of the archive', () => {
  const soon = { EndsAt: 4102444800 };
  const failing = predicate(team, {
    reads: [],
    item: () => {
      throw new Error('a secret');
    },
  });
  const archives = registryOf(
    defineArchive({
      ...{ name: 'archive-incidents', kinds: [incident] },
      when: [predicate(incident, { reads: ['State'], item: ({ State }) => State === 'OPEN' })],
    }),
    defineArchive({ name: 'archive-orders', kinds: [order], onDelete: 'erase' }),
    defineArchive({ name: 'archive-teams', kinds: [team], onDelete: 'archive', when: [failing] }),
  );

  test.each<Case>([
    ['item, archive: it has an expiry', 'archive-incidents', anIncident(), anIncident(soon)],
    ['item, nothing: it has no expiry', 'archive-incidents', undefined, anIncident()],
    [
      'item, nothing: it was removed, and the rule keeps what it wrote',
      'archive-incidents',
      anIncident(),
      undefined,
    ],
    ['item, archive: it was deleted: its archived states are erased', 'archive-orders', anOrder(), undefined],
    [
      'item, nothing: when is false for it',
      'archive-incidents',
      undefined,
      anIncident({ ...soon, State: 'CLOSED' }),
    ],
  ])('%s', (expected, rule, before, after) => {
    expect(says(archives, rule, before, after)).toEqual([expected]);
  });

  test('an item that has expired is archived', () => {
    expect(says(archives, 'archive-orders', anOrder(soon), undefined, true)).toEqual([
      'item, archive: it has expired',
    ]);
  });

  test('an item on which when fails is archived and dead-lettered', () => {
    expect(explained(archives, aTeam(), undefined)).toMatchObject([
      { asks: 'archive', because: 'deleted', fault: expect.stringMatching(/^rule\.threw/) },
    ]);
    expect(explained(archives, aParticipation('g'), aUserOrder())).toEqual([]);
  });
});
