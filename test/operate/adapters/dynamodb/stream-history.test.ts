import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import {
  DynamoDBStreamsClient,
  ExpiredIteratorException,
  TrimmedDataAccessException,
} from '@aws-sdk/client-dynamodb-streams';
import { DeleteCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { loopbackClientSettings } from '../../../../src/dev/loopback.ts';
import { DenormError } from '../../../../src/model/basics/errors.ts';
import { type Change, sequenceOf } from '../../../../src/model/items/change.ts';
import { streamOf } from '../../../../src/operate/adapters/dynamodb/describe-table.ts';
import { streamHistory } from '../../../../src/operate/adapters/dynamodb/stream-port.ts';
import { table as names } from '../../../../src/table.ts';
import { type LocalTestTable, startLocalTable } from '../../../dev/local-table.ts';
import { clientOfTest } from '../../../suites/loopback-server.ts';
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

/** The history of the table, and the changes that its shard had at first. */
async function opened(globalTableReplica = false) {
  const streamArn = await streamOf(dynamoDb, local.name);
  const history = streamHistory({ client, streamArn, table: names, evidence: { globalTableReplica } });
  const [shard] = await history();
  if (shard === undefined) throw new Error('Expected a shard');
  const { changes } = await shard.page();
  const readable = changes.filter((change): change is Change => !('unreadable' in change));
  return { streamArn, shard, changes: readable };
}

/** Makes requests fail for which this returns an error. @returns how to end that */
function failing(errorFor: (command: string, input: object) => Error | undefined): () => void {
  client.middlewareStack.add(
    (next, { commandName = '' }) =>
      async (args) => {
        const error = errorFor(commandName, args.input);
        if (error !== undefined) throw error;
        return next(args);
      },
    { name: 'failing', step: 'initialize' },
  );
  return () => client.middlewareStack.remove('failing');
}

describe('the history of a table', () => {
  test('contains every change of its items, with both images, in order', async () => {
    const key = { PK: 'ORDER#1', SK: 'METADATA' };
    const bytes = Uint8Array.from([0, 255]);
    await put({ ...key, Photo: bytes });
    const expiry = Math.floor(Date.now() / 1000) - 60;
    await put({ ...key, ExpiresAt: expiry });
    await remove(key);

    const { streamArn, changes: all } = await opened();
    const changes = all.filter(({ key }) => key.pk === 'ORDER#1');

    expect(changes.map(({ before, after }) => [before?.['Photo'], after?.['ExpiresAt']])).toEqual([
      [undefined, undefined],
      [{ B: bytes }, { N: String(expiry) }],
      [undefined, undefined],
    ]);
    expect(changes.at(-1)?.at).toBeGreaterThan(Date.now() - 120_000);
    expect(changes.map(({ sequence }) => sequence)).toEqual(
      ['1', '2', '3'].map((number, index) => sequenceOf(streamArn, number, changes[index]?.at)),
    );
  });

  test('recognizes an expiry by its time if the record has no service identity', async () => {
    const key = { PK: 'ORDER#2', SK: 'METADATA' };
    await put({ ...key, ExpiresAt: Math.floor(Date.now() / 1000) - 60 });
    await remove(key);
    const expiries = async (replica: boolean) =>
      (await opened(replica)).changes
        .filter(({ key, after }) => key.pk === 'ORDER#2' && after === undefined)
        .map(({ expired }) => expired);

    expect(await expiries(false)).toEqual([false]);
    expect(await expiries(true)).toEqual([true]);
  });

  test('continues after the last record if an iterator has expired', async () => {
    const { shard } = await opened();
    await put({ PK: 'ORDER#3', SK: 'METADATA' });
    let expired = 0;
    const end = failing((command) => {
      if (command !== 'GetRecordsCommand' || expired > 0) return undefined;
      expired += 1;
      return new ExpiredIteratorException({ message: 'of yesterday', $metadata: {} });
    });
    const again = await shard.page();
    end();

    expect(expired).toBe(1);
    expect(again.changes).toMatchObject([{ key: { pk: 'ORDER#3', sk: 'METADATA' } }]);
    expect((await shard.page()).changes).toEqual([]);
  });

  test('continues with the oldest record if the last one read has left the stream', async () => {
    const { shard, changes } = await opened();
    let asked = 0;
    const end = failing((command, input) => {
      if (command === 'GetRecordsCommand') asked += 1;
      const isGone = 'SequenceNumber' in input || (command === 'GetRecordsCommand' && asked === 1);
      return isGone ? new TrimmedDataAccessException({ message: command, $metadata: {} }) : undefined;
    });
    const again = await shard.page();
    end();

    expect(again.changes).toEqual(changes);
  });

  test('is not available for a table without a stream, or for a missing table', async () => {
    const other = await openTable();
    try {
      await expect(streamOf(other.client, other.tableName)).rejects.toThrow(DenormError);
      await expect(streamOf(other.client, other.tableName)).rejects.toThrow(
        'to have a stream, found none: enable one',
      );
      await expect(streamOf(other.client, 'another')).rejects.toMatchObject({ code: 'table.unknown' });
    } finally {
      await other.stop();
    }
  });
});

test('an empty page of shards does not end the list', async () => {
  const requestSchema = z.object({ ExclusiveStartShardId: z.string().optional() });
  const pages: Readonly<Record<string, object>> = {
    first: { Shards: [{ ShardId: 'shard-1' }], LastEvaluatedShardId: 'shard-1' },
    'shard-1': { Shards: [], LastEvaluatedShardId: 'shard-2' },
    'shard-2': { Shards: [{ ShardId: 'shard-3', ParentShardId: 'shard-1' }] },
  };
  const client = await clientOfTest(
    ({ body }) => {
      const { ExclusiveStartShardId = 'first' } = requestSchema.parse(JSON.parse(body.toString()));
      return { status: 200, body: JSON.stringify({ StreamDescription: pages[ExclusiveStartShardId] }) };
    },
    (settings) => new DynamoDBStreamsClient({ ...settings, maxAttempts: 1 }),
  );

  const streamArn = 'arn:aws:dynamodb:us-east-1:123456789012:table/a/stream/1';
  const history = streamHistory({ client, streamArn, table: names, evidence: { globalTableReplica: false } });

  expect((await history()).map(({ closed }) => closed)).toEqual([true, false]);
});
