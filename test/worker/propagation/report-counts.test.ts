import { describe, expect, test } from 'vitest';
import { propagateBatch } from '../../../src/worker/propagation/propagate-batch.ts';
import { aBooking, aCrewing, aSailor, aVoyage } from '../../fixtures/cruises/cruise-items.ts';
import { keyIn, oneBatch, spent, workerOver } from '../../fixtures/cruises/cruise-worker.ts';

const hundred = Array.from({ length: 100 }, (_, index) => String(index).padStart(3, '0'));
const bookings = hundred.map((guest) => aBooking(guest));
const crews = hundred.map((ship) => aCrewing(ship));
const closed = aVoyage({ State: 'CLOSED' });
const renamed = aSailor({ Name: 'Queequeg' });

/** The requests of one propagation that writes every booking. */
const allCopies = { queryPartition: 1, get: 1, update: 1, itemsRead: 101, itemsWritten: 100 };

describe('the cost', () => {
  test('of 100 copies in a partition that all differ is one query, one root read and 100 writes', async () => {
    const worker = workerOver([aVoyage(), ...bookings]);
    worker.table.put(closed);

    await oneBatch(worker);

    expect(spent(worker)).toEqual(allCopies);
    expect(worker.queue.sent).toEqual([]);
    expect(worker.table.partition('line_1#voyage_a#bookings').map(({ State }) => State)).toEqual(
      hundred.map(() => ({ S: 'CLOSED' })),
    );
  });

  test('of 100 copies in an index is an index query, a batch read, a root read, 100 writes and a recheck', async () => {
    const worker = workerOver([aSailor(), ...crews]);
    worker.table.put(renamed);

    await oneBatch(worker);

    const requests = { queryIndex: 1, getMany: 1, get: 1, update: 1 };
    expect(spent(worker)).toEqual({ ...requests, itemsRead: 201, itemsWritten: 100 });
    expect(worker.queue.sent).toMatchObject([
      { delaySeconds: 60, message: { recheck: true, cause: 'changed' } },
    ]);
  });

  test('of a root and its copies in one batch is that of the propagation, which also checks the copies', async () => {
    const worker = workerOver([aVoyage(), ...bookings]);
    worker.table.put(closed);
    for (const guest of hundred.slice(0, 5)) worker.table.put(aBooking(guest, { State: 'MEDDLED' }));

    await oneBatch(worker);

    expect(spent(worker)).toEqual(allCopies);
    expect(worker.telemetry.propagations).toMatchObject([{ cause: 'changed', written: 100, lost: 0 }]);
  });

  test('of a root and its copies in one batch includes their check if an index locates them', async () => {
    const worker = workerOver([aSailor(), ...crews.slice(0, 3)]);
    worker.table.put(renamed);
    worker.table.put(aCrewing('900', { Name: 'Ishmael' }));

    await oneBatch(worker);

    expect(worker.telemetry.propagations.map(({ cause }) => cause).sort()).toEqual(['changed', 'check']);
  });

  test('of 100 copies of which 3 differ is 3 writes', async () => {
    const stale = new Set(['007', '050', '099']);
    const right = { State: 'CLOSED', OwnerSort: 'CLOSED#100' };
    const copies = hundred.map((guest) => aBooking(guest, stale.has(guest) ? {} : right));
    const worker = workerOver([aVoyage(), ...copies]);
    worker.table.put(closed);

    await oneBatch(worker);

    expect(spent(worker)).toMatchObject({ queryPartition: 1, get: 1, update: 1, itemsWritten: 3 });
    expect(worker.telemetry.propagations).toMatchObject([{ written: 3, unchanged: 97, lost: 0 }]);
  });

  test('is nothing if no copied attribute changes and no copy moves', async () => {
    const worker = workerOver([aVoyage(), aSailor(), ...bookings, ...crews]);
    worker.table.put(aSailor({ Rank: 'captain' }));
    worker.table.put(aVoyage({ EndsAt: 9, StatePart: 'x', StateSort: 'y' }));
    worker.table.update(keyIn(aBooking('000')), { set: { Cabin: { S: 'another' } } });
    worker.table.update(keyIn(aCrewing('000')), { set: { Duty: { S: 'cook' } } });
    worker.table.delete(keyIn(aCrewing('001')));

    const failed = await oneBatch(worker);

    expect(spent(worker)).toEqual({});
    expect([...failed]).toEqual([]);
    expect(worker.queue.sent).toEqual([]);
  });

  test('of 50 changes of one root in a batch is one propagation of its last state', async () => {
    const worker = workerOver([aVoyage(), ...bookings]);
    for (let change = 1; change <= 50; change += 1)
      worker.table.put(aVoyage({ Captain: `captain ${change}` }));

    await oneBatch(worker);

    expect(spent(worker)).toEqual(allCopies);
    expect(worker.telemetry.propagations).toHaveLength(1);
    expect(worker.table.read(keyIn(aBooking('000')))).toMatchObject({ Captain: { S: 'captain 50' } });
  });

  test('of the records of its own 100 writes is one root read', async () => {
    const worker = workerOver([aVoyage(), ...bookings]);
    worker.table.put(closed);
    await oneBatch(worker);
    spent(worker);

    await oneBatch(worker);

    expect(spent(worker)).toEqual({ getMany: 1, itemsRead: 1 });
    expect(worker.telemetry.checks).toEqual([{ copies: 100, differing: 0, orphans: 0 }]);
    expect(worker.stream.take()).toEqual([]);
  });

  test('of a batch that is delivered again, whole or in part, in any order, includes no write', async () => {
    const worker = workerOver([aVoyage(), aSailor(), ...bookings, ...crews]);
    worker.table.put(closed);
    worker.table.put(renamed);
    const batch = worker.stream.take();
    await propagateBatch(worker.context, batch);
    await worker.rest();
    spent(worker);

    await propagateBatch(worker.context, batch.toReversed());
    await propagateBatch(worker.context, batch.slice(1));
    await propagateBatch(worker.context, [...batch, ...batch]);
    await worker.rest();

    expect(spent(worker)).not.toHaveProperty('itemsWritten');
  });
});
