import { DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams';
import { expect, onTestFinished, test } from 'vitest';
import * as z from 'zod';
import { loopbackClientSettings } from '../../../../src/dev/loopback.ts';
import { streamHistory } from '../../../../src/operate/adapters/dynamodb/stream-port.ts';
import { table } from '../../../../src/table.ts';
import { loopbackServer } from '../../../suites/loopback-server.ts';

const requestSchema = z.object({ ExclusiveStartShardId: z.string().optional() });

test('an empty page of shards does not end the list', async () => {
  const pages: Readonly<Record<string, object>> = {
    first: { Shards: [{ ShardId: 'shard-1' }], LastEvaluatedShardId: 'shard-1' },
    'shard-1': { Shards: [], LastEvaluatedShardId: 'shard-2' },
    'shard-2': { Shards: [{ ShardId: 'shard-3', ParentShardId: 'shard-1' }] },
  };
  const server = await loopbackServer(({ body }) => {
    const { ExclusiveStartShardId = 'first' } = requestSchema.parse(JSON.parse(body.toString()));
    return { status: 200, body: JSON.stringify({ StreamDescription: pages[ExclusiveStartShardId] }) };
  });
  const client = new DynamoDBStreamsClient({
    ...loopbackClientSettings(server.endpoint),
    maxAttempts: 1,
  });
  onTestFinished(async () => {
    client.destroy();
    await server.close();
  });

  const streamArn = 'arn:aws:dynamodb:us-east-1:123456789012:table/a/stream/1';
  const history = streamHistory({ client, streamArn, table, evidence: { globalTableReplica: false } });

  expect((await history()).map(({ closed }) => closed)).toEqual([true, false]);
});
