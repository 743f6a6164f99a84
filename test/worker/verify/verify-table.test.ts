import { describe, expect, test } from 'vitest';
import type { Item } from '../../../src/model/items/item.ts';
import { wholeTable } from '../../../src/worker/scan/scan-table.ts';
import { driftIn, type VerifyState, verifyFrom } from '../../../src/worker/verify/verify-state.ts';
import {
  aBooking,
  aCrewing,
  aFleet,
  aGuestTicket,
  aLeg,
  aSailor,
  aTicket,
  aVoyage,
} from '../../fixtures/cruises/cruise-items.ts';
import { voyageOnBookings } from '../../fixtures/cruises/cruise-rules.ts';
import { bound } from '../../fixtures/model/bound.ts';
import { inSmallPages, itemsBefore, ModelSearch } from './search.ts';

const everything = [
  aFleet(),
  aVoyage({ Brand: 'White Star' }),
  aBooking('ann', { Brand: 'White Star' }),
  aSailor(),
  aCrewing('pequod'),
  aTicket(),
  aGuestTicket(),
  aLeg(),
];

describe('a search for drift', () => {
  test('finds nothing if every copy equals its root, and writes nothing', async () => {
    const search = new ModelSearch(everything);
    const before = search.table.history.length;
    const began = search.clock.now();

    const state = await search.run();

    expect(search.lines()).toEqual([]);
    expect(driftIn(state)).toBe(0);
    expect(state.items).toBe(everything.length);
    expect(Object.keys(state.rules)).toEqual(search.registry.rules.map(({ name }) => name));
    expect(verifyFrom(wholeTable(1)).rules).toEqual({});
    expect(state.rules['voyage-on-bookings']).toMatchObject({ copies: 1, kept: 0, unfindable: 0 });
    // Nobody is suspected, so nobody is waited for.
    expect(search.clock.now()).toBe(began);
    expect(search.table.history).toHaveLength(before);
    expect(search.port.counts.update + search.port.counts.remove).toBe(0);
  });

  test.each<[string, Item[], string[]]>([
    [
      'copies that differ, in which attributes, by every way of locating them',
      [
        aFleet(),
        aVoyage({ Brand: 'Cunard' }),
        aBooking('ann', { Brand: 'Cunard', Captain: 'Nemo', State: undefined }),
        aBooking('bob', { Brand: 'Cunard', OwnerSort: 'CLOSED#100' }),
        aSailor(),
        aCrewing('pequod', { Name: 'Queequeg' }),
        aTicket(),
        aGuestTicket({ Price: 12 }),
        aLeg({ OwnerSort: undefined }),
      ],
      [
        'differs brand-on-voyages line_1#voyages voyage_a: Brand',
        'differs date-on-legs TICKET#t LEG#1: OwnerSort',
        'differs name-on-crew SHIP#pequod CREW#1: Name',
        'differs ticket-on-guest-ticket GUEST#42 TICKET#2026-01-15: Price',
        'differs voyage-on-bookings line_1#voyage_a#bookings ann: Captain,State',
        'differs voyage-on-bookings line_1#voyage_a#bookings bob: OwnerSort',
      ],
    ],
    [
      'unmapped attributes that a strict mirror would remove',
      [aVoyage(), aBooking('ann', { Notes: 'vegetarian', Brand: 'left behind', Captain: 'Nemo' })],
      ['differs voyage-on-bookings line_1#voyage_a#bookings ann: Brand,Captain,Notes (unmapped Notes)'],
    ],
    [
      'items whose derived keys are wrong',
      [aTicket({ StatePart: 'STATUS#OLD', StateSort: undefined })],
      ['derived ticket-state-keys TICKET#t TICKET: StatePart,StateSort'],
    ],
    [
      'copies whose root locates its copies elsewhere',
      [
        ...[aTicket(), aGuestTicket({ Part: 'GUEST#7' })],
        ...[aSailor(), aCrewing('pequod', { OwnerPart: 'SAILOR#2' })],
      ],
      ['foreign name-on-crew SHIP#pequod CREW#1', 'foreign ticket-on-guest-ticket GUEST#7 TICKET#2026-01-15'],
    ],
  ])('finds %s', async (_, items, lines) => {
    const search = new ModelSearch(items);
    await search.run();

    expect(search.lines()).toEqual(lines);
  });

  test('accepts a copy that is missing from the index of its rule', async () => {
    const missing = aCrewing('pequod', { OwnerPart: undefined, Name: 'Queequeg' });
    const search = new ModelSearch([aSailor(), missing]);

    const state = await search.run();

    expect(search.lines()).toEqual([]);
    expect(state.rules['name-on-crew']).toMatchObject({ copies: 1, unfindable: 1 });
  });

  test('reports invalid items with a code', async () => {
    const search = new ModelSearch([
      aVoyage({ State: undefined }),
      aBooking('ann'),
      aTicket(),
      aGuestTicket({ TicketId: undefined }),
      aLeg({ PortId: undefined }),
      aTicket({ Part: 'TICKET#u', Status: undefined }),
    ]);

    await search.run();

    expect(
      search
        .drift()
        .map(({ kind, rule, code }) => `${kind} ${rule} ${code}`)
        .toSorted(),
    ).toEqual([
      'invalid date-on-legs copy.invalid',
      'invalid ticket-on-guest-ticket copy.invalid',
      'invalid ticket-state-keys root.invalid',
      'invalid voyage-on-bookings root.invalid',
    ]);
    for (const { reason } of search.drift()) expect(reason).toMatch(/^Expected attribute '\w+'/);
    expect(JSON.stringify(search.drift())).not.toContain('Ahab');
  });

  test('has counted the items before its position whenever it is saved, and no others', async () => {
    const search = new ModelSearch(
      Array.from({ length: 90 }, (_, n) => aVoyage({ Part: `line_${n % 30}#voyages`, Sort: `voyage_${n}` })),
    );
    const states: VerifyState[] = [];

    await search.run({
      scan: inSmallPages(search.scan),
      concurrency: 3,
      onState: (state) => {
        states.push(state);
      },
    });

    expect(states.length).toBeGreaterThan(20);
    for (const { items, rules, point } of states) {
      expect(items).toBe(await itemsBefore(search.scan, point));
      expect(rules['brand-on-voyages']?.copies).toBe(items);
    }
  });

  test('verifies the copies of the requested rules only', async () => {
    const search = new ModelSearch([
      aVoyage({ Captain: 'Nemo' }),
      aBooking('ann'),
      aTicket({ StatePart: 'x' }),
    ]);

    await search.run({ passes: [{ rules: [bound(voyageOnBookings)], aggregates: [] }] });

    expect(search.lines()).toEqual(['differs voyage-on-bookings line_1#voyage_a#bookings ann: Captain']);
  });

  test('that goes on after more passes than there are now ends without a finding', async () => {
    const search = new ModelSearch([aVoyage({ Captain: 'Nemo' }), aBooking('ann')]);

    expect(await search.run({}, { ...verifyFrom(wholeTable(1)), pass: 1 })).toMatchObject({
      pass: 1,
      items: 2,
    });
    expect(search.lines()).toEqual([]);
  });
});

describe('an orphan', () => {
  const orphans = [aBooking('ann'), aCrewing('pequod'), aGuestTicket(), aLeg()];
  const guestTicket = 'orphan ticket-on-guest-ticket GUEST#42 TICKET#2026-01-15';
  const booking = 'orphan voyage-on-bookings line_1#voyage_a#bookings ann';

  // Bookings go with their voyage in any case; guest tickets stay when their ticket expires; the others always stay.
  test.each([
    ['if no policy of its rule explains it', 'unexplained', [booking], 1],
    ['on request if only one of two policies explains it', 'all', [guestTicket, booking], 0],
  ] as const)('is drift %s', async (_, asked, lines, kept) => {
    const search = new ModelSearch(orphans);
    const state = await search.run({ orphans: asked });

    expect(search.lines()).toEqual(lines);
    expect(state.rules).toMatchObject({ 'ticket-on-guest-ticket': { kept }, 'name-on-crew': { kept: 1 } });
  });
});
