import { expect, test } from 'vitest';
import { Stopped, stoppableTable } from '../../../src/archive/sweep/stoppable-table.ts';
import type { TablePort } from '../../../src/ports.ts';
import { aLegOf, aUsedTicket } from '../../fixtures/cruises/cruise-aging.ts';
import { keyIn, workerOver } from '../../fixtures/cruises/cruise-worker.ts';

const key = keyIn(aUsedTicket());

test.each<[string, (table: TablePort) => Promise<unknown>]>([
  ['an item', (table) => table.get(key)],
  ['items', (table) => table.getMany([key])],
  ['a partition', (table) => table.queryPartition({ in: 'partition', pk: key.pk }, 10)],
  ['an index', (table) => table.queryIndex({ in: 'index', index: 'ByState', pk: 'STATUS#USED' }, 10)],
])('a table that is to stop does not read %s any more, and did before', async (_, read) => {
  const { port } = workerOver([aUsedTicket()]);
  let isToStop = false;
  const stoppable = stoppableTable(port, () => isToStop);

  expect(await read(stoppable)).toEqual(await read(port));
  isToStop = true;
  await expect(read(stoppable)).rejects.toBeInstanceOf(Stopped);
});

test('what is about to be written or removed still is', async () => {
  const { port, table } = workerOver([aUsedTicket(), aLegOf()]);
  const stopped = stoppableTable(port, () => true);

  await stopped.update([{ key, set: { Price: { N: '1' } }, remove: [], expect: {} }]);
  await stopped.remove({ key: { pk: 'gone', sk: 'gone' }, expect: 'absent' }, [
    { key: keyIn(aLegOf()), clear: undefined, expect: {}, size: 100 },
  ]);

  expect(table.items()).toEqual([aUsedTicket('t', { Price: 1 })]);
});
