import {
  CreateTableCommand,
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
  DynamoDBClient,
  PutItemCommand,
} from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TableDefinition } from '../../../../src/deploy/stack-settings.ts';
import { loopbackClientSettings } from '../../../../src/develop/dev/loopback.ts';
import { createTable } from '../../../../src/develop/dev/table/create-table.ts';
import {
  type EmbeddedTableServer,
  startEmbeddedTableServer,
} from '../../../../src/develop/dev/table/embedded-table-server.ts';
import { freePort } from '../../../../src/develop/dev/table/free-port.ts';
import { settings } from '../../../fixtures/application/stack.ts';

const definition = settings.table;
let server: EmbeddedTableServer;
let client: DynamoDBClient;
beforeAll(async () => {
  server = await startEmbeddedTableServer();
  client = new DynamoDBClient(loopbackClientSettings(server.endpoint));
});
afterAll(() => server.stop());

describe('creating the table', () => {
  it('creates it as in the template', async () => {
    const { made, streamArn } = await createTable(server.endpoint, 'fresh', definition);
    const { Table } = await client.send(new DescribeTableCommand({ TableName: 'fresh' }));
    const expiry = await client.send(new DescribeTimeToLiveCommand({ TableName: 'fresh' }));
    expect(made).toBe(true);
    expect(Table?.LatestStreamArn).toBe(streamArn);
    expect(Table?.StreamSpecification).toEqual({ StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' });
    expect(Table?.KeySchema).toEqual(definition.KeySchema);
    expect(Table?.GlobalSecondaryIndexes).toMatchObject(definition.GlobalSecondaryIndexes);
    expect(expiry.TimeToLiveDescription).toMatchObject({ AttributeName: 'ExpiresAt' });
  });

  it('accepts an existing one, with any further settings', async () => {
    const { streamArn } = await createTable(server.endpoint, 'there', definition);
    expect(await createTable(server.endpoint, 'there', definition)).toEqual({
      name: 'there',
      streamArn,
      made: false,
    });
    const fewer = { ...definition, GlobalSecondaryIndexes: definition.GlobalSecondaryIndexes.slice(1) };
    expect(await createTable(server.endpoint, 'there', fewer)).toMatchObject({ made: false });
  });

  it('refuses one with another shape, and names each difference', async () => {
    await client.send(
      new CreateTableCommand({
        TableName: 'other',
        BillingMode: 'PAY_PER_REQUEST',
        AttributeDefinitions: [
          { AttributeName: 'PK', AttributeType: 'S' },
          { AttributeName: 'SK', AttributeType: 'N' },
          { AttributeName: 'GSI1PK', AttributeType: 'S' },
          { AttributeName: 'GSI2PK', AttributeType: 'S' },
          { AttributeName: 'GSI2SK', AttributeType: 'S' },
        ],
        KeySchema: [
          { AttributeName: 'PK', KeyType: 'HASH' },
          { AttributeName: 'SK', KeyType: 'RANGE' },
        ],
        GlobalSecondaryIndexes: [
          {
            IndexName: 'GSI1',
            KeySchema: [{ AttributeName: 'GSI1PK', KeyType: 'HASH' }],
            Projection: { ProjectionType: 'ALL' },
          },
          {
            IndexName: 'GSI2',
            KeySchema: [
              { AttributeName: 'GSI2PK', KeyType: 'HASH' },
              { AttributeName: 'GSI2SK', KeyType: 'RANGE' },
            ],
            Projection: { ProjectionType: 'KEYS_ONLY' },
          },
        ],
        StreamSpecification: { StreamEnabled: true, StreamViewType: 'NEW_IMAGE' },
      }),
    );
    const refused = await createTable(server.endpoint, 'other', definition).catch((error) => error);
    expect(refused).toMatchObject({ name: 'LocalError', code: 'table.other-shape' });
    for (const difference of [
      'key PK (S) and SK (N) instead of PK (S) and SK (S)',
      'index GSI1 with key GSI1PK (S) instead of GSI1PK (S) and GSI1SK (S)',
      'index GSI2 with projection KEYS_ONLY instead of ALL',
      'no index GSI3',
      'stream NEW_IMAGE instead of NEW_AND_OLD_IMAGES',
    ]) {
      expect(refused.message).toContain(difference);
    }
  });

  async function streamless(TableName: string): Promise<TableDefinition> {
    const plain: TableDefinition = { ...definition, GlobalSecondaryIndexes: [] };
    await client.send(
      new CreateTableCommand({
        TableName,
        BillingMode: 'PAY_PER_REQUEST',
        AttributeDefinitions: plain.AttributeDefinitions.slice(0, 2),
        KeySchema: plain.KeySchema,
      }),
    );
    return plain;
  }

  it('refuses one whose stream has no images', async () => {
    const plain = await streamless('streamless');
    await client.send(
      new PutItemCommand({ TableName: 'streamless', Item: { PK: { S: 'a' }, SK: { S: 'b' } } }),
    );

    await expect(createTable(server.endpoint, 'streamless', plain)).rejects.toMatchObject({
      code: 'table.other-shape',
      message: expect.stringContaining('stream none instead of NEW_AND_OLD_IMAGES'),
    });
  });

  it('completes one whose creation was interrupted before it had its stream', async () => {
    const plain = await streamless('unfinished');

    const { streamArn, made } = await createTable(server.endpoint, 'unfinished', plain);

    expect(streamArn).toContain('unfinished');
    expect(made).toBe(false);
  });

  it('reports that nothing answers, and refuses any machine but this one', async () => {
    const silent = `http://127.0.0.1:${await freePort()}`;
    await expect(createTable(silent, 'app', definition)).rejects.toMatchObject({ code: 'table.unreachable' });
    for (const endpoint of [
      'https://dynamodb.us-east-1.amazonaws.com',
      'http://127.0.0.1.evil.example',
      'x',
    ]) {
      await expect(createTable(endpoint, 'app', definition)).rejects.toMatchObject({
        code: 'endpoint.not-loopback',
      });
    }
  });
});
