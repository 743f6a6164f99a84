import { type ConsumedCapacity, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { describe, expect, test } from 'vitest';
import { type ApplicationItem, ApplicationTable } from '../../../scripts/demo/application-table.ts';
import { localEvidence } from '../../../src/dev/dev-functions.ts';
import { loopbackClientSettings } from '../../../src/dev/loopback.ts';
import { costsOf, explainEvent, readEvent } from '../../../src/explain/explain.ts';
import type { ExplainedRound, Explanation } from '../../../src/explain/explanation.ts';
import { sumOf } from '../../../src/explain/work.ts';
import type { ItemKey } from '../../../src/model/items/item.ts';
import { isCreation } from '../../../src/model/work/guarded-write.ts';
import type { Message } from '../../../src/model/work/message.ts';
import { table } from '../../../src/table.ts';
import { RecordingTelemetry } from '../../../src/testing/table-model/model-worker.ts';
import { dynamoDbTable } from '../../../src/worker/adapters/dynamodb/dynamodb-table.ts';
import { readStreamRecord } from '../../../src/worker/adapters/stream-record.ts';
import { systemClock } from '../../../src/worker/adapters/system-clock.ts';
import { defaultSettings, type TablePort } from '../../../src/worker/ports.ts';
import type { PropagationContext } from '../../../src/worker/propagation/context.ts';
import { propagate } from '../../../src/worker/propagation/propagate.ts';
import { propagateBatch } from '../../../src/worker/propagation/propagate-batch.ts';
import { incidentItems, orderItems, userItems } from '../../deployed/items.ts';
import { aContender, aHeadToHead } from '../../fixtures/application/items.ts';
import { loadRules } from '../../fixtures/application/load-rules.ts';
import { embeddedTables } from '../embedded-tables.ts';

const registry = loadRules({ statusShards: 1, disabled: [] });
const settings = { ...defaultSettings, pageLimit: 3 };

const { server, newTable } = embeddedTables();

/** An incident, a user and an order, each with its copies. */
const { root, said, copies } = incidentItems(7, '1');
const Postmortem = 'x'.repeat(1_200);
const incident = { ...root, ...said, Postmortem };
const participations = copies.map((copy) => ({ ...copy, Postmortem }));
const chat = userItems(5, '42');
const user = { ...chat.root, ...chat.said };
const shop = orderItems(4, '1');
const placed = { ...shop.root, ...shop.said, Status: 'PAID' };
const order = { ...placed, GSI2PK: 'STATUS#PAID', GSI2SK: `ORDER#${shop.CreatedAt}` };
const userOrder = { ...shop.userOrder, ...shop.userSaid, Status: 'PAID' };

interface Story {
  readonly before: readonly ApplicationItem[];
  /** The writes of the application: items in their new state, and the keys of deleted items. */
  readonly puts?: readonly ApplicationItem[];
  readonly deletes?: readonly ItemKey[];
  /** The expected number of writes, so that no story is empty. */
  readonly writes: number;
}

const records = [
  aHeadToHead('bear', 'books', 12, 2),
  aHeadToHead('c3po', 'bear', 7, 5),
  aHeadToHead('books', 'c3po', 7, 5),
];
const totals = [
  aContender('bear', { Wins: 17, Losses: 9, Score: 8, GSI2PK: 'LEADERBOARD', GSI2SK: '1000000000008#bear' }),
  aContender('books', {
    Wins: 9,
    Losses: 17,
    Score: -8,
    GSI2PK: 'LEADERBOARD',
    GSI2SK: '0999999999992#books',
  }),
];

const stories: readonly (readonly [string, Story])[] = [
  [
    'an incident is closed: everything on its participations, their index key among it, most of them by the queue',
    {
      before: [
        incident,
        ...participations.map((copy, at) => ({ ...copy, Extra: 'y'.repeat(at === 4 ? 3_000 : 0) })),
      ],
      puts: [{ ...incident, State: 'CLOSED', Status: 'RESOLVED', Title: undefined }],
      writes: 7,
    },
  ],
  [
    'a user is renamed: memberships by an index, and a recheck',
    {
      before: [
        user,
        ...chat.copies.map((copy, at) => ({
          ...copy,
          ...(at === 1 && { Note: 'z'.repeat(5_000) }),
          ...(at === 2 && { username: 'countess' }),
        })),
      ],
      puts: [{ ...user, username: 'countess' }],
      writes: 4,
    },
  ],
  [
    'an order is created: its keys, its items’ keys, its user’s order',
    {
      before: [],
      puts: [placed, { ...userOrder, Status: 'PENDING' }, ...shop.items],
      writes: 1 + 1 + 4,
    },
  ],
  [
    'an order is shipped: its keys, its user’s order',
    { before: [order, userOrder], puts: [{ ...order, Status: 'SHIPPED' }], writes: 2 },
  ],
  [
    'an incident is deleted: its participations, in transactions',
    {
      before: [incident, ...participations],
      deletes: [{ pk: root.PK, sk: root.SK }],
      writes: 7,
    },
  ],
  [
    'an order moves to another user: the copy there, and the end of the one that it left',
    {
      before: [order, userOrder, { ...userOrder, PK: 'USER#43', Status: 'PENDING' }],
      puts: [{ ...order, UserId: '43' }],
      writes: 2,
    },
  ],
  [
    'a vote: the totals of two contenders, then their places on the leaderboard',
    {
      before: [...records, ...totals],
      puts: [aHeadToHead('bear', 'books', 13, 2)],
      writes: 2,
    },
  ],
];

describe('explain predicts the writes of the worker, and their cost', () => {
  test.each(stories)('%s', async (_, story) => {
    const { application, event } = await play(story);
    const name = application.name;
    const { rounds } = await explain(name, event);

    let records = event;
    for (const [index, round] of rounds.entries()) {
      const did = await work(name, records);
      if (index === 0) expect(did.writes).toHaveLength(story.writes);
      expect(writesOf(round)).toEqual(did.writes);
      expect(unitsOf(round)).toEqual(did.charged);
      records = await recordsOf(application, did.before);
    }
    expect(rounds.at(-1)?.work.flatMap(({ writes }) => writes)).toEqual([]);
  });
});

interface NamedTable {
  readonly name: string;
  readonly items: ApplicationTable;
}

/** A table with these items, and the event of the writes that an application then makes. */
async function play({ before, puts = [], deletes = [] }: Story) {
  const { name, application: items } = await newTable(before);
  const keys = [...puts.map(keyOf), ...deletes];
  const old = new Map<string, unknown>();
  for (const key of keys) old.set(JSON.stringify(key), await items.getRaw(key));
  for (const item of puts) await items.put(defined(item));
  for (const key of deletes) await items.delete(key);
  const application = { name, items };
  return { application, event: await recordsOf(application, old) };
}

/** Records of these items’ changes, as Lambda would deliver them. */
async function recordsOf(
  { items }: Pick<NamedTable, 'items'>,
  before: ReadonlyMap<string, unknown>,
): Promise<{ Records: unknown[] }> {
  const Records: unknown[] = [];
  for (const [text, OldImage] of before) {
    const key: ItemKey = JSON.parse(text);
    const NewImage = await items.getRaw(key);
    const Keys = { PK: { S: key.pk }, SK: { S: key.sk } };
    const eventName = OldImage === undefined ? 'INSERT' : NewImage === undefined ? 'REMOVE' : 'MODIFY';
    Records.push({
      eventName,
      dynamodb: { Keys, OldImage, NewImage, SequenceNumber: String(Records.length + 1) },
    });
  }
  return { Records };
}

async function explain(name: string, event: unknown): Promise<Explanation> {
  const { client } = meteredClient(server().endpoint);
  const inner = dynamoDbTable({ client, tableName: name, table });
  const port: TablePort = { ...inner, update: refuse, transact: refuse };
  const explained = await explainEvent(
    { registry, table: port, settings },
    readEvent(registry, localEvidence, event),
  );
  client.destroy();
  return explained;
}

async function refuse(): Promise<never> {
  throw new Error('Expected explain to write nothing');
}

interface Write {
  readonly key: ItemKey;
  readonly set: readonly string[];
  readonly remove: readonly string[];
  readonly deletes: boolean;
}

/** Runs the worker on an event, and on every message that it queues: its writes, and their cost. */
async function work(name: string, event: { readonly Records: readonly unknown[] }) {
  const { client, charged } = meteredClient(server().endpoint);
  const inner = dynamoDbTable({ client, tableName: name, table });
  const reader = new ApplicationTable(server().endpoint, name, table);
  const writes: Write[] = [];
  const before = new Map<string, unknown>();
  const port: TablePort = {
    ...inner,
    async update(updates) {
      for (const { key, set, remove } of updates) {
        before.set(JSON.stringify(key), await reader.getRaw(key));
        writes.push({ key, set: Object.keys(set), remove, deletes: false });
      }
      return inner.update(updates);
    },
    async transact(root, removals) {
      for (const removal of removals) {
        if (isCreation(removal)) continue;
        const { key, clear } = removal;
        before.set(JSON.stringify(key), await reader.getRaw(key));
        writes.push({ key, set: [], remove: clear ?? [], deletes: clear === undefined });
      }
      return inner.transact(root, removals);
    },
  };
  const messages: Message[] = [];
  const context: PropagationContext = {
    ...{
      registry,
      table: port,
      settings,
      telemetry: new RecordingTelemetry(),
      outOfTime: () => false,
      clock: systemClock,
    },
    queue: { send: async (sent) => void messages.push(...sent), deadLetter: refuse },
  };
  const records = event.Records.map((record, index) => ({
    id: String(index),
    parsed: readStreamRecord(table, record, localEvidence),
  }));
  expect(await propagateBatch(context, records)).toEqual(new Map());
  for (let message = messages.shift(); message; message = messages.shift()) await propagate(context, message);
  client.destroy();
  reader.close();
  return { writes: sorted(writes), charged: { readUnits: charged.readUnits, ...charged.writeUnits }, before };
}

function writesOf({ work: planned }: ExplainedRound): Write[] {
  const writes = planned.flatMap((one) => one.writes);
  return sorted(
    writes.map(({ does, key, set, remove }) => ({
      ...{ key, set, remove, deletes: does === 'delete' },
    })),
  );
}

/** A server returns the attributes of an item in any order. */
function sorted(writes: readonly Write[]): Write[] {
  const ordered = writes.map((one) => ({ ...one, set: one.set.toSorted(), remove: one.remove.toSorted() }));
  return ordered.sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
}

/** In the form of the server, which omits indexes without a cost. */
function unitsOf(round: ExplainedRound): Record<string, number> {
  const { readUnits, writeUnits } = sumOf(costsOf(round), table);
  const arms = Object.entries({ table: writeUnits.table, ...writeUnits.indexes });
  return { readUnits, ...Object.fromEntries(arms.filter(([, units]) => units > 0)) };
}

function keyOf({ PK, SK }: ApplicationItem): ItemKey {
  return { pk: String(PK), sk: String(SK) };
}

function defined(item: ApplicationItem): ApplicationItem {
  return Object.fromEntries(Object.entries(item).filter(([, value]) => value !== undefined));
}

/** The units that a server reports. */
interface Charged {
  readUnits: number;
  /** Of the table and of each index. */
  writeUnits: Record<string, number>;
}

const reading = new Set(['GetItemCommand', 'BatchGetItemCommand', 'QueryCommand']);
const writing = new Set([
  'UpdateItemCommand',
  'BatchExecuteStatementCommand',
  'TransactWriteItemsCommand',
  'PutItemCommand',
]);

/** A client that requests the cost of each request, and adds up the answers. */
function meteredClient(endpoint: string): {
  readonly client: DynamoDBClient;
  readonly charged: Charged;
} {
  const client = new DynamoDBClient(loopbackClientSettings(endpoint));
  const charged: Charged = { readUnits: 0, writeUnits: {} };
  client.middlewareStack.add(
    (next, { commandName = '' }) =>
      async (call) => {
        if (!reading.has(commandName) && !writing.has(commandName)) return next(call);
        const answer = await next({ ...call, input: { ...call.input, ReturnConsumedCapacity: 'INDEXES' } });
        const said = answer.output as { ConsumedCapacity?: ConsumedCapacity | ConsumedCapacity[] };
        for (const one of [said.ConsumedCapacity ?? []].flat()) add(charged, one, reading.has(commandName));
        return answer;
      },
    { step: 'initialize', name: 'meter' },
  );
  return { client, charged };
}

function add(
  charged: Charged,
  { CapacityUnits = 0, Table, GlobalSecondaryIndexes = {} }: ConsumedCapacity,
  read: boolean,
): void {
  if (read) {
    charged.readUnits += CapacityUnits;
    return;
  }
  const arms = { table: Table, ...GlobalSecondaryIndexes };
  for (const [name, arm] of Object.entries(arms))
    charged.writeUnits[name] = (charged.writeUnits[name] ?? 0) + (arm?.CapacityUnits ?? 0);
}
