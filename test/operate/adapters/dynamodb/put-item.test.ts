import { beforeAll, describe, expect, test } from 'vitest';
import { FatalError } from '../../../../src/model/errors.ts';
import { dynamoDbPut } from '../../../../src/operate/adapters/dynamodb/put-item.ts';
import { everyType, unusualKeys } from '../../../worker/adapters/dynamodb/samples.ts';
import { startStub } from '../../../worker/adapters/dynamodb/stub-dynamodb.ts';
import { itemOf, names, openTable, same } from '../../../worker/adapters/dynamodb/table-fixture.ts';

let table: Awaited<ReturnType<typeof openTable>>;

beforeAll(async () => {
  table = await openTable();
  return () => table.stop();
});

function port(tableName = table.tableName) {
  return dynamoDbPut({ client: table.client, tableName, table: names });
}

describe('a whole item', () => {
  test.each(unusualKeys)('is put if its key is free, in every type, under a key %s', async (_, key) => {
    const item = itemOf(key, everyType);

    expect(await port().putIfAbsent(item)).toMatchObject({ outcome: 'put' });
    expect(same(await table.read(key))).toBe(same(item));
  });

  test('is not put if an item has its key, and that item stays as it is', async () => {
    const key = { pk: 'taken', sk: '1' };
    await table.put(itemOf(key, { Says: { S: 'mine' } }));

    expect(await port().putIfAbsent(itemOf(key))).toMatchObject({ outcome: 'exists' });
    expect(await table.read(key)).toEqual(itemOf(key, { Says: { S: 'mine' } }));
  });

  test('replaces an existing item on request', async () => {
    const key = { pk: 'taken', sk: '2' };
    await table.put(itemOf(key, { Says: { S: 'mine' } }));

    expect(await port().overwrite(itemOf(key))).toMatchObject({ outcome: 'put' });
    expect(await table.read(key)).toEqual(itemOf(key));
  });

  test('of 400 KB is put, at a cost of one unit per KB', async () => {
    const key = { pk: 'large', sk: '1' };
    const item = itemOf(key, { Text: { S: 'x'.repeat(400 * 1024 - 40) } });

    const { outcome, units } = await port().putIfAbsent(item);

    expect(outcome).toBe('put');
    expect(units).toBeGreaterThanOrEqual(399);
    expect(same(await table.read(key))).toBe(same(item));
  });

  test('that DynamoDB rejects is refused, and the next one is put', async () => {
    const item = itemOf({ pk: 'large', sk: '2' }, { Text: { S: 'x'.repeat(410 * 1024) } });

    expect(await port().putIfAbsent(item)).toMatchObject({ outcome: 'refused' });
    expect(await port().putIfAbsent(itemOf({ pk: 'large', sk: '3' }))).toMatchObject({ outcome: 'put' });
  });
});

test('costs what DynamoDB reports', async () => {
  const stub = await startStub(() => ({ result: { ConsumedCapacity: { CapacityUnits: 7 } } }));
  const put = dynamoDbPut({ client: stub.client, tableName: 'things', table: names });

  expect(await put.overwrite(itemOf({ pk: 'a', sk: 'b' }))).toEqual({ outcome: 'put', units: 7 });
});

test('a missing table is a FatalError, not the refusal of one item', async () => {
  await expect(port('another').putIfAbsent(itemOf({ pk: 'a', sk: 'b' }))).rejects.toThrow(FatalError);
});
