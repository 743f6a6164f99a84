import { expect, test } from 'vitest';
import config from '../../../denorm.config.ts';
import { matchRules } from '../../../src/page/dev-page.ts';
import { Journal } from '../../../src/page/server/journal.ts';
import { meteredRun } from '../../../src/page/server/run-costs.ts';
import { itemOf } from '../../../src/testing/plain-values.ts';
import { ModelWorker } from '../../../src/testing/table-model/model-worker.ts';
import { fanOutBatch, readMessage } from '../../../src/worker/propagation/fan-out-batch.ts';
import { propagateBatch } from '../../../src/worker/propagation/propagate-batch.ts';

const registry = config.registry();
const user = (id: string, username: string) =>
  itemOf({ PK: `USER#${id}`, SK: '#METADATA', Type: 'User', userId: id, username });
const membership = (id: string, server: string) => {
  const keys = { PK: `SERVER#${server}`, SK: `USER#${id}`, GSI1PK: `USER#${id}`, GSI1SK: `SERVER#${server}` };
  return itemOf({ ...keys, Type: 'Membership', userId: id, username: 'Ada' });
};

function tested() {
  const worker = new ModelWorker(registry);
  const journal = new Journal({ registry, match: (one) => matchRules(registry, one), count: async () => 1 });
  const all = { readUnits: 0, writeUnits: 0 };
  const port = meteredRun(worker.port, ({ readUnits, writeUnits }) => {
    all.readUnits += readUnits;
    all.writeUnits += writeUnits;
  });
  const rest = async () => {
    for (let records = worker.stream.take(); records.length > 0; records = worker.stream.take()) {
      const changes = records.flatMap(({ parsed }) => ('key' in parsed ? [parsed] : []));
      journal.seen(changes);
      await propagateBatch({ ...worker.context, table: journal.tableOfRun(port, changes) }, records);
    }
    for (const message of worker.queue.take()) {
      const asked = [readMessage(message.body)].filter((one) => one !== undefined);
      await fanOutBatch({ ...worker.context, table: journal.tableOfRun(port, [], asked) }, [message]);
    }
  };
  return { worker, journal, rest, all, costs: () => journal.since(0).map(({ cost }) => cost) };
}

test('a change costs what its propagation, checks and recheck consumed of the table', async () => {
  const { worker, rest, all, costs } = tested();
  for (const item of [user('1', 'Ada'), membership('1', 'a'), membership('1', 'b')]) worker.table.put(item);
  worker.stream.take();
  worker.table.put(user('1', 'Grace'));
  await rest();

  const [cost = ''] = costs();
  expect(all.writeUnits).toBeGreaterThan(0);
  expect(cost).toMatch(
    new RegExp(
      `^${all.readUnits} read units, ${all.writeUnits} write units and \\d+ requests in [23] runs of the worker$`,
    ),
  );
});

test('a run that serves several changes is not divided, and the cost says so', async () => {
  const { worker, rest, costs } = tested();
  for (const id of ['1', '2'])
    for (const item of [user(id, 'Ada'), membership(id, id)]) worker.table.put(item);
  worker.stream.take();
  for (const id of ['1', '2']) worker.table.put(user(id, 'Grace'));
  await rest();

  for (const cost of costs()) expect(cost).toMatch(/ with other changes, whose share is in it$/);
  expect(costs()).toHaveLength(2);
});
