import { describe, expect, test } from 'vitest';
import { propagateBatch } from '../../src/propagation/propagate-batch.ts';
import { aBooking, aCrewing, aSailor, aVoyage } from '../fixtures/cruises/cruise-items.ts';
import { keyIn, oneBatch, spent, workerOver } from '../fixtures/cruises/cruise-worker.ts';

const hundred = Array.from({ length: 100 }, (_, index) => String(index).padStart(3, '0'));
const bookings = hundred.map((guest) => aBooking(guest));
const crews = hundred.map((ship) => aCrewing(ship));

describe('the cost of work', () => {
  test('100 copies in one page that all differ, located by partition: 1 query, 1 root read, 100 writes', async () => {
    const worker = workerOver([aVoyage(), ...bookings]);
    worker.table.put(aVoyage({ State: 'CLOSED' }));

    await oneBatch(worker);

    expect(spent(worker)).toEqual({
      queryPartition: 1,
      get: 1,
      update: 1,
      itemsRead: 101,
      itemsWritten: 100,
    });
    expect(worker.queue.sent).toEqual([]);
    expect(worker.table.partition('line_1#voyage_a#bookings').map(({ State }) => State)).toEqual(
      hundred.map(() => ({ S: 'CLOSED' })),
    );
  });

  test('100 copies located by index: 1 index query, 1 batch read, 1 root read, 100 writes, 1 recheck', async () => {
    const worker = workerOver([aSailor(), ...crews]);
    worker.table.put(aSailor({ Name: 'Queequeg' }));

    await oneBatch(worker);

    expect(spent(worker)).toEqual({
      queryIndex: 1,
      getMany: 1,
      get: 1,
      update: 1,
      itemsRead: 201,
      itemsWritten: 100,
    });
    expect(worker.queue.sent).toEqual([
      {
        id: expect.any(String),
        delaySeconds: 60,
        message: expect.objectContaining({ recheck: true, cause: 'changed' }),
      },
    ]);
  });

  test('a root and its copies in one batch: the propagation of the root is the check of its copies', async () => {
    const worker = workerOver([aVoyage(), ...bookings]);
    worker.table.put(aVoyage({ State: 'CLOSED' }));
    for (const guest of hundred.slice(0, 5)) worker.table.put(aBooking(guest, { State: 'MEDDLED' }));

    await oneBatch(worker);

    expect(spent(worker)).toEqual({
      queryPartition: 1,
      get: 1,
      update: 1,
      itemsRead: 101,
      itemsWritten: 100,
    });
    expect(worker.telemetry.propagations).toMatchObject([{ cause: 'changed', written: 100, lost: 0 }]);
  });

  test('a root and its copies in one batch, located by index: the copies are still checked', async () => {
    const worker = workerOver([aSailor(), ...crews.slice(0, 3)]);
    worker.table.put(aSailor({ Name: 'Queequeg' }));
    worker.table.put(aCrewing('900', { Name: 'Ishmael' }));

    await oneBatch(worker);

    expect(worker.telemetry.propagations.map(({ cause }) => cause).sort()).toEqual(['changed', 'check']);
  });

  test('100 copies of which 3 differ: 3 writes', async () => {
    const stale = new Set(['007', '050', '099']);
    const worker = workerOver([
      aVoyage(),
      ...hundred.map((guest) =>
        aBooking(guest, {
          State: stale.has(guest) ? 'OPEN' : 'CLOSED',
          OwnerSort: stale.has(guest) ? 'OPEN#100' : 'CLOSED#100',
        }),
      ),
    ]);
    worker.table.put(aVoyage({ State: 'CLOSED' }));

    await oneBatch(worker);

    expect(spent(worker)).toMatchObject({ queryPartition: 1, get: 1, update: 1, itemsWritten: 3 });
    expect(worker.telemetry.propagations).toMatchObject([{ written: 3, unchanged: 97, lost: 0 }]);
  });

  test('nothing projected changed and nothing moved: 0 requests', async () => {
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

  test('50 changes of one root in a batch, 100 copies: at most 100 writes, one fan-out', async () => {
    const worker = workerOver([aVoyage(), ...bookings]);
    for (let change = 1; change <= 50; change += 1)
      worker.table.put(aVoyage({ Captain: `captain ${change}` }));

    await oneBatch(worker);

    expect(spent(worker)).toEqual({
      queryPartition: 1,
      get: 1,
      update: 1,
      itemsRead: 101,
      itemsWritten: 100,
    });
    expect(worker.telemetry.propagations).toHaveLength(1);
    expect(worker.table.read(keyIn(aBooking('000')))).toMatchObject({ Captain: { S: 'captain 50' } });
  });

  test('the worker’s own 100 writes fed back to it: 0 writes, 1 root read a batch', async () => {
    const worker = workerOver([aVoyage(), ...bookings]);
    worker.table.put(aVoyage({ State: 'CLOSED' }));
    await oneBatch(worker);
    spent(worker);

    await oneBatch(worker);

    expect(spent(worker)).toEqual({ getMany: 1, itemsRead: 1 });
    expect(worker.telemetry.checks).toEqual([{ copies: 100, differing: 0, orphans: 0 }]);
    expect(worker.stream.take()).toEqual([]);
  });

  test('any batch delivered again, whole or in part, in any order: 0 writes', async () => {
    const worker = workerOver([aVoyage(), aSailor(), ...bookings, ...crews]);
    worker.table.put(aVoyage({ State: 'CLOSED' }));
    worker.table.put(aSailor({ Name: 'Queequeg' }));
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
