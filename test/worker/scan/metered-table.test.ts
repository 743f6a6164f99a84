import { describe, expect, test } from 'vitest';
import { writeUnits } from '../../../src/model/capacity.ts';
import type { Item } from '../../../src/model/item.ts';
import { Budget, unlimited } from '../../../src/worker/scan/budget.ts';
import { meteredTable } from '../../../src/worker/scan/metered-table.ts';
import { aBooking, aCrewing, aVoyage } from '../../fixtures/cruises/cruise-items.ts';
import { voyageOnBookings } from '../../fixtures/cruises/cruise-rules.ts';
import { keyIn } from '../../fixtures/cruises/cruise-worker.ts';
import { table } from '../../fixtures/model/table.ts';
import { ModelSearch } from '../verify/search.ts';

/** A backfill over so many wrong bookings of about so many bytes, within budgets, and what it took. */
async function backfilled(bookings: number, bytes: number, rcu: number, wcu: number) {
  const Captain = 'x'.repeat(bytes);
  const items: Item[] = Array.from({ length: bookings / 5 }, (_, n) => [
    aVoyage({ Sort: `voyage_${n}`, Captain }),
    ...['a', 'b', 'c', 'd', 'e'].map((guest) =>
      aBooking(guest, { Part: `line_1#voyage_${n}#bookings`, Captain: `${Captain}, as it was` }),
    ),
  ]).flat();
  const search = new ModelSearch(items);
  const { clock, registry, scan } = search;
  const began = clock.now();
  const reads = new Budget(rcu, clock);
  const { port, spent } = meteredTable(search.port, registry.table, {
    reads,
    writes: new Budget(wcu, clock),
  });
  const propagations = search.propagations({ table: port, concurrency: 16 });
  const outcome = await search.backfill(voyageOnBookings, { propagations, budget: reads, concurrency: 4 });
  // Priced anew from what the model's history says was written.
  const written = search.table.history
    .filter(({ by }) => by === 'worker')
    .map(({ before, after }) => writeUnits(table, before, after).total);
  return {
    outcome,
    spent,
    seconds: (clock.now() - began) / 1000,
    readUnits: spent.readUnits + scan.units,
    writeUnits: written.reduce((sum, units) => sum + units, 0),
  };
}

describe('budgets of a metered table', () => {
  test.each([
    [300, 100, 10],
    [300, 3_000, 25],
    [150, 30_000, 100],
  ])(
    'are kept to within a tenth if writes take the time: %i copies of %i bytes at %i units',
    async (...of) => {
      const [copies, bytes, wcu] = of;
      const { outcome, seconds, writeUnits: units, spent } = await backfilled(copies, bytes, 100_000, wcu);

      expect(outcome.written).toBe(copies);
      expect(units / seconds).toBeLessThanOrEqual(wcu * 1.1);
      expect(units / seconds).toBeGreaterThanOrEqual(wcu * 0.9);
      expect(spent.writeUnits).toBe(units);
      expect(spent.writes).toBe(copies);
    },
  );

  test.each([
    [300, 100, 10],
    [300, 3_000, 25],
    [150, 30_000, 100],
  ])(
    'are kept to within a tenth if reads take the time: %i copies of %i bytes at %i units',
    async (...of) => {
      const [copies, bytes, rcu] = of;
      const { outcome, seconds, readUnits } = await backfilled(copies, bytes, rcu, 100_000);

      expect(outcome.written).toBe(copies);
      expect(readUnits / seconds).toBeLessThanOrEqual(rcu * 1.1);
      expect(readUnits / seconds).toBeGreaterThanOrEqual(rcu * 0.9);
    },
  );
});

describe('a metered table', () => {
  test('prices a write by the item that was read before it, indexes included', async () => {
    const search = new ModelSearch([aVoyage(), aBooking('ann', { OwnerSort: 'CLOSED#1' })]);
    const budgets = { reads: unlimited(search.clock), writes: unlimited(search.clock) };
    const { port, spent } = meteredTable(search.port, table, budgets);
    const key = keyIn(aBooking('ann'));
    await port.getMany([key]);

    await port.update([{ key, set: { OwnerSort: { S: 'OPEN#100' } }, remove: [], expect: {} }]);

    // One for the table, two for the index whose key has changed.
    expect(spent).toEqual({ readUnits: 1, writeUnits: 3, writes: 1 });
  });

  test('prices a page of an index’s entries by their size, at half the price', async () => {
    const search = new ModelSearch(['1', '2', '3'].map((ship) => aCrewing(ship, { Duty: 'x'.repeat(5000) })));
    const budgets = { reads: unlimited(search.clock), writes: unlimited(search.clock) };
    const { port, spent } = meteredTable(search.port, table, budgets);

    const page = await port.query({ in: 'index', index: 'ByOwner', pk: 'SAILOR#1' }, 2, undefined, true);

    expect(page).toMatchObject({ entries: [{ Sort: { S: 'CREW#1' } }, {}], next: expect.anything() });
    // Ten thousand bytes are three units of 4 KB.
    expect(spent).toEqual({ readUnits: 1.5, writeUnits: 0, writes: 0 });
  });

  test('prices creations as a transaction with a condition on the root, and counts what is written', async () => {
    const root = aVoyage({ Captain: 'x'.repeat(3000) });
    const search = new ModelSearch([root, aBooking('taken')]);
    const writes = new Budget(100, search.clock);
    const { port, spent } = meteredTable(search.port, table, { reads: unlimited(search.clock), writes });
    await port.get(keyIn(root));
    const creations = ['ann', 'bob', 'taken'].map((guest) => {
      const item = aBooking(guest, { Cabin: 'x'.repeat(1500) });
      return { key: keyIn(item), item, size: 2000 };
    });

    const outcomes = await port.transact({ key: keyIn(root), expect: {} }, creations);

    expect(outcomes).toEqual(['written', 'written', 'lost']);
    expect(search.table.read(keyIn(aBooking('ann')))).toEqual(creations[0]?.item);
    // Three for the root, and for each copy two and its entry in the index, which a transaction does not double.
    expect(spent).toMatchObject({ writeUnits: 3 * 2 + 3 * (2 * 2 + 2), writes: 2 });
    expect(writes.taken).toBe(spent.writeUnits);
  });

  test('charges a lost condition, and counts no write', async () => {
    const search = new ModelSearch([aBooking('ann')]);
    const budgets = { reads: unlimited(search.clock), writes: unlimited(search.clock) };
    const { port, spent } = meteredTable(search.port, table, budgets);
    const key = keyIn(aBooking('ann'));
    await port.getMany([key]);

    const outcomes = await port.update([
      { key, set: { Captain: { S: 'Nemo' } }, remove: [], expect: { Captain: { S: 'nobody' } } },
    ]);

    expect(outcomes).toEqual(['lost']);
    expect(spent).toMatchObject({ writeUnits: 1, writes: 0 });
  });

  test('returns the units that a lost write did not cost', async () => {
    const search = new ModelSearch([aBooking('ann')]);
    const writes = new Budget(1, search.clock);
    const { port } = meteredTable(search.port, table, { reads: unlimited(search.clock), writes });
    const key = keyIn(aBooking('ann'));
    await port.getMany([key]);
    const began = search.clock.now();

    // One for the table and two for the index, had it been written; one as it was not.
    await port.update([
      { key, set: { OwnerSort: { S: 'CLOSED' } }, remove: [], expect: { Captain: { S: 'nobody' } } },
    ]);
    expect(search.clock.now() - began).toBe(3000);
    await writes.take(1);

    expect(writes.taken).toBe(2);
    // Of the two that were given back, one was saved for a second and one has waited too long.
    expect(search.clock.now() - began).toBe(3000);
  });

  test('prices a write of an unread item as the minimum of a write', async () => {
    const search = new ModelSearch([aBooking('ann')]);
    const budgets = { reads: unlimited(search.clock), writes: unlimited(search.clock) };
    const { port, spent } = meteredTable(search.port, table, budgets);

    await port.update([
      {
        ...{ key: keyIn(aBooking('ann')), remove: [], expect: {} },
        set: { OwnerPart: { S: 'bob' }, OwnerSort: { S: 'OPEN#100' } },
      },
    ]);

    expect(spent).toEqual({ readUnits: 0, writeUnits: 1, writes: 1 });
  });

  test('writes a quarter of a second’s worth at once, and a larger write by itself', async () => {
    const guests = ['a', 'b', 'c', 'd', 'e'].map((guest) => aBooking(guest));
    const search = new ModelSearch([...guests, aBooking('wide', { Cabin: 'x'.repeat(5000) })]);
    const budgets = { reads: unlimited(search.clock), writes: new Budget(16, search.clock) };
    const { port } = meteredTable(search.port, table, budgets);
    const keys = ['a', 'b', 'c', 'wide', 'd', 'e'].map((guest) => keyIn(aBooking(guest)));
    await port.getMany(keys);
    const written: string[] = [];
    search.port.before = (request) => {
      if (request.kind === 'update') written.push(request.updates.map(({ key }) => key.sk).join('+'));
    };

    // Two units each, one of them for the index; five and five for the wide one.
    await port.update(keys.map((key) => ({ key, set: { Captain: { S: 'Nemo' } }, remove: [], expect: {} })));

    expect(written).toEqual(['a+b', 'c', 'wide', 'd+e']);
  });

  test('returns outcomes in the order of the updates, however they are split', async () => {
    const guests = Array.from({ length: 40 }, (_, n) => aBooking(`guest ${n}`, { Captain: `${n}` }));
    const search = new ModelSearch(guests);
    const budgets = { reads: unlimited(search.clock), writes: new Budget(20, search.clock) };
    const { port } = meteredTable(search.port, table, budgets);
    await port.getMany(guests.map(keyIn));

    const outcomes = await port.update(
      guests.map((guest, n) => ({
        key: keyIn(guest),
        set: { Captain: { S: 'Nemo' } },
        remove: [],
        expect: { Captain: { S: n % 3 === 0 ? 'nobody' : `${n}` } },
      })),
    );

    expect(outcomes).toEqual(guests.map((_, n) => (n % 3 === 0 ? 'lost' : 'written')));
    expect(search.port.counts.update).toBeGreaterThan(5);
  });
});
