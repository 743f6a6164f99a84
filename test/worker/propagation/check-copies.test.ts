import { describe, expect, test } from 'vitest';
import { makeRegistry } from '../../../src/model/registry.ts';
import { aBooking, aCrewing, aLeg, aSailor, aTicket, aVoyage } from '../../fixtures/cruises/cruise-items.ts';
import { onBookings } from '../../fixtures/cruises/cruise-rules.ts';
import { keyIn, oneBatch, spent, workerOver } from '../../fixtures/cruises/cruise-worker.ts';
import { item } from '../../fixtures/model/items.ts';
import { table } from '../../fixtures/model/table.ts';

const g = keyIn(aBooking('g'));

describe('a copy that is checked', () => {
  test('is corrected if it was written late, from a stale root', async () => {
    const worker = workerOver([aSailor({ Name: 'Queequeg' })]);
    worker.table.put(aCrewing('s'));

    await oneBatch(worker);

    expect(worker.table.read(keyIn(aCrewing('s')))).toEqual(aCrewing('s', { Name: 'Queequeg' }));
    expect(worker.telemetry.checks).toEqual([{ copies: 1, differing: 1, orphans: 0 }]);
  });

  test('is corrected if an application overwrites it, and keeps its own attributes', async () => {
    const worker = workerOver([aVoyage(), aBooking('g')]);
    worker.table.put(item({ Part: 'line_1#voyage_a#bookings', Sort: 'g', Cabin: 'suite', Stray: 1 }));

    await worker.rest();

    expect(worker.table.read(g)).toEqual(aBooking('g', { Cabin: 'suite', OwnerPart: undefined }));
  });

  test('follows a change of its own attributes, if the rule derives from them', async () => {
    const worker = workerOver([aTicket(), aLeg()]);
    worker.table.update(keyIn(aLeg()), { set: { PortId: { S: 'q' } } });

    await worker.rest();

    expect(worker.table.read(keyIn(aLeg()))).toEqual(aLeg({ PortId: 'q', OwnerPart: 'PORT#q' }));
  });

  test('is left alone if its root does not exist yet, and is updated when the root is inserted', async () => {
    const worker = workerOver([]);
    worker.table.put(aLeg({ OwnerPart: undefined, OwnerSort: undefined }));
    await worker.rest();
    expect(worker.port.counts.itemsWritten).toBe(0);

    worker.table.put(aTicket());
    await worker.rest();

    expect(worker.table.read(keyIn(aLeg()))).toEqual(aLeg());
  });

  test('reads each root once for many copies', async () => {
    const worker = workerOver([aVoyage(), aVoyage({ Sort: 'voyage_b' })]);
    for (let guest = 0; guest < 30; guest += 1) {
      worker.table.put(aBooking(`g${guest}`));
      worker.table.put(aBooking(`g${guest}`, { Part: 'line_1#voyage_b#bookings', State: 'stale' }));
    }

    await oneBatch(worker);

    expect(spent(worker)).toEqual({ getMany: 2, get: 1, update: 1, itemsRead: 2 + 30 + 1, itemsWritten: 30 });
  });

  test('is written alone if the others are correct', async () => {
    const worker = workerOver([aVoyage()]);
    worker.table.put(aBooking('f'));
    worker.table.put(aBooking('g', { State: 'stale' }));

    await oneBatch(worker);

    expect(worker.telemetry.propagations).toMatchObject([{ cause: 'check', written: 1, unchanged: 0 }]);
  });

  test('costs one read of its root if it is right, and no propagation', async () => {
    const worker = workerOver([aVoyage()]);
    worker.table.put(aBooking('g'));

    await oneBatch(worker);

    expect([spent(worker), worker.telemetry.propagations]).toEqual([{ getMany: 1, itemsRead: 1 }, []]);
  });

  test('is dead-lettered if it lacks an attribute that a derivation reads', async () => {
    const worker = workerOver([aTicket()]);
    worker.table.put(aLeg({ PortId: undefined }));

    await worker.rest();

    const message = { copies: [keyIn(aLeg())] };
    expect(worker.queue.deadLettered).toMatchObject([{ code: 'copy.invalid', message }]);
    expect(worker.port.counts.itemsWritten).toBe(0);
  });

  test('is checked once per batch, even with several records', async () => {
    const worker = workerOver([aVoyage(), aBooking('g')]);
    for (const state of ['a', 'b', 'c']) worker.table.update(g, { set: { State: { S: state } } });

    await oneBatch(worker);

    expect(spent(worker)).toMatchObject({ itemsWritten: 1 });
  });

  test('is checked by each rule that copies from its root', async () => {
    const worker = workerOver(
      [aVoyage()],
      {},
      makeRegistry(table, [onBookings('State'), onBookings('Captain')]),
    );
    worker.table.put(aBooking('g', { State: 'stale', Captain: 'stale' }));

    await oneBatch(worker);

    expect(worker.table.read(g)).toMatchObject({ State: { S: 'OPEN' }, Captain: { S: 'Ahab' } });
  });
});
