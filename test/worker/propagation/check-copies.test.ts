import { describe, expect, test } from 'vitest';
import { aBooking, aCrewing, aSailor, aVoyage } from '../../fixtures/cruises/cruise-items.ts';
import { oneBatch, spent, workerOver } from '../../fixtures/cruises/cruise-worker.ts';

describe('a copy that is checked', () => {
  test.each([
    ['it is right', aVoyage(), aBooking('g')],
    ['its root places it elsewhere', aSailor(), aCrewing('s', { OwnerPart: 'SAILOR#2' })],
  ])('costs one read of its root if %s, and no propagation', async (_, root, copy) => {
    const worker = workerOver([root]);
    worker.table.put(copy);

    await oneBatch(worker);

    expect([spent(worker), worker.telemetry.propagations]).toEqual([{ getMany: 1, itemsRead: 1 }, []]);
  });
});
