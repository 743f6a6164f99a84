import { describe, expect, test } from 'vitest';
import type { TablePort } from '../../../src/worker/ports.ts';
import { Interrupted } from '../../../src/worker/scan/metered-table.ts';
import { aBooking, aCrewing, aSailor, aVoyage } from '../../fixtures/cruises/cruise-items.ts';
import { keyIn } from '../../fixtures/cruises/cruise-worker.ts';
import { metered } from './metered.ts';

const bookings = { in: 'partition', pk: 'line_1#voyage_a#bookings' } as const;
const crews = { in: 'index', index: 'ByOwner', pk: 'SAILOR#1' } as const;
const g = keyIn(aBooking('g'));

/** Bookings of about so many bytes. */
function guests(count: number, bytes = 0) {
  return Array.from({ length: count }, (_, index) =>
    aBooking(`guest ${index}`, { Cabin: 'x'.repeat(bytes) }),
  );
}

describe('a read costs', () => {
  test('a unit for each started 4 KB of an item, and one unit if there is no item', async () => {
    const { port, spent } = metered([aBooking('g', { Cabin: 'x'.repeat(5000) })]);

    expect(await port.get(g)).toMatchObject({ Sort: { S: 'g' } });
    expect(spent.readUnits).toBe(2);
    expect(await port.get(keyIn(aVoyage()))).toBeUndefined();
    expect(spent.readUnits).toBe(3);
  });

  test('the sum of its items, missing ones included', async () => {
    const { port, spent } = metered([aBooking('f', { Cabin: 'x'.repeat(9000) }), aBooking('g')]);

    expect(await port.getMany([keyIn(aBooking('f')), g, keyIn(aVoyage()), keyIn(aSailor())])).toHaveLength(2);
    expect(spent.readUnits).toBe(3 + 1 + 1 + 1);
  });

  test('the total size of a page, whatever was read before', async () => {
    const { port, spent } = metered([...guests(3, 3000), aSailor({ Name: 'x'.repeat(50_000) })]);
    await port.get(keyIn(aSailor()));
    const before = spent.readUnits;
    await port.query(bookings, 10);

    expect(spent.readUnits - before).toBe(3);
  });

  test('half the average size of earlier items for each key in an index', async () => {
    const crewings = ['s', 't', 'u'].map((ship) => aCrewing(ship));
    const { port, spent } = metered([aBooking('g', { Cabin: 'x'.repeat(8000) }), aSailor(), ...crewings]);
    await port.get(g);
    const before = spent.readUnits;

    expect((await port.query(crews, 10)).entries).toHaveLength(3);
    expect(spent.readUnits - before).toBe(Math.ceil((3 * 8100) / 4096) / 2);
  });

  test('half the size of whole entries of an index', async () => {
    const { port, spent } = metered(
      ['1', '2', '3'].map((ship) => aCrewing(ship, { Duty: 'x'.repeat(5000) })),
    );

    const page = await port.query(crews, 2, undefined, true);

    expect(page).toMatchObject({ entries: [{ Sort: { S: 'CREW#1' } }, {}], next: expect.anything() });
    // Ten thousand bytes are three units of 4 KB.
    expect(spent).toEqual({ readUnits: 1.5, writeUnits: 0, writes: 0 });
  });
});

test.each<[string, number, number | undefined, number]>([
  ['a quarter of a second’s worth of items', 30, 40, 3],
  ['at least one item', 3, 1, 3],
  ['at most a hundred items', 250, 1_000_000, 3],
  ['all items if it is unlimited', 250, undefined, 1],
])('a read of many requests %s at once', async (_, count, rcu, requests) => {
  const { port, search } = metered(guests(count), rcu === undefined ? {} : { rcu });
  await port.getMany(guests(count).map(keyIn));

  expect(search.port.counts.getMany).toBe(requests);
});

describe('a read waits beforehand', () => {
  test.each([
    [5, 1],
    [10, 2],
  ])(
    'for the price of %d large items at their average size so far, in %d requests',
    async (count, requests) => {
      const large = [aBooking('g', { Cabin: 'x'.repeat(7900) }), ...guests(count, 7900)];
      const { port, search, seconds } = metered(large, { rcu: 40 });
      await port.get(g);

      await port.getMany(guests(count).map(keyIn));

      // Two units each, those of the first read as well.
      expect(seconds()).toBe((2 * (1 + count)) / 40);
      expect(search.port.counts.getMany).toBe(requests);
    },
  );

  test('for the average price of earlier pages, in which the last one has a weight of a quarter', async () => {
    const { port, seconds } = metered(guests(3, 3000), { rcu: 1 });

    await port.query(bookings, 10);
    expect(seconds()).toBe(1);
    await port.query(bookings, 10);

    // The first was three units, and the second was thought to be a quarter of three and three quarters of one.
    expect(seconds()).toBe(3 + 1.5);
  });
});

describe('a metered table that is asked to stop', () => {
  test('stops a read of many between two requests', async () => {
    let asked = 0;
    const stop = () => {
      asked += 1;
      return asked === 2;
    };
    const { port, search } = metered(guests(2), { rcu: 1, stop });

    await expect(port.getMany(guests(2).map(keyIn))).rejects.toMatchObject({
      code: 'work.interrupted',
      name: 'Interrupted',
    });
    expect(search.port.counts.getMany).toBe(1);
  });

  test.each<[string, (port: TablePort) => Promise<unknown>]>([
    ['an item', (port) => port.get(g)],
    ['items', (port) => port.getMany([g])],
    ['a partition', (port) => port.query(bookings, 10)],
    ['an index', (port) => port.query(crews, 10)],
  ])('does not read %s if it stops every read', async (_, read) => {
    let stopped = false;
    const { port, search } = metered([aBooking('g'), aCrewing('s')], { stop: () => stopped, stops: 'every' });

    expect(await read(port)).toEqual(await read(search.port));
    stopped = true;
    await expect(read(port)).rejects.toBeInstanceOf(Interrupted);
  });

  test('still updates and removes', async () => {
    const { port, search } = metered(guests(2), { stop: () => true, stops: 'every' });
    const [updated, removed] = guests(2).map(keyIn);
    if (updated === undefined || removed === undefined) throw new Error('Expected two keys');

    await port.update([{ key: updated, set: { Cabin: { S: 'y' } }, remove: [], expect: {} }]);
    await port.transact({ key: g, expect: 'absent' }, [
      { key: removed, clear: undefined, expect: {}, size: 1 },
    ]);

    expect(search.table.items()).toEqual([aBooking('guest 0', { Cabin: 'y' })]);
  });
});
