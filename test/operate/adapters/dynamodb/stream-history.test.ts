import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import {
  DynamoDBStreamsClient,
  ExpiredIteratorException,
  TrimmedDataAccessException,
} from '@aws-sdk/client-dynamodb-streams';
import { DeleteCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { loopbackClientSettings } from '../../../../src/develop/dev/loopback.ts';
import { type Change, sequenceOf } from '../../../../src/model/change.ts';
import { DenormError, FatalError } from '../../../../src/model/errors.ts';
import { streamHistory, streamOf } from '../../../../src/operate/adapters/dynamodb/stream-history.ts';
import { table as names } from '../../../../src/table.ts';
import { type LocalTestTable, startLocalTable } from '../../../develop/dev/local-table.ts';
import { openTable } from '../../../worker/adapters/dynamodb/table-fixture.ts';

let local: LocalTestTable;
let client: DynamoDBStreamsClient;
let dynamoDb: DynamoDBClient;

beforeAll(async () => {
  local = await startLocalTable();
  client = new DynamoDBStreamsClient(loopbackClientSettings(local.endpoint));
  dynamoDb = new DynamoDBClient(loopbackClientSettings(local.endpoint));
});

afterAll(async () => {
  client.destroy();
  dynamoDb.destroy();
  await local.close();
});

function put(Item: Record<string, unknown>) {
  return local.items.send(new PutCommand({ TableName: local.name, Item }));
}

function remove(Key: Record<string, unknown>) {
  return local.items.send(new DeleteCommand({ TableName: local.name, Key }));
}

async function readAll(byTime = false): Promise<Change[]> {
  const streamArn = await streamOf(dynamoDb, local.name);
  const history = streamHistory({
    client,
    streamArn,
    table: names,
    evidence: { globalTableReplica: byTime },
  });
  const changes: Change[] = [];
  for (const { id: shard } of await history.shards()) {
    let from: string | undefined;
    do {
      const page = await history.page(shard, from);
      for (const change of page.changes) if (!('unreadable' in change)) changes.push(change);
      from = page.changes.length > 0 ? page.next : undefined;
    } while (from !== undefined);
  }
  return changes;
}

describe('the history of a table', () => {
  test('contains every change of its items, with both images, in order', async () => {
    const key = { PK: 'ORDER#1', SK: 'METADATA' };
    const bytes = Uint8Array.from([0, 255]);
    await put({ ...key, Photo: bytes });
    await put({ ...key, ExpiresAt: 1_000 });
    await remove(key);

    const changes = (await readAll()).filter(({ key }) => key.pk === 'ORDER#1');

    expect(changes.map(({ before, after }) => [before?.['Photo'], after?.['ExpiresAt']])).toEqual([
      [undefined, undefined],
      [{ B: bytes }, { N: '1000' }],
      [undefined, undefined],
    ]);
    expect(changes.at(-1)?.at).toBeGreaterThan(Date.now() - 120_000);
    const streamArn = await streamOf(dynamoDb, local.name);
    expect(changes.map(({ sequence }) => sequence)).toEqual(
      ['1', '2', '3'].map((number) => sequenceOf(streamArn, number)),
    );
  });

  test('recognizes an expiry by its time if the record has no service identity', async () => {
    const key = { PK: 'ORDER#2', SK: 'METADATA' };
    await put({ ...key, ExpiresAt: 1_000 });
    await remove(key);
    const of = (changes: readonly Change[]) =>
      changes.filter(({ key, after }) => key.pk === 'ORDER#2' && after === undefined);

    expect(of(await readAll()).map(({ expired }) => expired)).toEqual([false]);
    expect(of(await readAll(true)).map(({ expired }) => expired)).toEqual([true]);
  });

  test('continues after the last record if an iterator has expired', async () => {
    const streamArn = await streamOf(dynamoDb, local.name);
    const history = streamHistory({
      client,
      streamArn,
      table: names,
      evidence: { globalTableReplica: false },
    });
    const [{ id: shard } = { id: '' }] = await history.shards();
    const { changes } = await history.page(shard);
    const expired: string[] = [];

    client.middlewareStack.add(
      (next, { commandName }) =>
        async (args) => {
          if (commandName !== 'GetRecordsCommand' || expired.length > 0) return next(args);
          expired.push(commandName);
          throw new ExpiredIteratorException({ message: 'of yesterday', $metadata: {} });
        },
      { name: 'expired', step: 'initialize' },
    );

    const again = await history.page(shard, JSON.stringify(['an iterator of yesterday', '1']));

    client.middlewareStack.remove('expired');
    expect(expired).toHaveLength(1);
    expect(again.changes).toEqual(changes.slice(1));

    // An empty page leaves the last record where it was.
    const empty = await history.page(shard, again.next);
    expect(empty.changes).toEqual([]);
    expect(JSON.parse(empty.next ?? '')).toEqual([expect.any(String), String(changes.length)]);
  });

  test('continues with the oldest record if the last one read has left the stream', async () => {
    const streamArn = await streamOf(dynamoDb, local.name);
    const evidence = { globalTableReplica: false };
    const history = streamHistory({ client, streamArn, table: names, evidence });
    const [{ id: shard } = { id: '' }] = await history.shards();
    const { changes } = await history.page(shard);
    const gone = ['an iterator of the day before yesterday', '1'];

    client.middlewareStack.add(
      (next, { commandName }) =>
        async (args) => {
          const { input } = args;
          const isOfYore = 'SequenceNumber' in input && input.SequenceNumber === '1';
          if (isOfYore || ('ShardIterator' in input && input.ShardIterator === gone[0]))
            throw new TrimmedDataAccessException({ message: commandName ?? '', $metadata: {} });
          return next(args);
        },
      { name: 'trimmed', step: 'initialize' },
    );
    const again = await history.page(shard, JSON.stringify(gone));
    client.middlewareStack.remove('trimmed');

    expect(again.changes).toEqual(changes);
  });

  test('is not available for a table without a stream, or for a missing table', async () => {
    const other = await openTable();
    try {
      await expect(streamOf(other.client, other.tableName)).rejects.toThrow(DenormError);
      await expect(streamOf(other.client, other.tableName)).rejects.toThrow(
        'to have a stream, found none: enable one',
      );
      await expect(streamOf(other.client, 'another')).rejects.toThrow(FatalError);
    } finally {
      await other.stop();
    }
  });
});
