import { CreateTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocument, DynamoDBDocumentClient, PutCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import fc from 'fast-check';
import { mergedPages } from 'stream-denormalizer/read';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { LocalServer } from '../../src/dev/local-server.ts';
import { startEmbeddedTableServer } from '../../src/dev/table/embedded-table-server.ts';
import { type StoredItem, table } from './partitions.ts';
import { type Case, casesOf, itemOf, readWhileWritten } from './reading.ts';

let server: LocalServer;
let client: DynamoDBClient;

beforeAll(async () => {
  server = await startEmbeddedTableServer();
  client = new DynamoDBClient({
    ...{ endpoint: server.endpoint, region: 'eu-central-1' },
    credentials: { accessKeyId: 'any', secretAccessKey: 'any' },
  });
});
afterAll(async () => {
  client.destroy();
  await server.stop();
});

/** A new table whose sort key, or that of its index, has a type. */
async function newTable(type: 'S' | 'N' | 'B', of: Case['options']['index']): Promise<string> {
  const TableName = `t-${crypto.randomUUID()}`;
  const schema = ({ pk, sk }: { pk: string; sk: string }) => [
    { AttributeName: pk, KeyType: 'HASH' as const },
    { AttributeName: sk, KeyType: 'RANGE' as const },
  ];
  await client.send(
    new CreateTableCommand({
      ...{ TableName, BillingMode: 'PAY_PER_REQUEST', KeySchema: schema(table) },
      AttributeDefinitions: [
        { AttributeName: 'PK', AttributeType: 'S' },
        { AttributeName: 'SK', AttributeType: of === undefined ? type : 'S' },
        ...(of === undefined ? [] : [{ AttributeName: of.pk, AttributeType: 'S' as const }]),
        ...(of === undefined ? [] : [{ AttributeName: of.sk, AttributeType: type }]),
      ],
      ...(of !== undefined && {
        GlobalSecondaryIndexes: [
          { IndexName: of.name, KeySchema: schema(of), Projection: { ProjectionType: 'ALL' } },
        ],
      }),
    }),
  );
  return TableName;
}

describe('merged pages of an embedded table', () => {
  test.each(['S', 'N', 'B'] as const)(
    'with sort keys of type %s neither lose nor repeat an item',
    async (type) => {
      const document = DynamoDBDocument.from(client);
      await fc.assert(
        fc.asyncProperty(casesOf(type), async (one) => {
          const TableName = await newTable(type, one.options.index);
          const writer = {
            put: (Item: StoredItem) => document.put({ TableName, Item }),
            delete: ({ PK, SK }: StoredItem) => document.delete({ TableName, Key: { PK, SK } }),
          };
          for (const stored of one.stored) await writer.put(itemOf(one, stored));
          await readWhileWritten(one, writer, document, TableName);
        }),
        { numRuns: 25 },
      );
    },
  );

  test('hold whole numbers of more digits than a JavaScript number', async () => {
    const tableName = await newTable('N', undefined);
    const document = DynamoDBDocumentClient.from(client);
    const keys = [9007199254740993n, 9007199254740992n, 9007199254740994n, 1n];
    for (const SK of keys)
      await document.send(new PutCommand({ TableName: tableName, Item: { PK: 'a', SK } }));
    const read: unknown[] = [];
    let cursor: string | undefined;
    do {
      const page = await mergedPages({
        client: { query: (request) => document.send(new QueryCommand(request)) },
        ...{ tableName, table, queries: [{ pk: 'a' }], limit: 1, cursor },
      });
      read.push(...page.items.map(({ SK }) => SK));
      cursor = page.cursor;
    } while (cursor !== undefined);

    expect(read.map(String)).toEqual(keys.toSorted((a, b) => Number(a - b)).map(String));
  });
});
