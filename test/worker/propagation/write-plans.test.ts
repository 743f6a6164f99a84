import { describe, expect, test } from 'vitest';
import { anIncident, aParticipation } from '../../fixtures/world/items.ts';
import { justBefore, requestsOf } from '../../fixtures/world/table-faults.ts';
import { keyIn, oneBatch } from '../../fixtures/world/worker.ts';
import { afterClosing, workerOver } from '../../fixtures/world/world.ts';

const g = keyIn(aParticipation('g'));

describe('a write that lost its condition', () => {
  test('is planned again from the copy and then the root, both read again', async () => {
    const worker = afterClosing(['f', 'g']);
    justBefore(worker, 'update', () => worker.table.update(g, { set: { Lead: { S: 'Erik' } } }));
    const requests = requestsOf(worker);

    await oneBatch(worker);

    const kinds = requests.map(({ kind }) => kind);
    expect(kinds).toEqual(['queryPartition', 'get', 'update', 'getMany', 'get', 'update']);
    expect(worker.table.read(g)).toMatchObject({ State: { S: 'CLOSED' }, Lead: { S: 'Dana' } });
    expect(worker.telemetry.propagations).toMatchObject([{ written: 2, lost: 1, requeued: 0 }]);
  });

  test('is counted also if the condition on the root failed', async () => {
    const worker = workerOver([anIncident(), aParticipation('g')]);
    worker.table.delete(keyIn(anIncident()));
    justBefore(worker, 'remove', () => worker.table.put(anIncident()));

    await oneBatch(worker);

    expect(worker.telemetry.propagations).toMatchObject([
      { cause: 'deleted', lost: 1, removed: 0, unchanged: 1 },
    ]);
  });
});

describe('a very large number of attributes', () => {
  const many = Object.fromEntries(Array.from({ length: 250 }, (_, index) => [`attribute-${index}`, 'x']));

  test('is copied in one propagation, in writes within the limits of an expression', async () => {
    const worker = workerOver([anIncident(), aParticipation('g')]);
    worker.table.put(anIncident(many));

    await oneBatch(worker);

    expect(worker.table.read(g)).toEqual(aParticipation('g', many));
    expect(worker.telemetry.propagations).toMatchObject([{ written: 3, narrowed: 3, requeued: 0 }]);
  });
});
