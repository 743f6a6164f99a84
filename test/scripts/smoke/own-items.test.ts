import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { OwnItems } from '../../../scripts/smoke/own-items.ts';
import { runForms } from '../../../scripts/smoke/run-forms.ts';
import { loopbackClientSettings } from '../../../src/develop/dev/loopback.ts';
import { type Connection, connect } from '../../../src/operate/adapters/connection.ts';
import { dynamoDbPut } from '../../../src/operate/adapters/dynamodb/put-item.ts';
import { table } from '../../../src/table.ts';
import { dynamoDbTable } from '../../../src/worker/adapters/dynamodb/dynamodb-table.ts';
import { type LocalTestTable, startLocalTable } from '../../develop/dev/local-table.ts';

const run = 'smoke-test-1';
let local: LocalTestTable;
let connection: Connection;
let items: OwnItems;
beforeAll(async () => {
  local = await startLocalTable();
  connection = connect(loopbackClientSettings(local.endpoint));
  items = new OwnItems({ connection, tableName: local.name, bucket: 'bucket', run });
});
afterAll(async () => {
  connection.close();
  await local.close();
});

const key = { pk: `ORDER#${run}`, sk: 'METADATA' };
const item = { PK: { S: key.pk }, SK: { S: key.sk } };
const location = () => ({ client: connection.dynamoDb, tableName: local.name, table });

describe('the items of a run', () => {
  test('are those with its id in their partition key', async () => {
    await expect(items.put({ ...item, PK: { S: 'ORDER#1' } })).rejects.toThrow('item of this run');
    await expect(items.change({ ...item, PK: { S: 'ORDER#1' } })).rejects.toThrow('item of this run');
    expect(() => items.expectObject('archive/Order/ORDER%231/METADATA.json')).toThrow('object of this run');
  });

  test('do not replace or remove other items', async () => {
    await dynamoDbPut(location()).overwrite({ ...item, of: { S: 'another' } });

    await expect(items.put(item)).rejects.toMatchObject({ code: 'smoke.taken' });
    expect(await items.removeAll()).toEqual([]);

    expect(await dynamoDbTable(location()).get(key)).toEqual({ ...item, of: { S: 'another' } });
  });

  test('can be put twice, as the SDK does after a lost answer', async () => {
    const twice = { ...item, SK: { S: 'twice' } };
    await items.put(twice);
    await items.put(twice);

    expect(items.left()).toEqual([`item {"PK":"${key.pk}","SK":"twice"} of table app`]);
    expect(await items.removeAll()).toEqual([]);
    expect(items.left()).toEqual([]);
    expect(await dynamoDbTable(location()).get({ ...key, sk: 'twice' })).toBeUndefined();
  });
});

test('reports the statement form that DynamoDB refuses but accepts as UpdateItem', async () => {
  const { dynamoDb: client } = connect(loopbackClientSettings(local.endpoint));
  client.middlewareStack.add(
    (next, { commandName }) =>
      async (args) => {
        if (commandName === 'BatchExecuteStatementCommand')
          throw Object.assign(new Error('Statement was not well formed'), { name: 'ValidationException' });
        return next(args);
      },
    { step: 'finalizeRequest', name: 'refuseStatements' },
  );
  const lines = await runForms({ client, tableName: local.name, items, run, asked: () => false });
  client.destroy();

  const line = (form: string) => lines.find(({ check }) => check === `update: ${form}`);
  expect(line('SET and compare S')).toMatchObject({
    status: 'failed',
    detail: 'refused as a statement, fell back to UpdateItem, and was right',
  });
  expect(line('names that only UpdateItem takes')).toMatchObject({ status: 'passed' });
  expect(line('an item that does not exist stays so')).toMatchObject({ status: 'failed' });
});
