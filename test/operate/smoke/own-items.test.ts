import { afterAll, beforeAll, expect, test } from 'vitest';
import { loopbackClientSettings } from '../../../src/dev/loopback.ts';
import { FatalError } from '../../../src/model/basics/errors.ts';
import type { Item } from '../../../src/model/items/item.ts';
import { type Connection, connect } from '../../../src/operate/adapters/connection.ts';
import { deleteItem, dynamoDbPut } from '../../../src/operate/adapters/dynamodb/write-item.ts';
import { ownItems } from '../../../src/operate/smoke/own-items.ts';
import { formsLine } from '../../../src/operate/smoke/statement-forms.ts';
import { table } from '../../../src/table.ts';
import { dynamoDbTable } from '../../../src/worker/adapters/dynamodb/dynamodb-table.ts';
import type { TablePort } from '../../../src/worker/ports.ts';
import { type LocalTestTable, startLocalTable } from '../../dev/local-table.ts';
import { VirtualClock } from '../../fixtures/virtual-clock.ts';

const run = 'smoke-test-1';
const clock = new VirtualClock();
let local: LocalTestTable;
let connection: Connection;
let port: TablePort;
beforeAll(async () => {
  local = await startLocalTable();
  connection = connect(loopbackClientSettings(local.endpoint));
  port = dynamoDbTable({ client: connection.dynamoDb, tableName: local.name, table });
});
afterAll(async () => {
  connection.close();
  await local.close();
});

function itemsOf(eraseObject = async (_: string) => {}) {
  const location = { client: connection.dynamoDb, tableName: local.name, table };
  const removeItem = (key: { pk: string; sk: string }) => deleteItem(location, key);
  return ownItems({ table, run, puts: dynamoDbPut(location), removeItem, eraseObject, clock });
}

const keyed = (pk: string): Item => ({ PK: { S: pk }, SK: { S: 'METADATA' } });

test('items and objects without the run in their keys are refused', async () => {
  const items = itemsOf();
  const others = { puts: [keyed('ORDER#1')], removes: [] };

  await expect(items.write(others)).rejects.toThrow('Expected a key of this run');
  await expect(items.write({ puts: [], removes: [{ pk: 'ORDER#1', sk: 'A' }] })).rejects.toThrow('this run');
  expect(() => items.expect([], ['archive/Order/ORDER%231/METADATA.json'])).toThrow('this run');
  expect(await port.get({ pk: 'ORDER#1', sk: 'METADATA' })).toBeUndefined();
});

test('all are removed, and what is left is told with why', async () => {
  const items = itemsOf(async () => {
    throw new FatalError('aws.denied', 's3:DeleteObjectVersion was denied');
  });
  const [own, made] = [`ORDER#${run}`, `USER#${run}`];
  await items.write({ puts: [keyed(own)], removes: [] });
  items.expect([{ pk: made, sk: 'METADATA' }], [`archive/Order/${run}.json`]);
  await dynamoDbPut({ client: connection.dynamoDb, tableName: local.name, table }).overwrite(keyed(made));

  expect(await items.removeAll()).toEqual([
    `all versions of archive/Order/${run}.json: s3:DeleteObjectVersion was denied`,
  ]);
  for (const pk of [own, made]) expect(await port.get({ pk, sk: 'METADATA' })).toBeUndefined();
});

test('the worker’s updates take every form, and one that goes wrong is named', async () => {
  const items = itemsOf();

  expect(await formsLine(port, table, items, run)).toMatchObject({ status: 'proven' });
  const deaf: TablePort = {
    ...port,
    update: async (updates) => updates.map(({ key }) => (key.sk === 'NULL' ? 'written' : 'lost')),
  };
  expect(await formsLine(deaf, table, items, run)).toMatchObject({
    status: 'failed',
    detail: expect.stringMatching(/S; N; .*NULL; .*PropagateEnabled=false/),
  });
  expect(await items.removeAll()).toEqual([]);
});
