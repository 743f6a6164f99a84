import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { equal } from '../../../../src/model/attribute-value.ts';
import type { CopyLocation } from '../../../../src/model/copy-location.ts';
import { attribute, type Item, keyIn, keyOf } from '../../../../src/model/item.ts';
import type { Cause } from '../../../../src/model/message.ts';
import type { Rule } from '../../../../src/model/rule.ts';
import { type CopyPlan, planCopies, planCopy } from '../../../../src/worker/propagation/plan/plan-copy.ts';
import { RootProjection } from '../../../../src/worker/propagation/plan/root-projection.ts';
import {
  aBooking,
  aCrewing,
  aGuestTicket,
  aLeg,
  aSailor,
  aTicket,
  aVoyage,
} from '../../../fixtures/cruises/cruise-items.ts';
import {
  dateOnLegs,
  nameOnCrew,
  nameOnCrewThat,
  ticketOnGuestTicket,
  ticketStateKeys,
  voyageOnBookings,
} from '../../../fixtures/cruises/cruise-rules.ts';
import { attributes } from '../../../fixtures/model/arbitraries.ts';
import { item, value } from '../../../fixtures/model/items.ts';
import { ByOwner, table } from '../../../fixtures/model/table.ts';
import { aPost, aTagged, titleOnTagsThat } from '../../../fixtures/posts/posts.ts';
import { refusal } from '../../../suites/refusal.ts';

describe('a copy of its root', () => {
  test('is unchanged if it equals its projection', () => {
    expect(decided(voyageOnBookings, aVoyage(), aBooking('g'))).toEqual({ is: 'unchanged' });
    expect(decided(nameOnCrew, aSailor(), aCrewing('s'))).toEqual({ is: 'unchanged' });
    expect(decided(ticketOnGuestTicket, aTicket(), aGuestTicket())).toEqual({ is: 'unchanged' });
    expect(decided(ticketStateKeys, aTicket(), aTicket())).toEqual({ is: 'unchanged' });
    expect(decided(dateOnLegs, aTicket(), aLeg())).toEqual({ is: 'unchanged' });
  });

  test('is unchanged if only the spelling of a number or the order of a set differs', () => {
    const root = { ...aVoyage(), Fare: { N: '1.0' }, Ports: { SS: ['a', 'b'] } };
    const copy = { ...aBooking('g'), Fare: { N: '1' }, Ports: { SS: ['b', 'a'] } };

    expect(decided(voyageOnBookings, root, copy)).toEqual({ is: 'unchanged' });
  });

  test('is written only where it differs', () => {
    const decision = decided(
      voyageOnBookings,
      aVoyage({ State: 'CLOSED', Captain: undefined }),
      aBooking('g'),
    );

    expect(updateOf(decision)).toMatchObject({
      key: { pk: 'line_1#voyage_a#bookings', sk: 'g' },
      set: { State: { S: 'CLOSED' }, OwnerSort: { S: 'CLOSED#100' } },
      remove: ['Captain'],
    });
    expect(Object.keys(updateOf(decision).set).sort()).toEqual(['OwnerSort', 'State']);
  });

  test('gets what is derived of its own key, not of the key of another copy of its page', () => {
    const rule: Rule = { ...titleOnTagsThat('keep'), derive: { Tag: ({ copy }) => copy.ids.tag } };
    const root = aPost(['a', 'b']);
    const snapshot = { rootKey: keyIn(table, root), root, cause: 'changed', locations: [] } as const;

    const plans = planCopies(table, rule, snapshot, { copies: [aTagged('a'), aTagged('b')], missing: [] });

    expect(plans.map((plan) => updateOf(plan).set)).toEqual([{ Tag: { S: 'a' } }, { Tag: { S: 'b' } }]);
  });

  test('gets values without conversion', () => {
    const bytes = { B: new Uint8Array([1, 2]) };
    const number = { N: '12345678901234567890123456789012345678' };
    const list = { L: [{ S: '' }, { M: { a: { N: '1.50' } } }] };
    const root = {
      ...aVoyage(),
      Bytes: bytes,
      Number: number,
      List: list,
      Empty: { S: '' },
      Captain: { N: '1E+100' },
    };

    expect(updateOf(decided(voyageOnBookings, root, aBooking('g'))).set).toEqual({
      Bytes: bytes,
      Number: number,
      List: list,
      Empty: { S: '' },
      Captain: { N: '1E+100' },
    });
  });

  test('gets an attribute with another type than before', () => {
    const update = updateOf(decided(voyageOnBookings, aVoyage({ Captain: 7 }), aBooking('g')));

    expect(update.set).toEqual({ Captain: { N: '7' } });
    expect(update.expect.Captain).toEqual({ S: 'Ahab' });
  });

  test('gets an attribute with any name', () => {
    for (const name of ['constructor', 'toString', 'hasOwnProperty', 'a.b', '#x', ':y', '"', '§']) {
      const update = updateOf(decided(voyageOnBookings, aVoyage({ [name]: 'x' }), aBooking('g')));

      expect(update.set, name).toEqual({ [name]: { S: 'x' } });
      expect(Object.hasOwn(update.expect, name), name).toBe(true);
      expect(update.expect[name], name).toBeUndefined();
      expect(decided(voyageOnBookings, aVoyage({ [name]: 'x' }), aBooking('g', { [name]: 'x' })).is).toBe(
        'unchanged',
      );
    }
  });

  test('keeps its own attributes, keys, index keys and expiry, whatever the root has', () => {
    const root = aVoyage({ Cabin: 'x', OwnerPart: 'x', StatePart: 'x', StateSort: 'x', EndsAt: 1 });

    expect(decided(voyageOnBookings, root, aBooking('g', { EndsAt: 2, StatePart: 'y' }))).toEqual({
      is: 'unchanged',
    });
  });

  test('loses attributes that its root does not have, but only as a strict mirror', () => {
    const lenient = { ...voyageOnBookings, unknown: 'keep' } as const;
    const copy = aBooking('g', { Stray: 1 });

    expect(updateOf(decided(voyageOnBookings, aVoyage(), copy))).toMatchObject({
      set: {},
      remove: ['Stray'],
    });
    expect(decided(lenient, aVoyage(), copy)).toEqual({ is: 'unchanged' });
  });

  test('loses a named attribute that its root has lost', () => {
    expect(updateOf(decided(nameOnCrew, aSailor({ Name: undefined }), aCrewing('s')))).toMatchObject({
      set: {},
      remove: ['Name'],
    });
  });

  test('loses a derived attribute if the derivation returns undefined', () => {
    const rule: Rule = { ...nameOnCrew, derive: { Label: () => undefined } };

    expect(updateOf(decided(rule, aSailor(), aCrewing('s', { Label: 'x' })))).toMatchObject({
      remove: ['Label'],
    });
  });

  test('gets attributes derived from both root and copy', () => {
    const stale = aLeg({ PortId: 'q', OwnerSort: undefined });

    expect(updateOf(decided(dateOnLegs, aTicket(), stale)).set).toEqual({
      OwnerPart: { S: 'PORT#q' },
      OwnerSort: { S: 'CALL#2026-01-15' },
    });
  });

  test('gets its derived keys if it is the root itself', () => {
    const ticket = aTicket({ Status: 'USED', StateSort: undefined });

    expect(updateOf(decided(ticketStateKeys, ticket, ticket))).toMatchObject({
      key: keyOf(table, ticket),
      set: { StatePart: { S: 'STATUS#USED' }, StateSort: { S: 'TICKET#2026-01-15' } },
      remove: [],
    });
  });

  test('is unchanged once written: any root, any copy', () => {
    fc.assert(
      fc.property(attributes, attributes, (onRoot, onCopy) => {
        const root = { ...onRoot, ...aVoyage() };
        const copy = { ...onCopy, ...aBooking('g') };
        const decision = decided(voyageOnBookings, root, copy);
        if (decision.is === 'unchanged') return;
        const written = after(copy, updateOf(decision));

        expect(decided(voyageOnBookings, root, written)).toEqual({ is: 'unchanged' });
        for (const [name, held] of Object.entries(onRoot))
          if (!['Part', 'Sort', 'EndsAt'].includes(name))
            expect(equal(attribute(written, name), held)).toBe(true);
      }),
    );
  });
});

describe('a write is guarded', () => {
  test('by everything that the rule copies or reads of the copy, and expects missing attributes to be missing', () => {
    const update = updateOf(
      decided(voyageOnBookings, aVoyage({ Wind: 'N', Captain: undefined }), aBooking('g')),
    );

    expect(update.expect).toEqual({
      State: { S: 'OPEN' },
      DepartsAt: { N: '100' },
      Captain: { S: 'Ahab' },
      OwnerSort: { S: 'OPEN#100' },
      Wind: undefined,
    });
  });

  test('by what the rule reads of the copy, what locates it, and what makes it a copy', () => {
    expect(updateOf(decided(nameOnCrew, aSailor({ Name: 'x' }), aCrewing('s'))).expect).toEqual({
      SailorId: { S: '1' },
      Name: { S: 'Ishmael' },
      OwnerPart: { S: 'SAILOR#1' },
      OwnerSort: { S: 'SHIP#s' },
      Kind: { S: 'Crewing' },
    });
  });

  test('by what a derivation reads of the copy', () => {
    expect(updateOf(decided(dateOnLegs, aTicket({ SoldAt: 'x' }), aLeg())).expect).toMatchObject({
      PortId: { S: 'p' },
    });
  });

  test('not by the copy’s own attributes', () => {
    expect(
      updateOf(decided(voyageOnBookings, aVoyage({ State: 'x' }), aBooking('g'))).expect,
    ).not.toHaveProperty('Cabin');
  });
});

describe('an item in the same location', () => {
  test.each<[string, Rule, Item, Item]>([
    ['names no root', nameOnCrew, aSailor(), aCrewing('s', { SailorId: undefined })],
    ['names another root', ticketOnGuestTicket, aTicket({ Status: 'x' }), aGuestTicket({ TicketId: 'u' })],
    [
      'names the root but stands where another’s copies do',
      nameOnCrew,
      aSailor({ Name: 'x' }),
      aCrewing('s', { OwnerPart: 'SAILOR#2' }),
    ],
    [
      'names the root but stands under another key',
      ticketOnGuestTicket,
      aTicket({ Status: 'x' }),
      aGuestTicket({ Part: 'GUEST#43' }),
    ],
    ['has left the index', nameOnCrew, aSailor({ Name: 'x' }), aCrewing('s', { OwnerSort: undefined })],
    ['is of another kind by its type', dateOnLegs, aTicket({ SoldAt: 'x' }), aLeg({ Kind: 'Arm' })],
    ['is of another kind by its key', nameOnCrew, aSailor({ Name: 'x' }), aCrewing('s', { Sort: 'CREW' })],
  ])('that %s gets nothing', (_, rule, root, copy) => {
    expect(decided(rule, root, copy)).toEqual({ is: 'foreign' });
  });

  test('that names an item of another kind as its root is left alone', () => {
    expect(decided(nameOnCrew, aSailor({ Kind: 'Pirate' }), aCrewing('s'))).toEqual({ is: 'orphan' });
  });
});

describe('a copy whose root does not exist', () => {
  const crews: CopyLocation = { in: 'index', index: 'ByOwner', pk: 'SAILOR#1', begins: 'SHIP#' };

  test.each<Cause>(['changed', 'check', 'repair'])('is left alone if no removal is known: %s', (cause) => {
    expect(
      decided(nameOnCrewThat('delete', 'delete'), undefined, aCrewing('s'), { cause, locations: [crews] }),
    ).toEqual({
      is: 'orphan',
    });
  });

  test('is left alone if it is not in the location of the removed root', () => {
    expect(
      decided(nameOnCrewThat('delete', 'delete'), undefined, aCrewing('s'), {
        cause: 'deleted',
        locations: [],
      }),
    ).toEqual({
      is: 'orphan',
    });
    expect(
      decided(nameOnCrewThat('delete', 'delete'), undefined, aCrewing('s', { OwnerPart: 'SAILOR#2' }), {
        cause: 'deleted',
        locations: [crews],
      }),
    ).toEqual({ is: 'orphan' });
  });

  test.each([
    ['deleted', 'delete', 'keep', 'remove', undefined],
    ['expired', 'keep', 'delete', 'remove', undefined],
    ['deleted', 'clear', 'keep', 'remove', ['Name']],
    ['expired', 'keep', 'clear', 'remove', ['Name']],
    ['deleted', 'keep', 'delete', 'unchanged', undefined],
    ['expired', 'delete', 'keep', 'unchanged', undefined],
  ] as const)('and was %s, under onDelete %s and onExpire %s: %s', (cause, onDelete, onExpire, is, clear) => {
    const decision = decided(nameOnCrewThat(onDelete, onExpire), undefined, aCrewing('s'), {
      cause,
      locations: [crews],
    });

    expect(decision.is).toBe(is);
    if (decision.is === 'remove')
      expect(decision).toMatchObject({ removal: { clear }, rootExpect: 'absent' });
  });

  test('is removed on condition that it is as read, and with its size', () => {
    const decision = decided(nameOnCrewThat('delete', 'keep'), undefined, aCrewing('s'), {
      cause: 'deleted',
      locations: [crews],
    });

    expect(decision).toStrictEqual({
      is: 'remove',
      rootExpect: 'absent',
      partial: false,
      removal: {
        key: { pk: 'SHIP#s', sk: 'CREW#1' },
        clear: undefined,
        size: expect.any(Number),
        expect: {
          SailorId: { S: '1' },
          Name: { S: 'Ishmael' },
          OwnerPart: { S: 'SAILOR#1' },
          OwnerSort: { S: 'SHIP#s' },
          Kind: { S: 'Crewing' },
        },
      },
    });
  });

  test('has nothing to clear if it was cleared before', () => {
    expect(
      decided(nameOnCrewThat('clear', 'keep'), undefined, aCrewing('s', { Name: undefined }), {
        cause: 'deleted',
        locations: [crews],
      }),
    ).toEqual({ is: 'unchanged' });
  });

  test('is cleared of what a strict mirror wrote, but keeps its own attributes', () => {
    const clearing = { ...voyageOnBookings, onDelete: 'clear' } as const;
    const decision = decided(clearing, undefined, aBooking('g'), {
      cause: 'deleted',
      locations: [{ in: 'partition', pk: 'line_1#voyage_a#bookings' }],
    });

    expect(decision).toMatchObject({ removal: { clear: ['State', 'DepartsAt', 'Captain', 'OwnerSort'] } });
  });

  test('is cleared in several writes if it exceeds the limits of an expression', () => {
    const clearing = { ...voyageOnBookings, onDelete: 'clear' } as const;
    const cleared = decided(clearing, undefined, aBooking('g', many(250)), {
      cause: 'deleted',
      locations: [{ in: 'partition', pk: 'line_1#voyage_a#bookings' }],
    });
    if (cleared.is !== 'remove') throw new Error(`Expected a removal, got ${cleared.is}`);

    expect(cleared.removal.clear?.length).toBeLessThanOrEqual(100);
    expect(Object.keys(cleared.removal.expect).length).toBeLessThanOrEqual(150);
    expect(cleared.partial).toBe(true);
  });
});

describe('a copy in a location that its root has left', () => {
  const old: CopyLocation = { in: 'key', pk: 'GUEST#42', sk: 'TICKET#2026-01-15' };
  const now: CopyLocation = { in: 'key', pk: 'GUEST#43', sk: 'TICKET#2026-01-15' };
  const moved = aTicket({ GuestId: '43', Status: 'USED' });

  test('is treated as on deletion, on condition that the root still locates its copies elsewhere', () => {
    expect(decided(ticketOnGuestTicket, moved, aGuestTicket(), { locations: [old, now] })).toMatchObject({
      is: 'remove',
      removal: { key: { pk: 'GUEST#42', sk: 'TICKET#2026-01-15' }, clear: undefined },
      rootExpect: { GuestId: { S: '43' }, SoldAt: { S: '2026-01-15' } },
    });
  });

  test('is left alone if it names another root', () => {
    expect(
      decided(ticketOnGuestTicket, moved, aGuestTicket({ TicketId: 'u' }), { locations: [old, now] }),
    ).toEqual({
      is: 'foreign',
    });
  });

  test('is left alone if the message does not name its location', () => {
    expect(decided(ticketOnGuestTicket, moved, aGuestTicket(), { cause: 'check', locations: [] })).toEqual({
      is: 'foreign',
    });
  });

  test('is kept under a policy that keeps', () => {
    const keeping = { ...ticketOnGuestTicket, onDelete: 'keep' } as const;

    expect(decided(keeping, moved, aGuestTicket(), { locations: [old, now] })).toEqual({ is: 'unchanged' });
  });

  test('is updated in the new location', () => {
    const there = aGuestTicket({ Part: 'GUEST#43' });

    expect(updateOf(decided(ticketOnGuestTicket, moved, there, { locations: [old, now] })).set).toEqual({
      Status: { S: 'USED' },
    });
  });

  test('is removed even if the root expired meanwhile, and the copy in the last location stays', () => {
    const snapshot = { cause: 'expired', locations: [old, now] } as const;

    expect(decided(ticketOnGuestTicket, undefined, aGuestTicket(), snapshot, aTicket()).is).toBe('remove');
    expect(
      decided(ticketOnGuestTicket, undefined, aGuestTicket({ Part: 'GUEST#43' }), snapshot, aTicket()).is,
    ).toBe('unchanged');
  });
});

describe('a tenant', () => {
  const strict: Rule = {
    ...voyageOnBookings,
    onDelete: 'delete',
    rootOf: () => ({ pk: 'line_1#voyages', sk: 'voyage_a' }),
    located: { in: 'index', index: ByOwner, at: () => ({ pk: 'all' }) },
    derive: {},
  };
  const stranger = aBooking('g', { Part: 'line_2#voyage_a#bookings', OwnerPart: 'all', State: 'stale' });

  test('is not crossed by a write', () => {
    expect(decided(strict, aVoyage(), stranger)).toMatchObject({
      is: 'refuse',
      copy: { pk: 'line_2#voyage_a#bookings', sk: 'g' },
      error: { code: 'copy.crosses-tenant', rule: 'voyage-on-bookings' },
    });
    expect(decided(strict, aVoyage(), aBooking('g', { OwnerPart: 'all', State: 'stale' })).is).toBe('update');
  });

  test('is not crossed by a removal', () => {
    const snapshot = { cause: 'deleted', locations: [{ in: 'index', index: 'ByOwner', pk: 'all' }] } as const;

    expect(decided(strict, undefined, stranger, snapshot)).toMatchObject({
      is: 'refuse',
      error: { code: 'copy.crosses-tenant' },
    });
    expect(decided({ ...strict, onDelete: 'clear' }, undefined, stranger, snapshot).is).toBe('refuse');
    expect(decided(strict, undefined, aBooking('g', { OwnerPart: 'all' }), snapshot).is).toBe('remove');
  });
});

describe('an item that cannot be projected', () => {
  test.each<[string, Item]>([
    ['lacks what a derivation reads', aVoyage({ State: undefined })],
    ['holds it in another type', aVoyage({ DepartsAt: 'soon' })],
    ['holds what its schema does not take', aVoyage({ State: '' })],
  ])('a root that %s concerns all its copies', (_, root) => {
    const error = refusal(() => decided(voyageOnBookings, root, aBooking('g')));

    expect(error).toMatchObject({
      name: 'InvalidItemError',
      code: 'root.invalid',
      key: keyOf(table, root),
    });
  });

  test('a root whose derived index key is too long for DynamoDB, reported without its content', () => {
    const error = refusal(() =>
      decided(ticketStateKeys, undefined, aTicket({ Status: 'secret'.repeat(400) })),
    );

    expect(error).toMatchObject({ code: 'root.invalid', key: keyOf(table, aTicket()) });
    expect(error.message).toBe(
      "Rule ticket-state-keys derives a value of 'StatePart' that DynamoDB rejects: expected text of 1 to 2048 bytes, as an index key must be",
    );
  });

  test.each([
    ['StateSort', 'x'.repeat(1025)],
    ['StateSort', ''],
    ['StatePart', ''],
    ['StatePart', 7],
    ['Ratio', Number.NaN],
    ['Ratio', Number.POSITIVE_INFINITY],
  ])('a root whose %s would be %s', (name, derived) => {
    const rule: Rule = {
      ...nameOnCrew,
      reads: { root: [], copy: [] },
      rootOf: () => ({ pk: 'SAILOR#1', sk: 'SAILOR' }),
      derive: { [name]: () => derived },
    };

    expect(refusal(() => decided(rule, aSailor(), aCrewing('s')))).toMatchObject({
      code: 'root.invalid',
    });
  });

  test.each([
    ['StateSort', 'x'.repeat(1024)],
    ['StatePart', 'x'.repeat(2048)],
    ['Note', ''],
    ['Ratio', 0.1],
  ])('a root of which %s may be this long or small', (name, derived) => {
    const rule: Rule = { ...nameOnCrew, derive: { [name]: () => derived } };

    expect(updateOf(decided(rule, aSailor(), aCrewing('s'))).set).toEqual({ [name]: value(derived) });
  });

  test('a root for which a rule throws, reported without the thrown value', () => {
    const rule: Rule = {
      ...voyageOnBookings,
      derive: {
        OwnerSort: () => {
          throw new RangeError('secret');
        },
      },
    };
    const error = refusal(() => decided(rule, aVoyage(), aBooking('g')));

    expect(error).toMatchObject({ name: 'InvalidItemError', code: 'rule.threw', rule: 'voyage-on-bookings' });
    expect(error.message).not.toContain('secret');
    expect(error.message).toContain('RangeError');
  });

  test('a copy that lacks what a derivation reads concerns only itself', () => {
    expect(decided(dateOnLegs, aTicket(), aLeg({ PortId: undefined }))).toMatchObject({
      is: 'refuse',
      copy: { pk: 'TICKET#t', sk: 'LEG#1' },
      error: { code: 'copy.invalid', key: { pk: 'TICKET#t', sk: 'LEG#1' } },
    });
  });

  test('a copy for which a derivation throws concerns only itself', () => {
    const rule: Rule = {
      ...dateOnLegs,
      derive: {
        OwnerPart: () => {
          throw new Error('x');
        },
      },
    };

    expect(decided(rule, aTicket(), aLeg())).toMatchObject({ is: 'refuse', error: { code: 'rule.threw' } });
  });

  test('a copy that would grow beyond 400 KB concerns only itself', () => {
    const large = aVoyage({ Log: 'x'.repeat(390 * 1024) });

    expect(decided(voyageOnBookings, large, aBooking('g', { Cabin: 'x'.repeat(20 * 1024) }))).toMatchObject({
      is: 'refuse',
      error: { code: 'copy.too-large', key: { pk: 'line_1#voyage_a#bookings', sk: 'g' } },
    });
    expect(decided(voyageOnBookings, large, aBooking('g')).is).toBe('update');
  });

  test('a root of more than 500 copied attributes concerns all its copies, before any is written', () => {
    const wide = (count: number) =>
      aVoyage(Object.fromEntries(Array.from({ length: count }, (_, at) => [`Log${at}`, 'x'])));
    const copied = new RootProjection(table, voyageOnBookings, aVoyage()).copiedNames.length;

    expect(decided(voyageOnBookings, wide(500 - copied), aBooking('g')).is).toBe('update');
    expect(() => decided(voyageOnBookings, wide(501 - copied), aBooking('g'))).toThrow(
      expect.objectContaining({ code: 'root.too-many-attributes', concerns: 'root' }),
    );
  });

  test('a copy with hundreds of attributes that its root has not concerns only itself', () => {
    const strict: Rule = { ...voyageOnBookings, unknown: 'remove' };
    const wide = (count: number) =>
      aBooking('g', Object.fromEntries(Array.from({ length: count }, (_, at) => [`Log${at}`, 'x'])));

    expect(decided(strict, aVoyage(), wide(900)).is).toBe('update');
    expect(decided(strict, aVoyage(), wide(1001))).toMatchObject({
      is: 'refuse',
      error: { code: 'copy.too-many-attributes', concerns: 'copy' },
    });
  });

  test('is not a copy near 400 KB that loses as much as it gains', () => {
    const swap = aVoyage({ Log: 'x'.repeat(390 * 1024) });

    expect(decided(voyageOnBookings, swap, aBooking('g', { Diary: 'x'.repeat(390 * 1024) })).is).toBe(
      'update',
    );
  });
});

describe('a copy with very many attributes', () => {
  const root = { ...aVoyage(), ...item(many(250)) };

  test('is written in parts within the limits of an expression, each guarded, until nothing differs', () => {
    let copy = aBooking('g');
    let parts = 0;
    for (let decision = decided(voyageOnBookings, root, copy); decision.is !== 'unchanged'; parts += 1) {
      const update = updateOf(decision);
      const changed = [...Object.keys(update.set), ...update.remove];

      expect(changed.length).toBeLessThanOrEqual(100);
      expect(Object.keys(update.expect).length).toBeLessThanOrEqual(120);
      for (const name of changed) expect(update.expect).toHaveProperty([name]);
      copy = after(copy, update);
      decision = decided(voyageOnBookings, root, copy);
    }

    expect(parts).toBe(3);
  });

  test('reports that its guard was narrowed, and that more writes follow', () => {
    expect(decided(voyageOnBookings, root, aBooking('g'))).toMatchObject({ partial: true, narrowed: true });
    expect(decided(voyageOnBookings, aVoyage({ State: 'x' }), aBooking('g'))).toMatchObject({
      partial: false,
      narrowed: false,
    });
  });
});

function many(count: number): Record<string, string> {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`attribute-${index}`, 'x']));
}

interface Seen {
  readonly cause?: Cause;
  readonly locations?: readonly CopyLocation[];
}

/** The plan for a copy, given its root. An item that is its own copy is both. */
function decided(
  rule: Rule,
  root: Item | undefined,
  copy: Item,
  seen: Seen = {},
  was: Item | undefined = root,
): CopyPlan {
  const itself = rule.located.in === 'itself' ? copy : root;
  const rootKey = keyOf(table, itself ?? was ?? {}) ?? rootNamedBy(rule);
  return planCopy(
    table,
    rule,
    { rootKey, root: itself, cause: seen.cause ?? 'changed', locations: seen.locations ?? [] },
    copy,
  );
}

function rootNamedBy(rule: Rule) {
  const known = [aVoyage(), aSailor(), aTicket()].map((root) => keyOf(table, root));
  const found = known.find((key) => key !== undefined && rule.root.idsOf(key) !== undefined);
  if (found === undefined) throw new Error('Expected a rule of the fixtures');
  return found;
}

function updateOf(decision: CopyPlan) {
  if (decision.is !== 'update') throw new Error(`Expected an update, got ${decision.is}`);
  return decision.update;
}

function after(copy: Item, { set, remove }: ReturnType<typeof updateOf>): Item {
  return Object.fromEntries(Object.entries({ ...copy, ...set }).filter(([name]) => !remove.includes(name)));
}
