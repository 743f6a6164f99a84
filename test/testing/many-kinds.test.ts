import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { startTable } from 'stream-denormalizer/testing';
import { expect, onTestFinished, test } from 'vitest';
import { manyKinds } from '../deploy/configs.ts';

test('a change of each of twelve kinds reaches the worker through five merged filters', async () => {
  const table = await startTable(manyKinds(12));
  onTestFinished(table.close);
  const client = DynamoDBDocumentClient.from(new DynamoDBClient(table.clientSettings));
  onTestFinished(() => client.destroy());
  const TableName = table.tableName;
  const keys = Array.from({ length: 12 }, (_, kind) => ({ pk: `P${kind}#x`, sk: `S${kind}#y` }));
  const copies = () =>
    Promise.all(
      keys.map(async (Key) => (await client.send(new GetCommand({ TableName, Key }))).Item?.['copy']),
    );

  for (const name of ['first', 'second']) {
    for (const key of keys) await client.send(new PutCommand({ TableName, Item: { ...key, name } }));
    await table.idle();

    expect(await copies()).toEqual(keys.map(() => name));
  }
});
