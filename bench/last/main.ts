/**
 * `node bin/node-24.mjs bench/last/main.ts`: what a new member costs, with its check, if a target has the last member of a partition,
 * the ten best of an index, or a maximum of all. On the embedded DynamoDB, whose units are DynamoDB's; the recheck of an index, and a
 * maximum of more than 10,000, are left out. Prints a table. With an argument, more members than so many are left out too.
 */
import { BatchWriteItemCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import {
  defineAggregate,
  defineConfig,
  defineKind,
  list,
  max,
  type TableNames,
  value,
} from 'stream-denormalizer';
import * as z from 'zod/mini';
import { stackModel } from '../../src/deploy/stack-model.ts';
import { stackSettings } from '../../src/deploy/stack-settings.ts';
import { loopbackClientSettings } from '../../src/dev/loopback.ts';
import { createTable } from '../../src/dev/table/create-table.ts';
import { startEmbeddedTableServer } from '../../src/dev/table/embedded-table-server.ts';
import { chunksOf } from '../../src/model/basics/chunks-of.ts';
import type { Item } from '../../src/model/items/item.ts';
import { itemOf } from '../../src/testing/plain-values.ts';
import { dynamoDbTable } from '../../src/worker/adapters/dynamodb/dynamodb-table.ts';
import { itemToSdk } from '../../src/worker/adapters/dynamodb/table-access.ts';
import { unlimited } from '../../src/worker/budget.ts';
import { defaultSettings, silentTelemetry } from '../../src/worker/ports.ts';
import { propagateBatch } from '../../src/worker/propagation/propagate-batch.ts';
import { meteredTable } from '../../src/worker/scan/metered-table.ts';

const byPoints = { name: 'byPoints', pk: 'Thread', sk: { name: 'Points', type: 'N' } } as const;
const table = { pk: 'PK', sk: 'SK', indexes: { byPoints }, ttl: 'Ttl', type: 'Type' } satisfies TableNames;
const texts = { Text: z.optional(z.string()), Best: z.optional(z.unknown()) };
const thread = defineKind({
  name: 'Thread',
  type: 'Thread',
  pk: 'T#{t}',
  sk: 'T',
  attributes: z.object(texts),
});
const message = defineKind({
  ...{ name: 'Message', type: 'Message', pk: 'T#{t}', sk: 'M#{m}' },
  attributes: z.object({ Text: z.string(), Points: z.number() }),
});
const each = { of: message, on: thread } as const;
const at = {
  in: 'partition',
  at: ({ ids }: { ids: { t: string } }) => ({ pk: `T#${ids.t}`, begins: 'M#' }),
} as const;
const targetsOf = ({ ids }: { ids: { t: string } }) => [thread.key(ids)];
const all = [
  defineAggregate({
    name: 'last',
    ...each,
    targetsOf,
    members: { ...at, last: 1 },
    computes: { Text: value('Text') },
  }),
  defineAggregate({
    ...{ name: 'best', ...each, targetsOf },
    members: { in: 'index', index: byPoints, at: ({ ids }) => ({ pk: `T#${ids.t}` }), last: 10 },
    computes: { Best: list(['Text', 'Points']) },
  }),
  defineAggregate({ name: 'max', ...each, targetsOf, members: at, computes: { Text: max('Text') } }),
];

/** Of about 200 bytes, each later than those before, and with more points. */
const messageAt = (number: number): Item =>
  itemOf({
    ...{ PK: 'T#1', SK: `M#${1_000_000 + number}`, Type: 'Message', Thread: 'T#1', Points: number },
    Text: `${1_000_000 + number}`.padEnd(140, '.'),
  });

const tableName = 'app';
const server = await startEmbeddedTableServer();
const settings = stackSettings(
  stackModel(defineConfig({ table, rules: [], aggregates: all.slice(0, 1) }).registry()),
);
await createTable(server.endpoint, tableName, settings.table);
const client = new DynamoDBClient(loopbackClientSettings(server.endpoint));
let requests = 0;
client.middlewareStack.add(
  (next) => (args) => {
    requests += 1;
    return next(args);
  },
  { step: 'initialize' },
);

async function put(items: readonly Item[]): Promise<void> {
  const ofTable = items.map((item) => ({ PutRequest: { Item: itemToSdk(item) } }));
  for (const some of chunksOf(chunksOf(ofTable, 25), 8))
    await Promise.all(
      some.map((writes) => client.send(new BatchWriteItemCommand({ RequestItems: { [tableName]: writes } }))),
    );
}

/** A member more, and the check of the write that follows. */
async function measure(aggregate: (typeof all)[number], number: number) {
  const registry = defineConfig({ table, rules: [], aggregates: [aggregate] }).registry();
  const clock = { now: () => Date.now(), sleep: async () => {} };
  const budgets = { reads: unlimited(clock), writes: unlimited(clock) };
  const { port, spent } = meteredTable(dynamoDbTable({ client, tableName, table }), budgets);
  const queue = { send: async () => {}, deadLetter: () => Promise.reject(new Error('dead-lettered')) };
  const context = { registry, queue, clock, table: port, telemetry: silentTelemetry };
  const after = messageAt(number);
  await put([itemOf({ PK: 'T#1', SK: 'T', Type: 'Thread' }), after]);
  const begun = performance.now();
  requests = 0;
  const changes = [
    { pk: 'T#1', sk: `M#${1_000_000 + number}`, after },
    { pk: 'T#1', sk: 'T', after: itemOf({ PK: 'T#1', SK: 'T', Type: 'Thread', Text: 'x', Best: 'x' }) },
  ];
  for (const { pk, sk, after } of changes) {
    const parsed = { key: { pk, sk }, before: undefined, after, sequence: 1n, expired: false, at: undefined };
    const failed = await propagateBatch(
      { ...context, settings: { ...defaultSettings, recheckDelaySeconds: 60 }, outOfTime: () => false },
      [{ id: sk, parsed }],
    );
    if (failed.size > 0) throw new Error('Expected every record to succeed');
  }
  return { requests, units: spent.readUnits, milliseconds: performance.now() - begun };
}

console.log(
  '| members | aggregate | requests | read units | milliseconds |\n| --: | --- | --: | --: | --: |',
);
let filled = 0;
const most = Number(process.argv[2] ?? 100_000);
for (const members of [10, 1_000, 10_000, 100_000].filter((one) => one <= most)) {
  await put(Array.from({ length: members - 1 - filled }, (_, index) => messageAt(filled + index)));
  filled = members - 1;
  for (const aggregate of all.filter(({ name }) => name !== 'max' || members <= 10_000)) {
    const { requests: sent, units, milliseconds } = await measure(aggregate, filled);
    console.log(`| ${members} | ${aggregate.name} | ${sent} | ${units} | ${milliseconds.toFixed(0)} |`);
  }
}
client.destroy();
await server.stop();
