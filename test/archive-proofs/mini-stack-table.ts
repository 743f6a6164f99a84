import { randomUUID } from 'node:crypto';
import { CreateTableCommand, type DynamoDBClient, waitUntilTableExists } from '@aws-sdk/client-dynamodb';
import { streamOf } from '../../src/operate/adapters/dynamodb/stream-history.ts';
import { names } from '../worker/adapters/dynamodb/table-fixture.ts';

/** A new table without indexes, with a stream. */
export async function newTable(
  client: DynamoDBClient,
): Promise<{ readonly tableName: string; readonly streamArn: string }> {
  const tableName = `things-${randomUUID()}`;
  await client.send(
    new CreateTableCommand({
      TableName: tableName,
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: [names.pk, names.sk].map((name) => ({ AttributeName: name, AttributeType: 'S' })),
      KeySchema: [
        { AttributeName: names.pk, KeyType: 'HASH' },
        { AttributeName: names.sk, KeyType: 'RANGE' },
      ],
      StreamSpecification: { StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' },
    }),
  );
  await waitUntilTableExists({ client, maxWaitTime: 60 }, { TableName: tableName });
  return { tableName, streamArn: await streamOf(client, tableName) };
}
