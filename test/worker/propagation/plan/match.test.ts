import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Change } from '../../../../src/model/change.ts';
import { type Item, keyOf } from '../../../../src/model/item.ts';
import type { Registry } from '../../../../src/model/registry.ts';
import { matchRules } from '../../../../src/worker/propagation/plan/match.ts';
import {
  aBooking,
  aCrewing,
  aFleet,
  aGuestTicket,
  aLeg,
  aSailor,
  aTicket,
  aVoyage,
} from '../../../fixtures/cruises/cruise-items.ts';
import { cruises, nameOnCrewThat } from '../../../fixtures/cruises/cruise-rules.ts';
import { table } from '../../../fixtures/model/table.ts';

const registry = cruises();

const bookings = { in: 'partition', pk: 'line_1#voyage_a#bookings' };
const crews = { in: 'index', index: 'ByOwner', pk: 'SAILOR#1', begins: 'SHIP#' };
const guestKey = { in: 'key', pk: 'GUEST#42', sk: 'TICKET#2026-01-15' };

describe('a root matches', () => {
  test('when it is inserted', () => {
    expect(propagations(undefined, aVoyage())).toEqual([
      propagation('voyage-on-bookings', 'changed', [bookings]),
    ]);
  });

  test.each<[string, Item]>([
    ['an attribute that is copied among all', aVoyage({ Captain: 'Nemo' })],
    ['an attribute that is listed nowhere', aVoyage({ Weather: 'fair' })],
    ['an attribute that goes', aVoyage({ Captain: undefined })],
    ['the type of an attribute', aVoyage({ Captain: 1 })],
    ['an attribute that is empty text', aVoyage({ Captain: '' })],
    ['an attribute that decides a derived one', aVoyage({ State: 'CLOSED' })],
    ['the type attribute, where it tells no kinds apart', aVoyage({ Kind: 'Cruise' })],
  ])('for what it copies or reads: %s', (_, after) => {
    expect(propagations(aVoyage(), after)).toEqual([
      propagation('voyage-on-bookings', 'changed', [bookings]),
    ]);
  });

  test('if an attribute with the name of an inherited property is added or removed', () => {
    for (const name of ['constructor', 'toString', 'valueOf', 'hasOwnProperty']) {
      expect(propagations(aVoyage(), aVoyage({ [name]: 'x' })), name).toHaveLength(1);
      expect(propagations(aVoyage({ [name]: 'x' }), aVoyage()), name).toHaveLength(1);
      expect(propagations(aVoyage({ [name]: 'x' }), aVoyage({ [name]: 'x' })), name).toEqual([]);
    }
  });

  test('for a copied attribute, with the index partition of its copies', () => {
    expect(propagations(aSailor(), aSailor({ Name: 'Queequeg' }))).toEqual([
      { rule: 'name-on-crew', root: key(aSailor()), cause: 'changed', locations: [crews] },
    ]);
  });

  test('each rule that it concerns once', () => {
    const shipped = aTicket({ Status: 'USED', StatePart: 'STATUS#USED' });

    expect(propagations(aTicket(), shipped).map(({ rule }) => rule)).toEqual(['ticket-on-guest-ticket']);
    expect(propagations(undefined, aTicket({ StatePart: undefined })).map(({ rule }) => rule)).toEqual([
      'ticket-on-guest-ticket',
      'ticket-state-keys',
      'date-on-legs',
    ]);
  });

  test('with its old and its new location if it moves, the new one last', () => {
    expect(propagations(aTicket(), aTicket({ GuestId: '43' }))).toEqual([
      {
        rule: 'ticket-on-guest-ticket',
        root: key(aTicket()),
        cause: 'changed',
        locations: [guestKey, { ...guestKey, pk: 'GUEST#43' }],
      },
    ]);
  });

  test('if only the old image cannot be projected, so that a repair matches', () => {
    for (const broken of [
      aVoyage({ State: undefined }),
      aVoyage({ DepartsAt: 'soon' }),
      aVoyage({ State: '' }),
    ])
      expect(propagations(broken, aVoyage())).toEqual([
        propagation('voyage-on-bookings', 'changed', [bookings]),
      ]);
  });

  test('without a location if neither image has one', () => {
    expect(
      propagations(undefined, aTicket({ GuestId: undefined })).find(
        ({ rule }) => rule === 'ticket-on-guest-ticket',
      ),
    ).toEqual({
      rule: 'ticket-on-guest-ticket',
      root: key(aTicket()),
      cause: 'changed',
      locations: undefined,
    });
  });

  test('with the location of one image if the other has none', () => {
    expect(
      propagations(aTicket({ GuestId: undefined }), aTicket()).map(({ locations }) => locations),
    ).toEqual([[guestKey]]);
    expect(propagations(aTicket(), aTicket({ GuestId: '' })).map(({ locations }) => locations)).toEqual([
      [guestKey],
    ]);
  });

  test('without a location that no item can have', () => {
    expect(
      propagations(aTicket(), aTicket({ GuestId: 'x'.repeat(3000) })).map(({ locations }) => locations),
    ).toEqual([[guestKey]]);
  });
});

describe('a root does not match', () => {
  test.each<[string, Item, Item]>([
    ['nothing changed', aVoyage(), aVoyage()],
    ['a number is spelled another way', aVoyage({ Fare: 1 }), { ...aVoyage(), Fare: { N: '1.00' } }],
    [
      'a set is in another order',
      aVoyage({ Ports: new Set(['a', 'b']) }),
      aVoyage({ Ports: new Set(['b', 'a']) }),
    ],
    ['its expiry changes', aVoyage(), aVoyage({ EndsAt: 1 })],
    ['an index key of it changes', aVoyage(), aVoyage({ StatePart: 'x', StateSort: 'y' })],
    ['what belongs to its copies alone stands on it', aVoyage(), aVoyage({ Cabin: '1' })],
    ['what is not copied changes', aSailor(), aSailor({ Rank: 'captain' })],
    [
      'it is of no kind that a rule knows',
      { ...aVoyage(), Part: { S: 'x' } },
      { ...aVoyage(), Part: { S: 'x' }, State: { S: 'y' } },
    ],
    [
      'its type says that it is something else',
      aSailor({ Kind: 'Pirate' }),
      aSailor({ Kind: 'Pirate', Name: 'x' }),
    ],
    ['it becomes something else', aSailor(), aSailor({ Kind: 'Pirate', Name: 'x' })],
  ])('if %s', (_, before, after) => {
    expect(propagations(before, after)).toEqual([]);
  });

  test('if everything changes except what a rule copies or reads', () => {
    const concerns = new Set(['Name']);
    const attribute = fc.constantFrom('Rank', 'Name', 'EndsAt', 'OwnerPart', 'Other');
    fc.assert(
      fc.property(fc.dictionary(attribute, fc.constantFrom('x', 'y')), (changes) => {
        const after = aSailor(changes);
        const rang = propagations(aSailor(), after).some(({ rule }) => rule === 'name-on-crew');

        expect(rang).toBe(Object.keys(changes).some((name) => concerns.has(name)));
      }),
    );
  });
});

describe('an item that is its own copy', () => {
  test('matches if it differs from its projection, whoever wrote it', () => {
    for (const [before, after] of [
      [undefined, aTicket({ StatePart: undefined, StateSort: undefined })],
      [aTicket(), aTicket({ StatePart: undefined, StateSort: undefined })],
      [aTicket(), aTicket({ StatePart: 'STATUS#LOST' })],
      [aTicket(), aTicket({ Status: 'USED' })],
    ] as const)
      expect(propagations(before, after)).toContainEqual({
        rule: 'ticket-state-keys',
        root: key(aTicket()),
        cause: 'changed',
        locations: [{ in: 'key', ...key(aTicket()) }],
      });
  });

  test('does not match if it equals its projection, so the worker’s own write costs nothing', () => {
    const derived = aTicket({ Status: 'USED', StatePart: 'STATUS#USED' });

    expect(ruleNames(aTicket({ Status: 'USED' }), derived)).not.toContain('ticket-state-keys');
    expect(ruleNames(undefined, aTicket())).not.toContain('ticket-state-keys');
  });

  test('does not match if it is removed', () => {
    expect(propagations(aTicket({ StatePart: 'wrong' }), undefined).map(({ rule }) => rule)).not.toContain(
      'ticket-state-keys',
    );
  });

  test('matches once if it becomes impossible to project', () => {
    const broken = aTicket({ Status: undefined });

    expect(ruleNames(undefined, broken)).toContain('ticket-state-keys');
    expect(ruleNames(aTicket(), broken)).toContain('ticket-state-keys');
    expect(ruleNames(broken, aTicket({ Status: undefined, Note: 'x' }))).not.toContain('ticket-state-keys');
  });
});

describe('a removal', () => {
  test('matches with its cause and the location of the old image', () => {
    expect(propagations(aVoyage(), undefined)).toEqual([
      propagation('voyage-on-bookings', 'deleted', [bookings]),
    ]);
    expect(propagations(aVoyage(), undefined, { expired: true })).toEqual([
      propagation('voyage-on-bookings', 'expired', [bookings]),
    ]);
  });

  test('matches for a deletion but not for an expiry if only the first removes copies', () => {
    expect(ruleNames(aTicket(), undefined)).toEqual(['ticket-on-guest-ticket']);
    expect(propagations(aTicket(), undefined, { expired: true })).toEqual([]);
  });

  test.each([
    ['keep', 'keep', false, undefined],
    ['keep', 'keep', true, undefined],
    ['clear', 'keep', false, 'deleted'],
    ['keep', 'clear', true, 'expired'],
    ['keep', 'delete', false, undefined],
    ['delete', 'keep', true, undefined],
  ] as const)('under onDelete %s and onExpire %s, expired %s: %s', (onDelete, onExpire, expired, cause) => {
    const rang = matches(cruises(nameOnCrewThat(onDelete, onExpire)), [
      change(aSailor(), undefined, { expired }),
    ]).propagations;

    expect(rang.map((one) => one.cause)).toEqual(cause === undefined ? [] : [cause]);
  });

  test('does not match if the item becomes another kind', () => {
    const becoming = change(aSailor(), aSailor({ Kind: 'Pirate' }));

    expect(matches(cruises(nameOnCrewThat('delete', 'delete')), [becoming]).propagations).toEqual([]);
  });

  test('does not match for a deleted copy', () => {
    expect(matches(registry, [change(aBooking('g'), undefined)])).toEqual({
      propagations: [],
      checks: [],
      refused: [],
    });
  });
});

describe('many changes of one item', () => {
  test('match once, even if the first and the last image are equal', () => {
    const closed = aVoyage({ State: 'CLOSED' });
    const rang = matches(registry, [
      change(aVoyage(), closed, { sequence: 1n }),
      change(closed, aVoyage(), { sequence: 2n }),
    ]).propagations;

    expect(rang).toHaveLength(1);
    expect(rang[0]).toMatchObject({ cause: 'changed', locations: [bookings] });
  });

  test('name every location in the order in which the root used them, whatever the order of the records', () => {
    const at = (guest: string) => aTicket({ GuestId: guest });
    const changes = [
      change(at('1'), at('2'), { sequence: 1n }),
      change(at('2'), at('3'), { sequence: 2n }),
      change(at('3'), at('1'), { sequence: 10n }),
    ];
    fc.assert(
      fc.property(fc.shuffledSubarray(changes, { minLength: 3 }), (shuffled) => {
        expect(
          matches(registry, shuffled).propagations[0]?.locations?.map((one) => 'pk' in one && one.pk),
        ).toEqual(['GUEST#2', 'GUEST#3', 'GUEST#1']);
      }),
    );
  });

  test('match as a removal if one of them is a removal, even if the root was put again', () => {
    const rang = matches(registry, [
      change(aVoyage(), undefined, { sequence: 1n }),
      change(undefined, aVoyage({ State: 'CLOSED' }), { sequence: 2n }),
    ]).propagations;

    expect(rang).toEqual([expect.objectContaining({ cause: 'deleted', locations: [bookings] })]);
  });

  test('match as the last removal of several', () => {
    const rang = matches(registry, [
      change(undefined, aVoyage(), { sequence: 2n }),
      change(aVoyage(), undefined, { sequence: 3n, expired: true }),
      change(aVoyage(), undefined, { sequence: 1n }),
    ]).propagations;

    expect(rang.map(({ cause }) => cause)).toEqual(['expired']);
  });

  test('match as the last removal even if it keeps copies', () => {
    const rang = matches(registry, [
      change(aTicket({ Status: 'NEW' }), aTicket(), { sequence: 1n }),
      change(aTicket(), undefined, { sequence: 2n, expired: true }),
    ]).propagations.filter(({ rule }) => rule.name === 'ticket-on-guest-ticket');

    expect(rang.map(({ cause }) => cause)).toEqual(['expired']);
  });
});

describe('a copy is checked', () => {
  test('when it is inserted', () => {
    expect(checks(undefined, aBooking('g'))).toEqual([
      { rule: 'voyage-on-bookings', root: key(aVoyage()), copy: key(aBooking('g')), image: aBooking('g') },
    ]);
  });

  test.each<[string, Item, Item, string]>([
    ['what is copied to it', aCrewing('s'), aCrewing('s', { Name: 'x' }), 'name-on-crew'],
    ['what is read of it', aCrewing('s'), aCrewing('s', { SailorId: '2' }), 'name-on-crew'],
    ['what locates it', aCrewing('s'), aCrewing('s', { OwnerPart: 'SAILOR#2' }), 'name-on-crew'],
    [
      'what sorts it where it is located',
      aCrewing('s'),
      aCrewing('s', { OwnerSort: 'SHIP#x' }),
      'name-on-crew',
    ],
    ['what is derived for it', aLeg(), aLeg({ OwnerSort: undefined }), 'date-on-legs'],
    ['what decides a derived attribute', aLeg(), aLeg({ PortId: 'q' }), 'date-on-legs'],
    ['whose it is, nothing else', aGuestTicket(), aGuestTicket({ TicketId: 'u' }), 'ticket-on-guest-ticket'],
    [
      'an attribute that only a strict mirror knows',
      aBooking('g'),
      aBooking('g', { Stray: 1 }),
      'voyage-on-bookings',
    ],
  ])('when this changes: %s', (_, before, after, rule) => {
    expect(checks(before, after).map((check) => check.rule)).toEqual([rule]);
  });

  test('when it becomes a copy by a change of its type', () => {
    expect(checks(aLeg({ Kind: 'Arm' }), aLeg()).map(({ rule }) => rule)).toEqual(['date-on-legs']);
  });

  test('with the root that it names now', () => {
    expect(checks(aGuestTicket(), aGuestTicket({ TicketId: 'u' }))[0]?.root).toEqual({
      pk: 'TICKET#u',
      sk: 'TICKET',
    });
  });

  test.each<[string, Item, Item]>([
    ['its own attribute', aBooking('g'), aBooking('g', { Cabin: 'x' })],
    ['an attribute that the rule neither copies nor reads', aCrewing('s'), aCrewing('s', { Duty: 'cook' })],
    ['an index key that the rule does not write', aBooking('g'), aBooking('g', { OwnerPart: 'x' })],
    ['its expiry', aBooking('g'), aBooking('g', { EndsAt: 1 })],
    ['nothing', aGuestTicket(), aGuestTicket()],
    ['the spelling of a number', aGuestTicket({ Price: 1 }), { ...aGuestTicket(), Price: { N: '1.0' } }],
    ['what names no root', aCrewing('s'), aCrewing('s', { SailorId: undefined })],
    ['what names a root that could not exist', aGuestTicket(), aGuestTicket({ TicketId: 'x'.repeat(3000) })],
    ['what it is', aLeg(), aLeg({ Kind: 'Arm', PortId: 'q' })],
  ])('not when this changes: %s', (_, before, after) => {
    expect(checks(before, after)).toEqual([]);
  });

  test('at each of its changes, because any image may differ', () => {
    const wrong = aGuestTicket({ Status: 'LOST' });
    const found = matches(registry, [
      change(aGuestTicket(), wrong, { sequence: 1n }),
      change(wrong, aGuestTicket(), { sequence: 2n }),
    ]).checks;

    expect(found.map(({ image }) => image)).toEqual([wrong, aGuestTicket()]);
  });

  test('and matches as well if it is also a root', () => {
    const { propagations: rang, checks: found } = matches(registry, [
      change(aVoyage(), aVoyage({ Brand: 'Cunard' })),
    ]);

    expect(rang.map(({ rule }) => rule.name)).toEqual(['voyage-on-bookings']);
    expect(found.map(({ rule, root }) => [rule.name, root])).toEqual([['brand-on-voyages', key(aFleet())]]);
  });
});

interface Circumstances {
  readonly sequence?: bigint;
  readonly expired?: boolean;
}

function change(
  before: Item | undefined,
  after: Item | undefined,
  circumstances: Circumstances = {},
): Change {
  const { sequence = 1n, expired = false } = circumstances;
  return { key: key(after ?? before ?? {}), before, after, sequence, expired, at: undefined };
}

function matches(of: Registry, changes: readonly Change[]) {
  return matchRules(of, changes);
}

function propagations(before: Item | undefined, after: Item | undefined, circumstances: Circumstances = {}) {
  return matches(registry, [change(before, after, circumstances)]).propagations.map((one) => ({
    ...one,
    rule: one.rule.name,
  }));
}

function ruleNames(before: Item | undefined, after: Item | undefined): string[] {
  return propagations(before, after).map(({ rule }) => rule);
}

function checks(before: Item | undefined, after: Item | undefined) {
  return matches(registry, [change(before, after)]).checks.map((one) => ({ ...one, rule: one.rule.name }));
}

function propagation(rule: string, cause: string, locations: readonly object[]) {
  return { rule, root: key(aVoyage()), cause, locations };
}

function key(of: Item) {
  return keyOf(table, of) ?? { pk: '', sk: '' };
}
