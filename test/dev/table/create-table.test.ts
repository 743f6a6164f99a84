import { CreateTableCommand, DescribeTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freePort, type LocalServer } from '../../../src/dev/local-server.ts';
import { loopbackClientSettings } from '../../../src/dev/loopback.ts';
import { createTable } from '../../../src/dev/table/create-table.ts';
import { startEmbeddedTableServer } from '../../../src/dev/table/embedded-table-server.ts';
import { settings } from '../../fixtures/application/stack.ts';

const definition = settings.table;
let server: LocalServer;
let client: DynamoDBClient;
beforeAll(async () => {
  server = await startEmbeddedTableServer();
  client = new DynamoDBClient(loopbackClientSettings(server.endpoint));
});
afterAll(() => server.stop());

test('the table is created as in the template', async () => {
  const streamArn = await createTable(server.endpoint, 'fresh', definition);
  const { Table } = await client.send(new DescribeTableCommand({ TableName: 'fresh' }));
  expect(Table?.LatestStreamArn).toBe(streamArn);
  expect(Table?.StreamSpecification).toEqual({ StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' });
  expect(Table?.KeySchema).toEqual(definition.KeySchema);
  expect(Table?.GlobalSecondaryIndexes).toMatchObject(definition.GlobalSecondaryIndexes);
});

test('an existing one is accepted, with any further indexes', async () => {
  const created = await createTable(server.endpoint, 'there', definition);
  expect(await createTable(server.endpoint, 'there', definition)).toEqual(created);
  const fewer = { ...definition, GlobalSecondaryIndexes: definition.GlobalSecondaryIndexes.slice(1) };
  expect(await createTable(server.endpoint, 'there', fewer)).toEqual(created);
});

test('one with another shape is refused, and each difference is named', async () => {
  const index = (IndexName: string, ProjectionType: 'ALL' | 'KEYS_ONLY', ...keys: readonly string[]) => ({
    IndexName,
    KeySchema: keys.map((name, at) => ({
      AttributeName: name,
      KeyType: at === 0 ? ('HASH' as const) : ('RANGE' as const),
    })),
    Projection: { ProjectionType },
  });
  const types = { PK: 'S', SK: 'N', GSI1PK: 'S', GSI2PK: 'S', GSI2SK: 'S' } as const;
  await client.send(
    new CreateTableCommand({
      TableName: 'other',
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: Object.entries(types).map(([AttributeName, AttributeType]) => ({
        ...{ AttributeName, AttributeType },
      })),
      KeySchema: index('', 'ALL', 'PK', 'SK').KeySchema,
      GlobalSecondaryIndexes: [
        index('GSI1', 'ALL', 'GSI1PK'),
        index('GSI2', 'KEYS_ONLY', 'GSI2PK', 'GSI2SK'),
      ],
    }),
  );
  const refused = await createTable(server.endpoint, 'other', definition).catch((error) => error);
  expect(refused).toMatchObject({ name: 'LocalError', code: 'table.other-shape' });
  for (const difference of [
    'key PK (S) and SK (N) instead of PK (S) and SK (S)',
    'index GSI1 with key GSI1PK (S) instead of GSI1PK (S) and GSI1SK (S)',
    'index GSI2 with projection KEYS_ONLY instead of ALL',
    'no index GSI3',
    'stream none instead of NEW_AND_OLD_IMAGES',
  ])
    expect(refused.message).toContain(difference);
});

test('that nothing answers is reported, and any machine but this one is refused', async () => {
  const silent = `http://127.0.0.1:${await freePort()}`;
  await expect(createTable(silent, 'app', definition)).rejects.toMatchObject({ code: 'table.unreachable' });
  for (const endpoint of ['https://dynamodb.us-east-1.amazonaws.com', 'http://127.0.0.1.evil.example', 'x']) {
    await expect(createTable(endpoint, 'app', definition)).rejects.toMatchObject({
      code: 'endpoint.not-loopback',
    });
  }
});
