import { describe, expect, test } from 'vitest';
import type { Rule } from '../../../../src/model/rule.ts';
import { locationOf, rootOf } from '../../../../src/worker/propagation/plan/rule-functions.ts';
import {
  aBooking,
  aCrewing,
  aGuestTicket,
  aSailor,
  aTicket,
  aVoyage,
} from '../../../fixtures/cruises/cruise-items.ts';
import {
  dateOnLegs,
  nameOnCrew,
  ticketOnGuestTicket,
  ticketStateKeys,
  voyageOnBookings,
} from '../../../fixtures/cruises/cruise-rules.ts';
import { table } from '../../../fixtures/model/table.ts';
import { refusal } from '../../../suites/refusal.ts';

describe('a root locates its copies', () => {
  test('in a partition, under a prefix of its sort keys, in an index, at a key, or in itself', () => {
    expect(locationOf(table, voyageOnBookings, aVoyage())).toEqual({
      in: 'partition',
      pk: 'line_1#voyage_a#bookings',
    });
    expect(locationOf(table, dateOnLegs, aTicket())).toEqual({
      in: 'partition',
      pk: 'TICKET#t',
      begins: 'LEG#',
    });
    expect(locationOf(table, nameOnCrew, aSailor())).toEqual({
      in: 'index',
      index: 'ByOwner',
      pk: 'SAILOR#1',
      begins: 'SHIP#',
    });
    expect(locationOf(table, ticketOnGuestTicket, aTicket())).toEqual({
      in: 'key',
      pk: 'GUEST#42',
      sk: 'TICKET#2026-01-15',
    });
    expect(locationOf(table, ticketStateKeys, aTicket())).toEqual({
      in: 'key',
      pk: 'TICKET#t',
      sk: 'TICKET',
    });
  });

  test('but not if it lacks an attribute that locates them', () => {
    expect(
      refusal(() => locationOf(table, ticketOnGuestTicket, aTicket({ GuestId: undefined }))),
    ).toMatchObject({
      name: 'InvalidItemError',
      code: 'root.invalid',
      key: { pk: 'TICKET#t', sk: 'TICKET' },
    });
  });

  test.each([
    ['over 2,048 bytes of partition key', aTicket({ GuestId: '§'.repeat(1100) })],
    ['over 1,024 bytes of sort key', aTicket({ SoldAt: 'x'.repeat(1020) })],
  ])('but not at a key that no item can have: %s', (_, root) => {
    expect(refusal(() => locationOf(table, ticketOnGuestTicket, root))).toMatchObject({
      code: 'root.unlocatable',
    });
  });

  test('but not under a prefix that is longer than a sort key', () => {
    const long: Rule = {
      ...voyageOnBookings,
      located: { in: 'partition', at: () => ({ pk: 'p', begins: 'x'.repeat(1025) }) },
    };

    expect(refusal(() => locationOf(table, long, aVoyage()))).toMatchObject({ code: 'root.unlocatable' });
  });

  test('but not if its id does not fit the key of its copies', () => {
    const error = refusal(() => locationOf(table, voyageOnBookings, aVoyage({ Sort: 'voyage_a#b' })));

    expect(error).toMatchObject({
      name: 'InvalidItemError',
      code: 'key.unwritable',
      rule: 'voyage-on-bookings',
    });
  });

  test('but not if the rule reads an undeclared attribute', () => {
    const careless: Rule = {
      ...voyageOnBookings,
      located: { in: 'partition', at: (root) => ({ pk: String(root.Brand) }) },
    };

    expect(refusal(() => locationOf(table, careless, aVoyage({ Brand: 'x' })))).toMatchObject({
      code: 'rule.undeclared-read',
    });
  });
});

describe('a copy names its root', () => {
  test('by its key or by an attribute', () => {
    expect(rootOf(table, voyageOnBookings, aBooking('g'))).toEqual({ pk: 'line_1#voyages', sk: 'voyage_a' });
    expect(rootOf(table, nameOnCrew, aCrewing('s'))).toEqual({ pk: 'SAILOR#1', sk: 'SAILOR' });
    expect(rootOf(table, ticketStateKeys, aTicket())).toEqual({ pk: 'TICKET#t', sk: 'TICKET' });
  });

  test.each([
    ['the attribute is missing', nameOnCrew, aCrewing('s', { SailorId: undefined })],
    ['it is of another type', nameOnCrew, aCrewing('s', { SailorId: 1 })],
    ['it is empty', ticketOnGuestTicket, aGuestTicket({ TicketId: '' })],
    ['no item could have that key', nameOnCrew, aCrewing('s', { SailorId: 'x'.repeat(2100) })],
  ])('but not if %s', (_, rule, copy) => {
    expect(rootOf(table, rule, copy)).toBeUndefined();
  });
});
