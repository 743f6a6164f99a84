import { describe, expect, test } from 'vitest';
import { aBooking, aVoyage } from '../../fixtures/cruises/cruise-items.ts';
import { afterClosing, keyIn, oneBatch, workerOver } from '../../fixtures/cruises/cruise-worker.ts';
import { justBefore, requestsOf } from '../../fixtures/cruises/table-faults.ts';

const g = keyIn(aBooking('g'));

describe('a write that lost its condition', () => {
  test('is planned again from the copy and then the root, both read again', async () => {
    const worker = afterClosing(['f', 'g']);
    justBefore(worker, 'update', () => worker.table.update(g, { set: { Captain: { S: 'Nemo' } } }));
    const requests = requestsOf(worker);

    await oneBatch(worker);

    const kinds = requests.map(({ kind }) => kind);
    expect(kinds).toEqual(['queryPartition', 'get', 'update', 'getMany', 'get', 'update']);
    expect(worker.table.read(g)).toMatchObject({ State: { S: 'CLOSED' }, Captain: { S: 'Ahab' } });
    expect(worker.telemetry.propagations).toMatchObject([{ written: 2, lost: 1, requeued: 0 }]);
  });

  test('is counted also if the condition on the root failed', async () => {
    const worker = workerOver([aVoyage(), aBooking('g')]);
    worker.table.delete(keyIn(aVoyage()));
    justBefore(worker, 'remove', () => worker.table.put(aVoyage()));

    await oneBatch(worker);

    expect(worker.telemetry.propagations).toMatchObject([
      { cause: 'deleted', lost: 1, removed: 0, unchanged: 1 },
    ]);
  });
});

describe('a very large number of attributes', () => {
  const many = Object.fromEntries(Array.from({ length: 250 }, (_, index) => [`attribute-${index}`, 'x']));

  test('is copied in one propagation, in writes within the limits of an expression', async () => {
    const worker = workerOver([aVoyage(), aBooking('g')]);
    worker.table.put(aVoyage(many));

    await oneBatch(worker);

    expect(worker.table.read(g)).toEqual(aBooking('g', many));
    expect(worker.telemetry.propagations).toMatchObject([{ written: 3, narrowed: 3, requeued: 0 }]);
  });
});
