import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams';
import { DeleteCommand } from '@aws-sdk/lib-dynamodb';
import * as fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import * as z from 'zod';
import { archiveFolderReader, folderNotes, openArchiveFolder } from '../../../src/dev/archive-folder.ts';
import { loopbackClientSettings } from '../../../src/dev/loopback.ts';
import { installParseJson } from '../../../src/model/basics/parse-json.ts';
import { canonicalMap } from '../../../src/model/items/attribute-value.ts';
import { type Item, type ItemKey, keyOf, keyText } from '../../../src/model/items/item.ts';
import { defineKind } from '../../../src/model/kinds/define-kind.ts';
import { defineArchive } from '../../../src/model/rules/archive-rule.ts';
import { makeRegistry } from '../../../src/model/rules/registry.ts';
import { streamOf } from '../../../src/operate/adapters/dynamodb/describe-table.ts';
import { streamHistory } from '../../../src/operate/adapters/dynamodb/stream-port.ts';
import { dynamoDbPut } from '../../../src/operate/adapters/dynamodb/write-item.ts';
import { readHistory } from '../../../src/operate/archive/audit/read-history.ts';
import { listItems } from '../../../src/operate/archive/read-states.ts';
import { type RestoreOutcome, restore } from '../../../src/operate/archive/restore.ts';
import { table as names } from '../../../src/table.ts';
import { dynamoDbTable } from '../../../src/worker/adapters/dynamodb/dynamodb-table.ts';
import { systemClock } from '../../../src/worker/adapters/system-clock.ts';
import { archiveBatch } from '../../../src/worker/archive/archive-batch.ts';
import type { ArchiveContext } from '../../../src/worker/archive/archive-item.ts';
import { Budget } from '../../../src/worker/budget.ts';
import { silentTelemetry } from '../../../src/worker/ports.ts';
import { type LocalTestTable, startLocalTable } from '../../dev/local-table.ts';
import { attributes, keyPart } from '../../fixtures/model/arbitraries.ts';
import { newFolder } from '../../suites/new-folder.ts';

/** Keys that are hard to make keys of objects of, up to the lengths that DynamoDB allows. */
const hardKeys: readonly (readonly [pk: string, sk: string])[] = [
  ['..', '..'],
  ['.', '/'],
  ['a/b', '../../c'],
  ['%2F', '%sha256'],
  ['🐻', '🐻§🛳'],
  ['dt=2026-01-01', 'x.ndjson.gz'],
  ['x', 'a.json'],
  ['x', 'a'],
  ['x', 'a.json.7'],
  ['ü'.repeat(400), '#'.repeat(400)],
  ['🐻'.repeat(500), '/'.repeat(1024)],
  ['\u0001\u007f', ' \t\n'],
];

const anything = defineKind({ name: 'Anything', pk: '{pk}', sk: '{sk}', attributes: z.object({}) });

let local: LocalTestTable;
let client: DynamoDBClient;
let streams: DynamoDBStreamsClient;

beforeAll(async () => {
  installParseJson();
  local = await startLocalTable();
  client = new DynamoDBClient(loopbackClientSettings(local.endpoint));
  streams = new DynamoDBStreamsClient(loopbackClientSettings(local.endpoint));
});

afterAll(async () => {
  client.destroy();
  streams.destroy();
  await local.close();
});

/** Items with keys and attributes of every DynamoDB type, all with a time in the past. */
function someItems(round: string, count: number): Item[] {
  const itemAt = (pk: string, sk: string, others: Item): Item => ({
    ...Object.fromEntries(Object.entries(others).filter(([name]) => !isIndexKey(name))),
    [names.pk]: { S: `${round} ${pk}` },
    [names.sk]: { S: sk },
    [names.ttl]: { N: '1000' },
  });
  const arbitrary = fc.tuple(keyPart, keyPart, attributes).map((parts) => itemAt(...parts));
  const items = [
    ...fc.sample(arbitrary, { numRuns: count, seed: 20_261_121 }),
    ...hardKeys.map(([pk, sk]) => itemAt(pk, sk, { Name: { S: 'hard' } })),
  ];
  const large: Item = {
    ...{ [names.pk]: { S: round }, [names.sk]: { S: 'large' }, [names.ttl]: { N: '1000' } },
    Number: { N: '-12345678901234567890123456789012345678E+80' },
    Text: { S: '😀'.repeat(100_000) },
  };
  return [...new Map([...items, large].map((item) => [keyText(keyIn(item)), item])).values()];
}

function isIndexKey(name: string): boolean {
  return Object.values(names.indexes).some(({ pk, sk }) => name === pk || name === sk);
}

function keyIn(item: Item): ItemKey {
  const key = keyOf(names, item);
  if (key === undefined) throw new Error('Expected an item with a key');
  return key;
}

test.each(['object', 'batch'] as const)(
  'an item that was archived, has expired and is restored is unchanged in every attribute, in the layout %s',
  async (layout) => {
    const folder = newFolder();
    const rule = defineArchive({ name: 'archive-anything', kinds: [anything], layout });
    const table = dynamoDbTable({ client, tableName: local.name, table: names });
    const put = dynamoDbPut({ client, tableName: local.name, table: names });
    const context: ArchiveContext = {
      registry: makeRegistry(names, [], [rule]),
      table,
      archive: await openArchiveFolder(folder),
      queue: { deadLetter: async () => {} },
      telemetry: silentTelemetry,
      nonce: () => crypto.getRandomValues(new Uint8Array(8)),
      concurrency: 8,
    };
    const items = someItems(layout, 80);

    for (const item of items) expect((await put.overwrite(item)).outcome).toBe('put');
    await archiveHistory(context, layout);
    for (const item of items) await remove(keyIn(item));
    await archiveHistory(context, layout);
    const reader = archiveFolderReader(folder);
    const outcomes: RestoreOutcome[] = [];
    await restore(
      {
        ...{ names, reader, table, put, clock: systemClock, notes: folderNotes(folder) },
        writes: new Budget(Number.POSITIVE_INFINITY, systemClock),
        choose: (states) => states.at(-1),
        overwrite: false,
        dryRun: false,
        retrieving: { tier: 'Standard', days: 1 },
        concurrency: 8,
        stop: () => false,
        onOutcome: (outcome) => outcomes.push(outcome),
      },
      listItems(reader, names),
    );

    expect(outcomes.filter(({ is }) => is !== 'restored')).toEqual([]);
    const back = new Map(
      (await table.getMany(items.map(keyIn))).map(({ key, item }) => [keyText(key), canonicalMap(item)]),
    );
    for (const { [names.ttl]: _, ...item } of items)
      expect(back.get(keyText(keyIn(item)))).toBe(canonicalMap(item));
    expect(back.size).toBe(items.length);
  },
);

async function remove({ pk, sk }: ItemKey): Promise<void> {
  await local.items.send(
    new DeleteCommand({ TableName: local.name, Key: { [names.pk]: pk, [names.sk]: sk } }),
  );
}

/** Archives this round’s items from the table’s own stream: a removal after an item’s expiry time is an expiry. */
async function archiveHistory(context: ArchiveContext, round: string): Promise<void> {
  const streamArn = await streamOf(client, local.name);
  await readHistory({
    history: streamHistory({
      client: streams,
      streamArn,
      table: names,
      evidence: { globalTableReplica: true },
    }),
    clock: systemClock,
    pauseMs: 0,
    visit: async (changes) => {
      const records = changes
        .filter(({ key }) => key.pk.startsWith(round))
        .map((parsed) => ({ id: String(parsed.sequence), parsed }));
      expect(await archiveBatch(context, records)).toEqual(new Map());
    },
  });
}
