import { describe, expect, test } from 'vitest';
import type { Change } from '../../src/model/items/change.ts';
import type { Item } from '../../src/model/items/item.ts';
import { makeRegistry } from '../../src/model/rules/registry.ts';
import type { Rule } from '../../src/model/rules/rule.ts';
import { copyIn, matchChanges, propagationOfRoot } from '../../src/plan/match.ts';
import { aBooking, aCrewing, aSailor, aTicket, aVoyage } from '../fixtures/cruises/cruise-items.ts';
import {
  cruises,
  nameOnCrew,
  ticketOnGuestTicket,
  ticketThatIsValid,
  voyageOnBookings,
} from '../fixtures/cruises/cruise-rules.ts';
import { keyIn } from '../fixtures/cruises/cruise-worker.ts';
import { bound } from '../fixtures/model/bound.ts';
import { table } from '../fixtures/model/table.ts';
import { aTagged, titleOnTags } from '../fixtures/posts/posts.ts';

const registry = cruises();

const bookings = { in: 'partition', pk: 'line_1#voyage_a#bookings' };

const guestKey = { in: 'key', pk: 'GUEST#42', sk: 'TICKET#2026-01-15' };
const newKey = { ...guestKey, pk: 'GUEST#43' };

type Image = Item | undefined;

function change(before: Image, after: Image, more: Partial<Change> = {}): Change {
  return {
    key: keyIn(after ?? before ?? {}),
    before,
    after,
    sequence: 1n,
    expired: false,
    at: undefined,
    ...more,
  };
}

function matched(changes: readonly Change[], of = registry) {
  const { propagations, checks } = matchChanges(of, changes);
  return {
    propagations,
    checks: checks.map((one) => ({ ...one, rule: one.rule.name })),
  };
}

function propagations(before: Image, after: Image, more: Partial<Change> = {}) {
  return matched([change(before, after, more)]).propagations;
}

/** A propagation of the voyage. */
function ofVoyage(cause = 'changed') {
  return { rule: 'voyage-on-bookings', root: keyIn(aVoyage()), cause, locations: [bookings], attempts: 0 };
}

describe('a root matches', () => {
  test.each<[string, Image, Item]>([
    ['it is inserted', undefined, aVoyage()],
    ['an attribute that is copied among all', aVoyage(), aVoyage({ Captain: 'Nemo' })],
    ['an attribute that goes', aVoyage(), aVoyage({ Captain: undefined })],
    ['the type attribute, where it tells no kinds apart', aVoyage(), aVoyage({ Kind: 'Cruise' })],
    ['the name of an inherited property that it gets', aVoyage(), aVoyage({ constructor: 'x' })],
    ['what could not be projected, so that a repair matches', aVoyage({ State: undefined }), aVoyage()],
  ])('for what it copies or reads: %s', (_, before, after) => {
    expect(propagations(before, after)).toEqual([ofVoyage()]);
  });

  test.each<[string, Image, Item, readonly object[] | undefined]>([
    ['its old and its new location if it moves', aTicket(), aTicket({ GuestId: '43' }), [guestKey, newKey]],
    ['that of the new image if the old has none', aTicket({ GuestId: undefined }), aTicket(), [guestKey]],
    ['that of the old image if the new has none', aTicket(), aTicket({ GuestId: '' }), [guestKey]],
    ['none that no item can have', aTicket(), aTicket({ GuestId: 'x'.repeat(3000) }), [guestKey]],
    ['none if neither image has one', undefined, aTicket({ GuestId: undefined }), undefined],
  ])('with %s', (_, before, after, locations) => {
    const [match] = propagations(before, after).filter(({ rule }) => rule === 'ticket-on-guest-ticket');

    expect(match).toEqual({
      rule: match?.rule,
      root: keyIn(aTicket()),
      cause: 'changed',
      locations,
      attempts: 0,
    });
  });
});

describe('an item that is its own copy', () => {
  const broken = aTicket({ Status: undefined });
  const derived = aTicket({ Status: 'USED', StatePart: 'STATUS#USED' });
  const keyless = aTicket({ StatePart: undefined, StateSort: undefined });

  test.each<[boolean, string, Image, Image]>([
    [true, 'new without its keys', undefined, keyless],
    [true, 'put without its keys', aTicket(), keyless],
    [true, 'written with another key', aTicket(), aTicket({ StatePart: 'STATUS#LOST' })],
    [true, 'changed', aTicket(), aTicket({ Status: 'USED' })],
    [false, 'as it should be, so the worker’s own write costs nothing', aTicket({ Status: 'USED' }), derived],
    [false, 'new and as it should be', undefined, aTicket()],
    [false, 'removed', aTicket({ StatePart: 'wrong' }), undefined],
    [true, 'new and impossible to project', undefined, broken],
    [true, 'impossible to project from now on', aTicket(), broken],
    [false, 'still impossible to project', broken, aTicket({ Status: undefined, Note: 'x' })],
  ])('matches (%s) if it is %s', (matches, _, before, after) => {
    const own = propagations(before, after).filter(({ rule }) => rule === 'ticket-state-keys');

    const match = { cause: 'changed', locations: [{ in: 'key', ...keyIn(aTicket()) }] };
    expect(own).toMatchObject(matches ? [match] : []);
  });
});

describe('many changes of one item', () => {
  const closed = aVoyage({ State: 'CLOSED' });
  const sold = aTicket({ Status: 'NEW' });
  /** Changes of these images, each with its sequence number, and whether it is an expiry. */
  const inOrder = (...of: (readonly [Image, Image, bigint, boolean?])[]) =>
    of.map(([before, after, sequence, expired = false]) => change(before, after, { sequence, expired }));

  const removals = inOrder([aVoyage(), undefined, 3n, true], [aVoyage(), undefined, 1n]);

  test.each<[string, Change[], string]>([
    ['even if all is as before', inOrder([aVoyage(), closed, 1n], [closed, aVoyage(), 2n]), 'changed'],
    ['as a removal before a put', inOrder([aVoyage(), undefined, 1n], [undefined, closed, 2n]), 'deleted'],
    ['as the last removal of several', [...inOrder([undefined, aVoyage(), 2n]), ...removals], 'expired'],
    ['as one that keeps copies', inOrder([sold, aTicket(), 1n], [aTicket(), undefined, 2n, true]), 'expired'],
  ])('match once, %s', (_, changes, cause) => {
    const [match, ...others] = matched(changes).propagations;

    expect([match?.cause, match?.locations?.length]).toEqual([cause, 1]);
    expect(others.filter(({ rule }) => rule === match?.rule)).toEqual([]);
  });
});

test.each<[string, Rule, Item, Item, number]>([
  ['still names its root, which it may be missing from', titleOnTags, aTagged('a'), aTagged('a', 'two'), 1],
  ['names none any more, as it may', nameOnCrew, aCrewing('s'), aCrewing('s', { SailorId: undefined }), 0],
])('a changed copy that %s, is checked once at most', (_, rule, before, after, checks) => {
  const one = change(before, after);

  expect(matched([one], makeRegistry(table, [rule])).checks).toHaveLength(checks);
});

describe('what a change is to a rule', () => {
  const removing: Rule = { ...voyageOnBookings, copies: [], derive: {}, own: [], unknown: 'keep' };
  const excluding = ticketThatIsValid('delete');
  const annulled = aTicket({ Status: 'ANNULLED', SoldAt: undefined });
  const throws = () => {
    throw new Error('odd');
  };
  const failing = { ...excluding, when: { root: throws } };
  const late = aVoyage({ State: 'LATE' });
  const moved = change(aVoyage(), aVoyage({ State: undefined }));
  const crewing = aCrewing('s');
  const aBoat = aSailor({ Kind: 'Boat' });
  const expiryOf = (item: Item) => change(item, undefined, { expired: true });
  const voided = change(aTicket(), aTicket({ Kind: 'Void' }));

  test.each<[string, Rule, Change, object | string]>([
    ['kept', nameOnCrew, change(aSailor(), undefined), { because: 'kept', asks: false }],
    ['excluded', excluding, change(annulled, undefined), { because: 'excluded', asks: false }],
    ['expired, but deleted before', excluding, expiryOf(annulled), { because: 'excluded', cause: 'deleted' }],
    ['expired', excluding, expiryOf(aTicket()), { because: 'kept', cause: 'expired' }],
    ['deleted', voyageOnBookings, change(aVoyage(), undefined), { because: 'deleted', asks: true }],
    ['new', voyageOnBookings, change(undefined, late), { because: 'new', withdraws: false }],
    ['different', voyageOnBookings, change(aVoyage(), late), { because: 'differs', withdraws: false }],
    ['the same', voyageOnBookings, change(aVoyage(), aVoyage()), 'same'],
    ['new, but only removals matter', removing, change(undefined, late), 'only-removes'],
    ['different, so that it may have left a location', removing, moved, { because: 'differs', asks: true }],
    ['different, but when fails on it', failing, change(aTicket(), annulled), { withdraws: false }],
    ['of no concern', voyageOnBookings, change(aSailor(), aSailor()), 'unconcerned'],
    ['of another kind by now', ticketOnGuestTicket, voided, { because: 'left-kind', cause: 'deleted' }],
    ['of another kind, but kept', nameOnCrew, change(aSailor(), aBoat), { because: 'kept', asks: false }],
    ['of another kind all the time', nameOnCrew, change(aBoat, undefined), 'unconcerned'],
  ])('whose root it concerns: %s', (_, rule, changed, expected) => {
    const is = propagationOfRoot(bound(rule), changed);

    if (typeof expected === 'string') expect(is).toBe(expected);
    else expect(is).toMatchObject(expected);
  });

  test.each<[string, Rule, Change]>([
    ['same', voyageOnBookings, change(aBooking('g'), aBooking('g'))],
    ['differs', voyageOnBookings, change(aBooking('g'), aBooking('g', { State: 'odd' }))],
    ['new', voyageOnBookings, change(undefined, aBooking('g'))],
    ['only-removes', removing, change(undefined, aBooking('g'))],
    ['only-removes', removing, change(aBooking('g'), aBooking('g'))],
    ['removed', removing, change(aBooking('g'), undefined)],
    ['only-removes', { ...nameOnCrew, copies: [] }, change(crewing, { ...crewing, OwnerPart: { S: 'x' } })],
  ])('whose copy it concerns: %s', (expected, rule, changed) => {
    expect(copyIn(bound(rule), changed)).toBe(expected);
  });
});
