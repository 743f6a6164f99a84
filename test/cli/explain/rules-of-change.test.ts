import { describe, expect, test } from 'vitest';
import { rulesOfChange } from '../../../src/cli/explain/rules-of-change.ts';
import type { Aggregate } from '../../../src/model/aggregate.ts';
import { defineArchive } from '../../../src/model/archive-rule.ts';
import { defineRule } from '../../../src/model/define-rule.ts';
import { type Item, keyOf } from '../../../src/model/item.ts';
import { predicate } from '../../../src/model/predicate.ts';
import { makeRegistry, type Registry } from '../../../src/model/registry.ts';
import {
  aBooking,
  aCrewing,
  aFleet,
  aGuestTicket,
  aSailor,
  aTicket,
  aVoyage,
} from '../../fixtures/cruises/cruise-items.ts';
import { booking, fleet, ticket, voyage } from '../../fixtures/cruises/cruise-kinds.ts';
import { cruises, ticketThatIsValid } from '../../fixtures/cruises/cruise-rules.ts';
import { aClub, aGame, clubTotals, league } from '../../fixtures/league/league.ts';
import { table } from '../../fixtures/model/table.ts';
import { aPost, aTagged, posts, titleOnTags } from '../../fixtures/posts/posts.ts';

function explained(registry: Registry, before: Item | undefined, after: Item | undefined, expired = false) {
  const key = keyOf(registry.table, after ?? before ?? {}) ?? { pk: '', sk: '' };
  return rulesOfChange(registry, { key, before, after, sequence: 1n, expired, at: undefined });
}

/** What a rule says of a change: its role, what it asks for, and the sentence. */
function says(
  registry: Registry,
  name: string,
  ...change: [Item | undefined, Item | undefined, boolean?]
): string[] {
  return explained(registry, ...change)
    .filter(({ rule }) => rule === name)
    .map(({ as, asks, why }) => `${as}, ${asks}: ${why}`);
}

type Case = readonly [
  name: string,
  rule: string,
  before: Item | undefined,
  after: Item | undefined,
  says: string[],
];

const registry = cruises();
const same = 'nothing that the rule copies, computes, reads or finds it by differs';
const fresh = 'it is seen as new';

describe('a root', () => {
  test.each<Case>([
    ['is new', 'name-on-crew', undefined, aSailor(), [`root, propagation: ${fresh}`]],
    [
      'differs',
      'voyage-on-bookings',
      aVoyage(),
      aVoyage({ State: 'CLOSED', Captain: undefined, EndsAt: 1 }),
      ['root, propagation: its images differ in State, Captain'],
    ],
    ['is the same', 'name-on-crew', aSailor(), aSailor({ Rank: 'captain' }), [`root, nothing: ${same}`]],
    [
      'is deleted',
      'voyage-on-bookings',
      aVoyage(),
      undefined,
      ['root, propagation: it was deleted; its copies are deleted'],
    ],
    [
      'is deleted, and its copies stay',
      'name-on-crew',
      aSailor(),
      undefined,
      ['root, nothing: it was removed, and the rule keeps what it wrote'],
    ],
    [
      'is of another type',
      'name-on-crew',
      aSailor(),
      aSailor({ Kind: 'Cook' }),
      ['root, nothing: its type is another one now'],
    ],
    ['does not concern a rule for other kinds', 'ticket-state-keys', undefined, aSailor(), []],
  ])('%s', (_, rule, before, after, expected) => {
    expect(says(registry, rule, before, after)).toEqual(expected);
  });

  test('that has expired is told from one that was deleted', () => {
    expect(says(registry, 'voyage-on-bookings', aVoyage(), undefined, true)).toEqual([
      'root, propagation: it has expired; its copies are deleted',
    ]);
    expect(says(registry, 'ticket-on-guest-ticket', aTicket(), undefined, true)).toEqual([
      'root, nothing: it was removed, and the rule keeps what it wrote',
    ]);
  });

  test('for which when is false loses its copies; one that lost them before asks for nothing', () => {
    const annulled = aTicket({ Status: 'ANNULLED' });
    const excluding = cruises(ticketThatIsValid('delete'));

    expect(says(excluding, 'ticket-on-guest-ticket', aTicket(), annulled)).toEqual([
      'root, propagation: its images differ in Status; when is false: its copies are deleted',
    ]);
    expect(
      says(excluding, 'ticket-on-guest-ticket', { ...annulled, GuestId: { NULL: true } }, undefined),
    ).toEqual(['root, nothing: when is false for it']);
  });
});

describe('a copy', () => {
  test.each<Case>([
    ['is new', 'name-on-crew', undefined, aCrewing('p'), [`copy, check: ${fresh}`]],
    [
      'differs in what the rule copies, reads or finds it by',
      'name-on-crew',
      aCrewing('p'),
      aCrewing('p', { Name: 'x', SailorId: '2', OwnerSort: 'SHIP#q', Duty: 'cook' }),
      ['copy, check: its images differ in SailorId, Name, OwnerSort'],
    ],
    [
      'is the same',
      'name-on-crew',
      aCrewing('p'),
      aCrewing('p', { Duty: 'cook' }),
      [`copy, nothing: ${same}`],
    ],
    ['is gone', 'name-on-crew', aCrewing('p'), undefined, ['copy, nothing: it was removed']],
    [
      'names no root',
      'name-on-crew',
      undefined,
      aCrewing('p', { SailorId: undefined }),
      ['copy, nothing: it names no root: never written'],
    ],
    [
      'is of another type',
      'name-on-crew',
      aCrewing('p'),
      aCrewing('p', { Kind: 'Cargo' }),
      ['copy, nothing: its type is another one now'],
    ],
    ['is a root as well', 'brand-on-voyages', undefined, aVoyage(), [`copy, check: ${fresh}`]],
  ])('%s', (_, rule, before, after, expected) => {
    expect(says(registry, rule, before, after)).toEqual(expected);
  });

  test('names its root; one that a rule creates is checked for the root that it has lost', () => {
    const creating = posts(titleOnTags);
    const root = { PK: 'POST#1', SK: 'POST' };

    expect(explained(creating, undefined, aTagged('a'))).toMatchObject([
      { as: 'copy', because: 'new', of: [root] },
    ]);
    expect(explained(creating, aTagged('a'), undefined)).toMatchObject([
      { asks: 'check', because: 'lost', of: [root] },
    ]);
    expect(explained(creating, undefined, aPost(['a']))).toMatchObject([{ as: 'root', of: [] }]);
  });

  test('on which rootOf fails is dead-lettered, and the fault is told without content', () => {
    const rootOf = () => {
      throw new TypeError('a secret');
    };
    const rules = registry.rules.map((rule) => (rule.name === 'name-on-crew' ? { ...rule, rootOf } : rule));
    const [line] = explained(makeRegistry(table, rules), undefined, aCrewing('p'));

    expect(line).toMatchObject({ as: 'copy', asks: 'nothing', because: 'failed' });
    expect(line?.fault).toMatch(
      /^rule\.threw: Function rootOf of rule name-on-crew threw TypeError on this item/,
    );
    expect(line?.why).toContain(`dead-lettered (${line?.fault})`);
  });
});

test('a rule that writes nothing asks for nothing until its root is removed', () => {
  const removing = makeRegistry(table, [
    defineRule({
      ...{ name: 'bookings-go', root: voyage, copy: booking, onDelete: 'delete', onExpire: 'keep' },
      located: { in: 'partition', at: ({ ids }) => ({ pk: booking.pk(ids) }) },
      rootOf: ({ ids }) => voyage.key(ids),
    }),
  ]);
  const reasons = (before: Item | undefined, after: Item | undefined) =>
    explained(removing, before, after).map(({ as, asks, because }) => `${as}, ${asks}: ${because}`);

  expect(reasons(undefined, aVoyage())).toEqual(['root, nothing: only-removes']);
  expect(reasons(undefined, aBooking('g'))).toEqual(['copy, nothing: only-removes']);
  expect(reasons(aVoyage(), undefined)).toEqual(['root, propagation: deleted']);
});

describe('an item that is its own copy', () => {
  test.each<readonly [string, Item | undefined, Item | undefined, string]>([
    ['is right', aTicket(), aTicket({ Price: 1 }), 'nothing: it is what the rule says'],
    [
      'is wrong',
      aTicket(),
      aTicket({ Status: 'USED', StateSort: undefined }),
      'propagation: StatePart, StateSort not what the rule says',
    ],
    [
      'is invalid',
      undefined,
      aTicket({ Status: undefined }),
      'propagation: the rule cannot be applied to it',
    ],
    [
      'is as invalid as before',
      aTicket({ Status: undefined }),
      aTicket({ Status: undefined, Price: 1 }),
      'nothing: the rule still cannot be applied to it',
    ],
    ['is gone', aTicket(), undefined, 'nothing: it was removed'],
    ['is of another type', aTicket(), aTicket({ Kind: 'Bill' }), 'nothing: its type is another one now'],
  ])('%s', (_, before, after, expected) => {
    expect(says(registry, 'ticket-state-keys', before, after)).toEqual([`itself, ${expected}`]);
  });
});

describe('of an aggregate', () => {
  const game = aGame('a', 'b');
  const club = aClub('a', { Games: 1 });

  test.each<readonly [string, Item | undefined, Item | undefined, string]>([
    ['a member is new', undefined, game, `member, propagation: ${fresh}`],
    [
      'a member differs in what is read, and in where it is',
      game,
      aGame('a', 'b', { HomeGoals: 3, Gate: 1, OwnerSort: 'AWAY#x', Referee: 'S' }),
      'member, propagation: its images differ in HomeGoals, OwnerSort, Gate',
    ],
    ['a member is the same', game, aGame('a', 'b', { Referee: 'S' }), `member, nothing: ${same}`],
    ['a member is removed', game, undefined, 'member, propagation: it was removed'],
    [
      'a member is of another type',
      game,
      aGame('a', 'b', { Kind: 'Training' }),
      'member, propagation: its type is another one now',
    ],
    ['a target is new', undefined, club, `target, check: ${fresh}`],
    [
      'a target differs in what is computed',
      club,
      aClub('a', { Games: 2, Name: 'x' }),
      'target, check: its images differ in Games',
    ],
    ['a target is the same', club, aClub('a', { Games: 1, Name: 'x' }), `target, nothing: ${same}`],
    ['a target is removed', club, undefined, 'target, nothing: it was removed'],
  ])('%s', (_, before, after, expected) => {
    expect(says(league(), 'club-totals', before, after)).toEqual([expected]);
  });

  test('an item that is member and target has a line for each; targetsOf may fail or name no target', () => {
    const unions: Aggregate = { ...clubTotals, of: clubTotals.on, reads: { member: [], target: [] } };
    const lines = (targetsOf: Aggregate['targetsOf']) =>
      explained(league({ ...unions, targetsOf }), undefined, club).map(({ as, because, of }) => [
        as,
        because,
        of.length,
      ]);

    expect(lines(() => [{ pk: 'CLUB#z', sk: 'CLUB' }])).toEqual([
      ['member', 'new', 1],
      ['target', 'new', 0],
    ]);
    expect(lines(() => [])[0]).toEqual(['member', 'nowhere', 0]);
    expect(lines(() => 7 as never)[0]).toEqual(['member', 'failed', 0]);
  });
});

describe('of the archive', () => {
  const soon = { EndsAt: 4102444800 };
  const failing = predicate(fleet, {
    reads: [],
    item: () => {
      throw new Error('a secret');
    },
  });
  const archives = makeRegistry(
    table,
    [],
    [
      defineArchive({
        ...{ name: 'archive-voyages', kinds: [voyage] },
        when: [predicate(voyage, { reads: ['State'], item: ({ State }) => State === 'OPEN' })],
      }),
      defineArchive({ name: 'archive-tickets', kinds: [ticket], onDelete: 'erase' }),
      defineArchive({ name: 'archive-fleets', kinds: [fleet], onDelete: 'archive', when: [failing] }),
    ],
  );

  test.each<readonly [string, Item | undefined, Item | undefined, boolean, string]>([
    ['has an expiry', aVoyage(), aVoyage(soon), false, 'archive: it has an expiry'],
    ['has no expiry', undefined, aVoyage(), false, 'nothing: it has no expiry'],
    ['has expired', aTicket(soon), undefined, true, 'archive: it has expired'],
    [
      'was deleted, and its states stay',
      aVoyage(),
      undefined,
      false,
      'nothing: it was removed, and the rule keeps what it wrote',
    ],
    [
      'was deleted, and its states are erased',
      aTicket(),
      undefined,
      false,
      'archive: it was deleted: its archived states are erased',
    ],
    ['is excluded', undefined, aVoyage({ ...soon, State: 'CLOSED' }), false, 'nothing: when is false for it'],
  ])('an item %s', (_, before, after, expired, expected) => {
    expect(explained(archives, before, after, expired).map(({ asks, why }) => `${asks}: ${why}`)).toEqual([
      expected,
    ]);
  });

  test('an item on which when fails is archived and dead-lettered; other kinds have no line', () => {
    expect(explained(archives, aFleet(), undefined)).toMatchObject([
      { asks: 'archive', because: 'deleted', fault: expect.stringMatching(/^rule\.threw/) },
    ]);
    expect(explained(archives, undefined, aGuestTicket())).toEqual([]);
  });
});
