import { describe, expect, test } from 'vitest';
import type { ModelWorker } from '../../../src/develop/testing/table-model/model-worker.ts';
import type { Item } from '../../../src/model/item.ts';
import { makeRegistry } from '../../../src/model/registry.ts';
import { fanOutBatch, propagateMessage } from '../../../src/worker/propagation/fan-out-batch.ts';
import { aCrewing, aSailor } from '../../fixtures/cruises/cruise-items.ts';
import { cruiseRules, cruises, nameOnCrewThat, nameOnRankThat } from '../../fixtures/cruises/cruise-rules.ts';
import { keyIn, oneBatch, spent, workerOver } from '../../fixtures/cruises/cruise-worker.ts';
import { table } from '../../fixtures/model/table.ts';

const renamed = aSailor({ Name: 'Queequeg' });
const recheck = {
  rule: 'name-on-crew',
  root: keyIn(renamed),
  cause: 'changed',
  recheck: true,
  attempts: 0,
} as const;

/** The crewings of this sailor, with this name. */
function crewings(count: number, Name: string) {
  return Array.from({ length: count }, (_, ship) => aCrewing(String(ship).padStart(4, '0'), { Name }));
}

/** A copy that the index shows only after the root has changed and a fan-out has not found it; then the recheck. */
async function showLater(worker: ModelWorker, copy: Item, change: () => void): Promise<void> {
  worker.table.indexes.lag = 1_000;
  worker.table.put(copy);
  worker.stream.take();
  change();
  await oneBatch(worker);
  worker.table.indexes.catchUp();
  await fanOutBatch(worker.context, worker.queue.take());
}

/** What the worker asks of the table, in order. */
function requestsOf(worker: ReturnType<typeof workerOver>): string[] {
  const kinds: string[] = [];
  worker.port.before = ({ kind }) => void kinds.push(kind);
  return kinds;
}

describe('the recheck of an index that projects ALL', () => {
  test('of 1,000 right copies is three queries and two reads of the root: no copy is read', async () => {
    const worker = workerOver([renamed, ...crewings(1_000, 'Queequeg')]);

    await propagateMessage(worker.context, recheck);
    await worker.rest();

    expect(spent(worker)).toEqual({ queryIndexEntries: 3, get: 3, itemsRead: 1_003 });
    expect(worker.telemetry.propagations).toMatchObject([
      { recheck: true, unchanged: 500 },
      { recheck: true, unchanged: 500 },
      { recheck: true, unchanged: 0 },
    ]);
  });

  test('reads only the copies whose entries differ, and writes those that do', async () => {
    const worker = workerOver([renamed, ...crewings(98, 'Queequeg'), aCrewing('x'), aCrewing('y')]);
    worker.table.indexes.lag = 1_000;
    worker.table.put(aCrewing('y', { Name: 'Queequeg' }));

    await propagateMessage(worker.context, recheck);

    expect(spent(worker)).toMatchObject({ queryIndexEntries: 1, getMany: 1, update: 1, itemsWritten: 1 });
    expect(worker.telemetry.propagations).toMatchObject([{ unchanged: 99, written: 1, lost: 0 }]);
    expect(worker.table.read(keyIn(aCrewing('x')))).toMatchObject({ Name: { S: 'Queequeg' } });
  });

  test('reads the root after the entries, and again after the copies', async () => {
    const worker = workerOver([renamed, aCrewing('x')]);
    const kinds = requestsOf(worker);

    await propagateMessage(worker.context, {
      ...recheck,
      locations: [{ in: 'index', index: 'ByOwner', pk: 'SAILOR#1', begins: 'SHIP#' }],
    });

    expect(kinds).toEqual(['queryIndexEntries', 'get', 'getMany', 'get', 'update']);
  });

  test('compares entries with the root as it is after they were read', async () => {
    const worker = workerOver([aSailor(), aCrewing('x')]);
    worker.port.before = ({ kind }) => {
      if (kind === 'get') worker.table.put(renamed);
    };

    await propagateMessage(worker.context, recheck);

    expect(worker.table.read(keyIn(aCrewing('x')))).toMatchObject({ Name: { S: 'Queequeg' } });
  });

  test('leaves out a copy that was changed after its entry, which its own record corrects', async () => {
    const worker = workerOver([renamed, aCrewing('x', { Name: 'Queequeg' })]);
    worker.table.indexes.lag = 1_000;
    worker.table.put(aCrewing('x', { Name: 'meddled' }));

    await propagateMessage(worker.context, recheck);
    expect(spent(worker)).toMatchObject({ queryIndexEntries: 1 });
    expect(worker.table.read(keyIn(aCrewing('x')))).toMatchObject({ Name: { S: 'meddled' } });
    await oneBatch(worker);

    expect(worker.table.read(keyIn(aCrewing('x')))).toMatchObject({ Name: { S: 'Queequeg' } });
  });

  test('finds a copy that the index did not show before', async () => {
    const worker = workerOver([aSailor()]);
    await showLater(worker, aCrewing('late'), () => worker.table.put(renamed));

    expect(worker.table.read(keyIn(aCrewing('late')))).toMatchObject({ Name: { S: 'Queequeg' } });
  });

  test.each(['delete', 'clear'] as const)(
    'removes a copy that the index did not show when its root was deleted: %s',
    async (policy) => {
      const worker = workerOver([aSailor()], {}, cruises(nameOnCrewThat(policy, 'keep')));
      await showLater(worker, aCrewing('late'), () => worker.table.delete(keyIn(aSailor())));

      const late = worker.table.read(keyIn(aCrewing('late')));
      if (policy === 'delete') expect(late).toBeUndefined();
      else expect(late).not.toHaveProperty('Name');
    },
  );

  test('removes a copy that the index did not show when its root left its location', async () => {
    const worker = workerOver([aSailor()], {}, cruises(nameOnRankThat('delete', 'keep')));
    const copy = aCrewing('late', { OwnerPart: 'RANK#mate' });
    await showLater(worker, copy, () => worker.table.put(aSailor({ Rank: 'master' })));

    expect(worker.table.read(keyIn(copy))).toBeUndefined();
  });

  test('does not bring back a copy that was deleted after its entry', async () => {
    const worker = workerOver([renamed, aCrewing('x')]);
    worker.table.indexes.lag = 1_000;
    worker.table.delete(keyIn(aCrewing('x')));

    await propagateMessage(worker.context, recheck);

    expect(worker.table.read(keyIn(aCrewing('x')))).toBeUndefined();
    expect(spent(worker)).not.toHaveProperty('itemsWritten');
  });
});

test('the first query of a fan-out reads every copy from the table, whatever its entry says', async () => {
  const worker = workerOver([renamed, ...crewings(3, 'Queequeg')]);
  const { recheck: _, ...first } = recheck;

  await propagateMessage(worker.context, first);

  expect(spent(worker)).toMatchObject({ queryIndex: 1, getMany: 1 });
});

test('the recheck of an index that may hold less reads every copy from the table', async () => {
  const { name, pk, sk } = table.indexes.ByOwner;
  const indexes = { ...table.indexes, ByOwner: { name, pk, sk } };
  const registry = makeRegistry({ ...table, indexes }, cruiseRules, []);
  const worker = workerOver([renamed, ...crewings(3, 'Queequeg')], {}, registry);

  await propagateMessage(worker.context, recheck);

  expect(spent(worker)).toMatchObject({ queryIndex: 1, getMany: 1 });
});
