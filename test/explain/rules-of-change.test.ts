import { describe, expect, test } from 'vitest';
import { rulesOfChange } from '../../src/explain/rules-of-change.ts';
import { type Item, keyOf } from '../../src/model/items/item.ts';
import type { Aggregate } from '../../src/model/rules/aggregate.ts';
import { defineArchive } from '../../src/model/rules/archive-rule.ts';
import { predicate } from '../../src/model/rules/predicate.ts';
import { makeRegistry, type Registry } from '../../src/model/rules/registry.ts';
import {
  aBooking,
  aCrewing,
  aFleet,
  aGuestTicket,
  aSailor,
  aTicket,
  aVoyage,
} from '../fixtures/cruises/cruise-items.ts';
import { fleet, ticket, voyage } from '../fixtures/cruises/cruise-kinds.ts';
import { cruises, ticketThatIsValid } from '../fixtures/cruises/cruise-rules.ts';
import { aClub, aGame, clubTotals, league } from '../fixtures/league/league.ts';
import { table } from '../fixtures/model/table.ts';
import { aPost, aTagged, posts, titleOnTags } from '../fixtures/posts/posts.ts';

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

type Case = readonly [says: string, rule: string, before: Image, after: Image];

/** Names of rules. */
const bookings = 'voyage-on-bookings';
const crew = 'name-on-crew';
const guests = 'ticket-on-guest-ticket';
const keys = 'ticket-state-keys';
const totals = 'club-totals';

const annulled = aTicket({ Status: 'ANNULLED' });
const left = aCrewing('p', { Name: 'x', SailorId: '2', OwnerSort: 'SHIP#q', Duty: 'cook' });

describe('a rule says in a sentence', () => {
  test.each<Case>([
    ['root, propagation: it is seen as new', crew, undefined, aSailor()],
    [
      'root, propagation: its images differ in State, Captain',
      bookings,
      aVoyage(),
      aVoyage({ State: 'X', Captain: undefined, EndsAt: 1 }),
    ],
    [
      'root, propagation: its type is another one now; its copies are deleted',
      'ticket-on-guest-ticket',
      aTicket(),
      aTicket({ Kind: 'Void' }),
    ],
    ['copy, nothing: its type is another one now', crew, aCrewing('p'), aCrewing('p', { Kind: 'Passage' })],
    ['root, propagation: it was deleted; its copies are deleted', bookings, aVoyage(), undefined],
    ['root, nothing: it was removed, and the rule keeps what it wrote', crew, aSailor(), undefined],
    ['copy, check: it is seen as new', 'brand-on-voyages', undefined, aVoyage()],
    ['copy, check: its images differ in SailorId, Name, OwnerSort', crew, aCrewing('p'), left],
    [
      'copy, nothing: nothing that the rule copies, computes, reads or finds it by differs',
      crew,
      aCrewing('p'),
      aCrewing('p', { Duty: 'cook' }),
    ],
    ['copy, nothing: it was removed', crew, aCrewing('p'), undefined],
    [
      'copy, nothing: it names no root: never written',
      crew,
      undefined,
      aCrewing('p', { SailorId: undefined }),
    ],
    ['itself, nothing: it is what the rule says', keys, aTicket(), aTicket({ Price: 1 })],
    [
      'itself, propagation: StatePart, StateSort not what the rule says',
      keys,
      aTicket(),
      aTicket({ Status: 'USED', StateSort: undefined }),
    ],
  ])('%s', (expected, rule, before, after) => {
    expect(says(cruises(), rule, before, after)).toEqual([expected]);
  });

  test('that a root has expired, which its rule may keep', () => {
    expect(says(cruises(), bookings, aVoyage(), undefined, true)).toEqual([
      'root, propagation: it has expired; its copies are deleted',
    ]);
    expect(says(cruises(), guests, aTicket(), undefined, true)).toEqual([
      'root, nothing: it was removed, and the rule keeps what it wrote',
    ]);
  });

  test('nothing of an item of other kinds', () => {
    expect(says(cruises(), keys, undefined, aSailor())).toEqual([]);
  });

  test.each<Case>([
    [
      'root, propagation: its images differ in Status; when is false: its copies are deleted',
      guests,
      aTicket(),
      annulled,
    ],
    ['root, nothing: when is false for it', guests, { ...annulled, GuestId: { NULL: true } }, undefined],
  ])('of what when excludes: %s', (expected, rule, before, after) => {
    expect(says(cruises(ticketThatIsValid('delete')), rule, before, after)).toEqual([expected]);
  });

  test.each<Case>([
    ['member, propagation: it is seen as new', totals, undefined, aGame('a', 'b')],
    [
      'member, propagation: its images differ in HomeGoals, OwnerSort, Gate',
      totals,
      aGame('a', 'b'),
      aGame('a', 'b', { HomeGoals: 3, Gate: 1, OwnerSort: 'AWAY#x', Referee: 'S' }),
    ],
    ['member, propagation: it was removed', totals, aGame('a', 'b'), undefined],
    [
      'target, check: its images differ in Games',
      totals,
      aClub('a', { Games: 1 }),
      aClub('a', { Games: 2, Name: 'x' }),
    ],
    ['target, nothing: it was removed', totals, aClub('a', { Games: 1 }), undefined],
  ])('of an aggregate: %s', (expected, rule, before, after) => {
    expect(says(league(), rule, before, after)).toEqual([expected]);
  });
});

test('a copy names its root; one that a rule creates is checked for the root that it has lost', () => {
  const creating = posts(titleOnTags);
  const root = { pk: 'POST#1', sk: 'POST' };

  expect(explained(creating, undefined, aTagged('a'))).toMatchObject([
    { as: 'copy', because: 'new', of: [root] },
  ]);
  expect(explained(creating, aTagged('a'), undefined)).toMatchObject([
    { asks: 'check', because: 'lost', of: [root] },
  ]);
  expect(explained(creating, undefined, aPost(['a']))).toMatchObject([{ as: 'root', of: [] }]);
});

test('an item that is member and target has a line for each; targetsOf may fail or name no target', () => {
  const unions: Aggregate = { ...clubTotals, of: clubTotals.on, reads: { member: [], target: [] } };
  const lines = (targetsOf: Aggregate['targetsOf']) =>
    explained(league({ ...unions, targetsOf }), undefined, aClub('a', { Games: 1 })).map(
      ({ as, because, of }) => [as, because, of.length],
    );

  expect(lines(() => [{ pk: 'CLUB#z', sk: 'CLUB' }])).toEqual([
    ['member', 'new', 1],
    ['target', 'new', 0],
  ]);
  expect(lines(() => [])[0]).toEqual(['member', 'nowhere', 0]);
  expect(lines(() => 7 as never)[0]).toEqual(['member', 'failed', 0]);
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

  test.each<Case>([
    ['item, archive: it has an expiry', 'archive-voyages', aVoyage(), aVoyage(soon)],
    ['item, nothing: it has no expiry', 'archive-voyages', undefined, aVoyage()],
    [
      'item, nothing: it was removed, and the rule keeps what it wrote',
      'archive-voyages',
      aVoyage(),
      undefined,
    ],
    [
      'item, archive: it was deleted: its archived states are erased',
      'archive-tickets',
      aTicket(),
      undefined,
    ],
    [
      'item, nothing: when is false for it',
      'archive-voyages',
      undefined,
      aVoyage({ ...soon, State: 'CLOSED' }),
    ],
  ])('%s', (expected, rule, before, after) => {
    expect(says(archives, rule, before, after)).toEqual([expected]);
  });

  test('an item that has expired is archived', () => {
    expect(says(archives, 'archive-tickets', aTicket(soon), undefined, true)).toEqual([
      'item, archive: it has expired',
    ]);
  });

  test('an item on which when fails is archived and dead-lettered; other kinds have no line', () => {
    expect(explained(archives, aFleet(), undefined)).toMatchObject([
      { asks: 'archive', because: 'deleted', fault: expect.stringMatching(/^rule\.threw/) },
    ]);
    expect(explained(archives, aBooking('g'), aGuestTicket())).toEqual([]);
  });
});
