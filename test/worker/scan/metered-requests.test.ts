import { describe, expect, test } from 'vitest';
import type { Item } from '../../../src/model/item.ts';
import { Budget, unlimited } from '../../../src/worker/scan/budget.ts';
import { Interrupted, meteredTable } from '../../../src/worker/scan/metered-table.ts';
import { aBooking, aCrewing, aSailor, aVoyage } from '../../fixtures/cruises/cruise-items.ts';
import { keyIn } from '../../fixtures/cruises/cruise-worker.ts';
import { table } from '../../fixtures/model/table.ts';
import { ModelSearch } from '../verify/search.ts';

const bookings = { in: 'partition', pk: 'line_1#voyage_a#bookings' } as const;
const crews = { in: 'index', index: 'ByOwner', pk: 'SAILOR#1' } as const;
const g = keyIn(aBooking('g'));

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

  test('the total size of a page', async () => {
    const { port, spent } = metered(
      ['a', 'b', 'c'].map((guest) => aBooking(guest, { Cabin: 'x'.repeat(3000) })),
    );

    await port.query(bookings, 10);

    expect(spent.readUnits).toBe(3);
  });

  test('half the average size of earlier items for each entry of an index', async () => {
    const { port, spent } = metered([
      aBooking('g', { Cabin: 'x'.repeat(8000) }),
      aSailor(),
      ...['s', 't', 'u'].map((ship) => aCrewing(ship)),
    ]);
    await port.get(g);
    const before = spent.readUnits;

    expect((await port.query(crews, 10)).entries).toHaveLength(3);

    expect(spent.readUnits - before).toBe(Math.ceil((3 * 8100) / 4096) / 2);
  });
});

describe('a read of many', () => {
  test('requests a quarter of a second’s worth of items, and at least one', async () => {
    const guests = Array.from({ length: 30 }, (_, index) => aBooking(`guest ${index}`));
    const wide = metered(guests, 40);
    await wide.port.getMany(guests.map(keyIn));
    expect(wide.search.port.counts.getMany).toBe(3);

    const narrow = metered(guests, 1);
    await narrow.port.getMany(guests.slice(0, 3).map(keyIn));
    expect(narrow.search.port.counts.getMany).toBe(3);
  });

  test('requests at most a hundred items at once, and all at once if it is unlimited', async () => {
    const guests = Array.from({ length: 250 }, (_, index) => aBooking(`guest ${index}`));
    const wide = metered(guests, 1_000_000);
    await wide.port.getMany(guests.map(keyIn));
    expect(wide.search.port.counts.getMany).toBe(3);

    const free = metered(guests);
    await free.port.getMany(guests.map(keyIn));
    expect(free.search.port.counts.getMany).toBe(1);
  });

  test('requests fewer items if earlier items were large', async () => {
    const guests = Array.from({ length: 10 }, (_, index) =>
      aBooking(`guest ${index}`, { Cabin: 'x'.repeat(7900) }),
    );
    const { port, search } = metered([aBooking('g', { Cabin: 'x'.repeat(7900) }), ...guests], 40);
    await port.get(g);

    await port.getMany(guests.map(keyIn));

    expect(search.port.counts.getMany).toBe(2);
  });

  test('stops between two requests', async () => {
    const search = new ModelSearch([aBooking('f'), aBooking('g')]);
    let asked = 0;
    const { port } = meteredTable(search.port, table, {
      reads: new Budget(1, search.clock),
      writes: unlimited(search.clock),
      stop: () => {
        asked += 1;
        return asked === 2;
      },
    });

    const reading = port.getMany([keyIn(aBooking('f')), g]);

    await expect(reading).rejects.toThrow(Interrupted);
    await expect(reading).rejects.toMatchObject({ code: 'work.interrupted', name: 'Interrupted' });
    expect(search.port.counts.getMany).toBe(1);
  });
});

describe('a read waits beforehand', () => {
  test('for the price of its items at their average size so far', async () => {
    const guests = ['a', 'b', 'c', 'd', 'e'].map((guest) => aBooking(guest, { Cabin: 'x'.repeat(7900) }));
    const { port, search } = metered([aBooking('g', { Cabin: 'x'.repeat(7900) }), ...guests], 40);
    const began = search.clock.now();
    await port.get(g);

    await port.getMany(guests.map(keyIn));

    // Two units each, those of the first read as well.
    expect(search.clock.now() - began).toBe((12 / 40) * 1000);
  });

  test('for the average price of earlier pages, in which the last one has a weight of a quarter', async () => {
    const guests = ['a', 'b', 'c'].map((guest) => aBooking(guest, { Cabin: 'x'.repeat(3000) }));
    const { port, search } = metered(guests, 1);
    const began = search.clock.now();

    await port.query(bookings, 10);
    expect(search.clock.now() - began).toBe(1000);
    await port.query(bookings, 10);

    // The first was three units, and the second was thought to be a quarter of three and three quarters of one.
    expect(search.clock.now() - began).toBe(3000 + 1500);
  });
});

describe('a removal costs', () => {
  test.each<[string, readonly string[] | undefined, number]>([
    // Two for the condition on the root; the item, of two started KB, twice as much in a transaction; its index entry.
    ['a deletion: the item and its index entry', undefined, 2 + 4 + 2],
    ['a clearing that takes it off the index: the same', ['OwnerSort'], 2 + 4 + 2],
    ['a clearing of another attribute: the item and its entry as they are', ['Captain'], 2 + 4 + 2],
    ['a clearing of what is not there: the item, and no entry', ['Wind'], 2 + 4],
  ])('%s', async (_, clear, units) => {
    const { port, spent, search } = metered([aBooking('g', { Cabin: 'x'.repeat(1100) })]);
    await port.get(g);

    const outcomes = await port.transact({ key: keyIn(aVoyage()), expect: 'absent' }, [
      { key: g, clear, expect: {}, size: 1 },
    ]);

    expect(outcomes).toEqual(['written']);
    expect(spent).toMatchObject({ writeUnits: units, writes: 1 });
    expect(search.table.read(g) === undefined).toBe(clear === undefined);
  });

  test('as much if its condition is lost, and counts no write', async () => {
    const { port, spent } = metered([aBooking('g')]);
    await port.get(g);

    const outcomes = await port.transact({ key: keyIn(aVoyage()), expect: 'absent' }, [
      { key: g, clear: undefined, expect: { State: { S: 'odd' } }, size: 1 },
    ]);

    expect(outcomes).toEqual(['lost']);
    expect(spent).toMatchObject({ writeUnits: 2 + 2 + 1, writes: 0 });
  });

  test('waits for the budget of writes', async () => {
    const search = new ModelSearch([aBooking('g')]);
    const budgets = { reads: unlimited(search.clock), writes: new Budget(1, search.clock) };
    const { port } = meteredTable(search.port, table, budgets);
    await port.get(g);
    const began = search.clock.now();

    await port.transact({ key: keyIn(aVoyage()), expect: 'absent' }, [
      { key: g, clear: undefined, expect: {}, size: 1 },
    ]);

    expect(search.clock.now() - began).toBe(5000);
  });
});

/** A metered table with these items; its reads wait for so many units a second. */
function metered(items: readonly Item[], readsPerSecond?: number) {
  const search = new ModelSearch(items);
  const { clock } = search;
  const reads = readsPerSecond === undefined ? unlimited(clock) : new Budget(readsPerSecond, clock);
  return { search, ...meteredTable(search.port, table, { reads, writes: unlimited(clock) }) };
}
