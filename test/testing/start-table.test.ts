import { existsSync } from 'node:fs';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, GetCommand, PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { defineConfig } from 'stream-denormalizer';
import { startTable, type TestTable } from 'stream-denormalizer/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { authorOnPosts, blog, blogTable } from '../fixtures/testing/blog.ts';
import regions from '../package/shapes/regions/denorm.config.ts';

let table: TestTable;
let client: DynamoDBDocumentClient;

beforeAll(async () => {
  table = await startTable(blog);
  client = DynamoDBDocumentClient.from(new DynamoDBClient(table.clientSettings));
});

afterAll(async () => {
  client.destroy();
  await table.close();

  expect(existsSync(table.archiveFolder)).toBe(false);
});

test('copies on an embedded table follow their root, over the project’s index', async () => {
  const key = { pk: 'blog#x', sk: 'post#1' };
  const root = { pk: 'author#1', sk: 'profile', _type: 'author', name: 'Ann', rank: 'staff', score: 1 };
  await put(root);
  await put({ ...key, _type: 'post', author: '1', title: 'One', author_pk: 'author#1', author_sk: 'post#1' });
  await table.idle();

  expect(await read(key)).toMatchObject({ author_name: 'Ann', author_label: 'One by Ann (1)' });

  await client.send(
    new UpdateCommand({
      TableName: table.tableName,
      Key: { pk: 'author#1', sk: 'profile' },
      UpdateExpression: 'SET #name = :name',
      ExpressionAttributeNames: { '#name': 'name' },
      ExpressionAttributeValues: { ':name': 'Bea' },
    }),
  );
  await table.idle();

  expect(await read(key)).toMatchObject({ author_name: 'Bea' });
});

test('a rule that the embedded table cannot serve is refused at once', async () => {
  await expect(startTable(regions)).rejects.toMatchObject({
    code: 'server.no-index',
    message: expect.stringMatching(/got manager-on-orders with .*\{ disabled: \['manager-on-orders'\] \}/),
  });
  await (await startTable(regions, { disabled: ['manager-on-orders'] })).close();
});

test('an index that the embedded table cannot have is left out, and the other rules run', async () => {
  const byTeam = { name: 'by-team', pk: ['team', 'rank'] } as const;
  const teams = defineConfig({
    table: { ...blogTable, indexes: { ...blogTable.indexes, byTeam } },
    rules: [authorOnPosts],
  });

  const { endpoint, close } = await startTable(teams);
  await close();

  expect(endpoint).toMatch(/^http:/);
});

async function put(Item: Record<string, unknown>): Promise<void> {
  await client.send(new PutCommand({ TableName: table.tableName, Item }));
}

async function read(Key: Record<string, string>): Promise<unknown> {
  return (await client.send(new GetCommand({ TableName: table.tableName, Key, ConsistentRead: true }))).Item;
}
