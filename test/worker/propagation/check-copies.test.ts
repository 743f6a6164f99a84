import { describe, expect, test } from 'vitest';
import { aBooking, aCrewing, aLeg, aSailor, aTicket, aVoyage } from '../../fixtures/cruises/cruise-items.ts';
import { keyIn, oneBatch, spent, workerOver } from '../../fixtures/cruises/cruise-worker.ts';

describe('a copy that is checked', () => {
  test('is corrected if it was written late, from a stale root', async () => {
    const worker = workerOver([aSailor({ Name: 'Queequeg' })]);
    worker.table.put(aCrewing('s'));

    await oneBatch(worker);

    expect(worker.table.read(keyIn(aCrewing('s')))).toEqual(aCrewing('s', { Name: 'Queequeg' }));
    expect(worker.telemetry.checks).toEqual([{ copies: 1, differing: 1, orphans: 0 }]);
  });

  test.each([
    ['it is right', aVoyage(), aBooking('g')],
    ['its root places it elsewhere', aSailor(), aCrewing('s', { OwnerPart: 'SAILOR#2' })],
  ])('costs one read of its root if %s, and no propagation', async (_, root, copy) => {
    const worker = workerOver([root]);
    worker.table.put(copy);

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
});
