import { expect, test } from 'vitest';
import { VirtualClock } from '../../../src/develop/testing/table-model/virtual-clock.ts';
import type { TablePort } from '../../../src/worker/ports.ts';
import { unlimited } from '../../../src/worker/scan/budget.ts';
import { Interrupted, meteredTable } from '../../../src/worker/scan/metered-table.ts';
import { aLegOf, aUsedTicket } from '../../fixtures/cruises/cruise-aging.ts';
import { keyIn, workerOver } from '../../fixtures/cruises/cruise-worker.ts';
import { table } from '../../fixtures/model/table.ts';

const key = keyIn(aUsedTicket());

test.each<[string, (port: TablePort) => Promise<unknown>]>([
  ['an item', (port) => port.get(key)],
  ['items', (port) => port.getMany([key])],
  ['a partition', (port) => port.query({ in: 'partition', pk: key.pk }, 10)],
  ['an index', (port) => port.query({ in: 'index', index: 'ByState', pk: 'STATUS#USED' }, 10)],
])('a metered table that stops every read does not read %s after the stop', async (_, read) => {
  const { port } = workerOver([aUsedTicket()]);
  let stopped = false;
  const metered = stoppable(port, () => stopped);

  expect(await read(metered)).toEqual(await read(port));
  stopped = true;
  await expect(read(metered)).rejects.toBeInstanceOf(Interrupted);
});

test('a metered table still updates and removes after the stop', async () => {
  const worker = workerOver([aUsedTicket(), aLegOf()]);
  const metered = stoppable(worker.port, () => true);

  await metered.update([{ key, set: { Price: { N: '1' } }, remove: [], expect: {} }]);
  await metered.transact({ key: { pk: 'gone', sk: 'gone' }, expect: 'absent' }, [
    { key: keyIn(aLegOf()), clear: undefined, expect: {}, size: 100 },
  ]);

  expect(worker.table.items()).toEqual([aUsedTicket('t', { Price: 1 })]);
});

function stoppable(port: TablePort, stop: () => boolean): TablePort {
  const budget = unlimited(new VirtualClock());
  return meteredTable(port, table, { reads: budget, writes: budget, stop, stops: 'every' }).port;
}
