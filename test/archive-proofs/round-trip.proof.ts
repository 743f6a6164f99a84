import { randomBytes } from 'node:crypto';
import { DeleteItemCommand, DynamoDBClient, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams';
import type { S3Client } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { loopbackClientSettings } from '../../src/develop/dev/loopback.ts';
import { ModelQueue } from '../../src/develop/testing/table-model/model-queue.ts';
import { sameItem } from '../../src/develop/testing/table-model/same-value.ts';
import { defineArchive } from '../../src/model/archive-rule.ts';
import type { Change } from '../../src/model/change.ts';
import { type Item, type ItemKey, keyOf, keyText } from '../../src/model/item.ts';
import { defineKind } from '../../src/model/kind.ts';
import { installParseJson } from '../../src/model/parse-json.ts';
import { makeRegistry } from '../../src/model/registry.ts';
import { dynamoDbPut } from '../../src/operate/adapters/dynamodb/put-item.ts';
import { streamHistory } from '../../src/operate/adapters/dynamodb/stream-history.ts';
import { type ArchivedItem, listItems, statesOf } from '../../src/operate/archive/read-states.ts';
import { restore } from '../../src/operate/archive/restore.ts';
import { silentTelemetry } from '../../src/operate/offline/silent-telemetry.ts';
import { dynamoDbTable } from '../../src/worker/adapters/dynamodb/dynamodb-table.ts';
import { toSdk } from '../../src/worker/adapters/dynamodb/sdk-values.ts';
import { s3Archive } from '../../src/worker/adapters/s3/s3-archive.ts';
import { s3ArchiveReader } from '../../src/worker/adapters/s3/s3-archive-reader.ts';
import { s3Notes } from '../../src/worker/adapters/s3/s3-notes.ts';
import { systemClock } from '../../src/worker/adapters/system-clock.ts';
import { archiveBatch } from '../../src/worker/archive/archive-batch.ts';
import { Budget } from '../../src/worker/scan/budget.ts';
import { startMiniStack } from '../table-model/fidelity/ministack.ts';
import { names } from '../worker/adapters/dynamodb/table-fixture.ts';
import { hardItems } from './hard-items.ts';
import { newBucket, s3At } from './mini-stack-bucket.ts';
import { newTable } from './mini-stack-table.ts';

const count = Number(process.env.DENORM_TEST_ITEMS ?? 300);
const seed = Number(process.env.DENORM_TEST_SEED ?? 1);

let server: Awaited<ReturnType<typeof startMiniStack>>;
let client: DynamoDBClient;
let streams: DynamoDBStreamsClient;
let s3: S3Client;

beforeAll(async () => {
  installParseJson();
  server = await startMiniStack();
  client = new DynamoDBClient(loopbackClientSettings(server.endpoint));
  streams = new DynamoDBStreamsClient(loopbackClientSettings(server.endpoint));
  s3 = s3At(server.endpoint);
});

afterAll(async () => {
  for (const one of [client, streams, s3]) one?.destroy();
  await server?.stop();
});

describe.each(['object', 'batch'] as const)('in the layout %s', (layout) => {
  test('an item that is archived, expires and is restored is equal, attribute by attribute', async () => {
    const { tableName, streamArn } = await newTable(client);
    const bucket = await newBucket(s3);
    const kind = defineKind({ name: 'Thing/🐻', pk: 'T#{pk}', sk: '{sk}', attributes: z.object({}) });
    const rule = defineArchive({ name: 'archive-things', kinds: [kind], layout });
    const table = dynamoDbTable({ client, tableName, table: names });
    const context = {
      registry: makeRegistry(names, [], [rule]),
      table,
      archive: s3Archive({ client: s3, bucket, storageClass: 'STANDARD' }),
      queue: new ModelQueue(),
      telemetry: silentTelemetry,
      nonce: () => randomBytes(8),
      concurrency: 16,
    };
    const archiveAll = changesToArchive(streamArn, (changes) =>
      archiveBatch(
        context,
        changes.map((says, index) => ({ id: String(index), says })),
      ),
    );

    const items = hardItems('T', count, seed);
    const inTable = new Map<string, Item>();
    for (const item of items) {
      await client.send(new PutItemCommand({ TableName: tableName, Item: asSent(item) }));
      inTable.set(keyText(keyIn(item)), item);
    }
    await archiveAll();
    for (const item of items)
      await client.send(new DeleteItemCommand({ TableName: tableName, Key: asSent(keysOf(item)) }));
    await archiveAll();

    const reader = s3ArchiveReader({ client: s3, bucket });
    const listed = await all(listItems(reader, names, {}));
    expect(new Set(listed.map(({ key }) => key && keyText(key)))).toEqual(new Set(inTable.keys()));
    const key = keyIn(items[1] ?? {});
    expect((await statesOf(reader, kind.name, key)).map(({ final }) => final)).toEqual([layout === 'batch']);
    const outcomes: string[] = [];
    await restore(
      {
        ...{ names, reader, notes: s3Notes({ client: s3, bucket }), table },
        put: dynamoDbPut({ client, tableName, table: names }),
        writes: new Budget(Number.POSITIVE_INFINITY, systemClock),
        clock: systemClock,
        choose: (states) => states.at(-1),
        ...{ overwrite: false, dryRun: false, concurrency: 8, stop: () => false, waitEvery: undefined },
        retrieving: { tier: 'Standard', days: 1 },
        onOutcome: ({ is, error }) => outcomes.push(error === undefined ? is : `${is} ${error.code}`),
      },
      listItems(reader, names, {}),
    );

    expect(new Set(outcomes)).toEqual(new Set(['restored']));
    const differing: string[] = [];
    for (const [text, original] of inTable) {
      const { [names.ttl]: _, ...expected } = original;
      if (!sameItem(await table.get(keyIn(original)), expected)) differing.push(text);
    }
    expect(differing).toEqual([]);
    console.log(`\n${inTable.size} items came back, in the layout ${layout}\n`);
  });
});

/** Hands on what the stream says since the last time, deletions as expiries, in batches of 25. */
function changesToArchive(
  streamArn: string,
  put: (changes: readonly Change[]) => Promise<ReadonlyMap<string, unknown>>,
): () => Promise<void> {
  const history = streamHistory({
    ...{ client: streams, streamArn, table: names },
    evidence: { globalTableReplica: false },
  });
  const from = new Map<string, string | undefined>();
  return async () => {
    const changes: Change[] = [];
    for (const { id: shard } of await history.shards())
      for (let left = 3; left > 0; ) {
        const page = await history.page(shard, from.get(shard));
        from.set(shard, page.next);
        for (const change of page.changes) {
          if ('unreadable' in change) throw new Error(change.unreadable);
          changes.push({ ...change, expired: change.after === undefined });
        }
        if (page.next === undefined) break;
        if (page.changes.length === 0) left -= 1;
      }
    for (let start = 0; start < changes.length; start += 25)
      expect([...(await put(changes.slice(start, start + 25)))]).toEqual([]);
  };
}

async function all(items: AsyncIterable<ArchivedItem>): Promise<ArchivedItem[]> {
  const found: ArchivedItem[] = [];
  for await (const item of items) found.push(item);
  return found;
}

function asSent(item: Item) {
  return Object.fromEntries(Object.entries(item).map(([name, value]) => [name, toSdk(value)]));
}

function keysOf({ [names.pk]: pk, [names.sk]: sk }: Item): Item {
  return { ...(pk && { [names.pk]: pk }), ...(sk && { [names.sk]: sk }) };
}

function keyIn(item: Item): ItemKey {
  const key = keyOf(names, item);
  if (key === undefined) throw new Error('Expected an item with a key');
  return key;
}
