import { describe, expect, test } from 'vitest';
import { writeUnits } from '../../../src/model/capacity.ts';
import type { GuardedUpdate } from '../../../src/model/guarded-write.ts';
import type { Item } from '../../../src/model/item.ts';
import { aBooking, aVoyage } from '../../fixtures/cruises/cruise-items.ts';
import { voyageOnBookings } from '../../fixtures/cruises/cruise-rules.ts';
import { keyIn } from '../../fixtures/cruises/cruise-worker.ts';
import { table } from '../../fixtures/model/table.ts';
import { metered } from './metered.ts';

const key = keyIn(aBooking('g'));

function updateOf(set: Item, expected: Item = {}, of = key): GuardedUpdate {
  return { key: of, set, remove: [], expect: expected };
}

/** A backfill over so many wrong bookings of about so many bytes, within budgets, and what it took. */
async function backfilled(bookings: number, bytes: number, limits: { rcu: number; wcu: number }) {
  const Captain = 'x'.repeat(bytes);
  const items = Array.from({ length: bookings / 5 }, (_, n) => [
    aVoyage({ Sort: `voyage_${n}`, Captain }),
    ...['a', 'b', 'c', 'd', 'e'].map((guest) =>
      aBooking(guest, { Part: `line_1#voyage_${n}#bookings`, Captain: `${Captain}, as it was` }),
    ),
  ]).flat();
  const { search, port, spent, seconds, reads } = metered(items, limits);
  const propagations = search.propagations({ table: port, concurrency: 16 });
  const outcome = await search.backfill(voyageOnBookings, { propagations, budget: reads, concurrency: 4 });
  // Priced anew from what the model's history says was written.
  const written = search.table.history
    .filter(({ by }) => by === 'worker')
    .map(({ before, after }) => writeUnits(table, before, after).total);
  const units = { rcu: spent.readUnits + search.scan.units, wcu: written.reduce((a, b) => a + b, 0) };
  return { outcome, spent, seconds: seconds(), units };
}

describe.each(['rcu', 'wcu'] as const)('a budget whose %s take the time', (limited) => {
  test.each([
    [300, 100, 10],
    [300, 3_000, 25],
    [150, 30_000, 100],
  ])('is kept to within a tenth: %i copies of %i bytes at %i units', async (copies, bytes, limit) => {
    const limits = { rcu: 100_000, wcu: 100_000, [limited]: limit };
    const { outcome, seconds, units, spent } = await backfilled(copies, bytes, limits);

    expect(outcome.written).toBe(copies);
    expect(units[limited] / seconds).toBeLessThanOrEqual(limit * 1.1);
    expect(units[limited] / seconds).toBeGreaterThanOrEqual(limit * 0.9);
    expect(spent).toMatchObject({ writeUnits: units.wcu, writes: copies });
  });
});

describe('an update', () => {
  const moved = { OwnerPart: { S: 'bob' }, OwnerSort: { S: 'CLOSED#1' } };
  const nobody = { Captain: { S: 'nobody' } };

  test.each<[string, boolean, Item, object]>([
    // One for the table, two for the index whose key has changed.
    ['by the item that was read, indexes included', true, {}, { writeUnits: 3, writes: 1 }],
    ['as the minimum of a write if its item was not read', false, {}, { writeUnits: 1, writes: 1 }],
    ['as if it changed nothing if its condition is lost', true, nobody, { writeUnits: 1, writes: 0 }],
  ])('is priced %s', async (_, isRead, expected, units) => {
    const { port, spent } = metered([aBooking('g')]);
    if (isRead) await port.getMany([key]);
    await port.update([updateOf(moved, expected)]);

    expect(spent).toMatchObject(units);
  });

  test('that is lost returns the units that it did not cost', async () => {
    const { port, writes, seconds } = metered([aBooking('g')], { wcu: 1 });
    await port.getMany([key]);

    // One for the table and two for the index, had it been written; one as it was not.
    await port.update([updateOf(moved, nobody)]);
    expect(seconds()).toBe(3);
    await writes.take(1);

    expect(writes.taken).toBe(2);
    // Of the two that were given back, one was saved for a second and one has waited too long.
    expect(seconds()).toBe(3);
  });

  test('is written with others that cost a quarter of a second, and a larger one by itself', async () => {
    const guests = ['a', 'b', 'c', 'wide', 'd', 'e'].map((guest) =>
      aBooking(guest, guest === 'wide' ? { Cabin: 'x'.repeat(5000) } : {}),
    );
    const { port, search } = metered(guests, { wcu: 16 });
    await port.getMany(guests.map(keyIn));
    const written: string[] = [];
    search.port.before = (request) => {
      if (request.kind === 'update') written.push(request.updates.map((update) => update.key.sk).join('+'));
    };

    // Two units each, one of them for the index; five and five for the wide one.
    await port.update(guests.map((guest) => updateOf({ Captain: { S: 'Nemo' } }, {}, keyIn(guest))));

    expect(written).toEqual(['a+b', 'c', 'wide', 'd+e']);
  });

  test('has its outcome in the order of the updates, however they are split', async () => {
    const guests = Array.from({ length: 40 }, (_, n) => aBooking(`guest ${n}`, { Captain: `${n}` }));
    const { port, search } = metered(guests, { wcu: 20 });
    await port.getMany(guests.map(keyIn));

    const outcomes = await port.update(
      guests.map((guest, n) =>
        updateOf({ Captain: { S: 'Nemo' } }, n % 3 === 0 ? nobody : { Captain: { S: `${n}` } }, keyIn(guest)),
      ),
    );

    expect(outcomes).toEqual(guests.map((_, n) => (n % 3 === 0 ? 'lost' : 'written')));
    expect(search.port.counts.update).toBeGreaterThan(5);
  });
});

describe('a transaction', () => {
  const root = { key: keyIn(aVoyage()), expect: 'absent' } as const;

  test.each<[string, readonly string[] | undefined, Item, number]>([
    // Two for the condition on the root; the item, of two started KB, twice as much in a transaction; its index entry.
    ['a deletion: the item and its index entry', undefined, {}, 2 + 4 + 2],
    ['a deletion that is lost: the same', undefined, { State: { S: 'odd' } }, 2 + 4 + 2],
    ['a clearing that takes it off the index: the same', ['OwnerSort'], {}, 2 + 4 + 2],
    ['a clearing of another attribute: the item and its entry as they are', ['Captain'], {}, 2 + 4 + 2],
    ['a clearing of what is not there: the item, and no entry', ['Wind'], {}, 2 + 4],
  ])('is priced and waits for %s', async (_, clear, expected, units) => {
    const { port, spent, search, seconds } = metered([aBooking('g', { Cabin: 'x'.repeat(1100) })], {
      wcu: 1,
    });
    await port.get(key);

    const [outcome] = await port.transact(root, [{ key, clear, expect: expected, size: 1 }]);

    expect(spent).toMatchObject({ writeUnits: units, writes: outcome === 'written' ? 1 : 0 });
    expect(outcome).toBe('State' in expected ? 'lost' : 'written');
    expect(seconds()).toBe(units);
    expect(search.table.read(key) === undefined).toBe(clear === undefined && outcome === 'written');
  });

  test('is priced for creations with a condition on the root, and counts what is written', async () => {
    const voyage = aVoyage({ Captain: 'x'.repeat(3000) });
    const { port, spent, search, writes } = metered([voyage, aBooking('taken')], { wcu: 100 });
    await port.get(keyIn(voyage));
    const creations = ['ann', 'bob', 'taken'].map((guest) => {
      const item = aBooking(guest, { Cabin: 'x'.repeat(1500) });
      return { key: keyIn(item), item, size: 2000 };
    });

    const outcomes = await port.transact({ key: keyIn(voyage), expect: {} }, creations);

    expect(outcomes).toEqual(['written', 'written', 'lost']);
    expect(search.table.read(keyIn(aBooking('ann')))).toEqual(creations[0]?.item);
    // Three for the root, and for each copy two and its entry in the index, which a transaction does not double.
    expect(spent).toMatchObject({ writeUnits: 3 * 2 + 3 * (2 * 2 + 2), writes: 2 });
    expect(writes.taken).toBe(spent.writeUnits);
  });
});
