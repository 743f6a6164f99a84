import { beforeAll, describe, expect, test } from 'vitest';
import { FatalError } from '../../../../src/model/basics/errors.ts';
import { dynamoDbPut } from '../../../../src/operate/adapters/dynamodb/write-item.ts';
import { everyType, unusualKeys } from '../../../fixtures/model/samples.ts';
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

const large = (kilobytes: number) => ({ Text: { S: 'x'.repeat(kilobytes * 1024 - 40) } });

describe('a whole item', () => {
  test.each(unusualKeys)('is put if its key is free, in every type, under a key %s', async (_, key) => {
    const item = itemOf(key, everyType);

    expect(await port().putIfAbsent(item)).toMatchObject({ outcome: 'put' });
    expect(same(await table.read(key))).toBe(same(item));
  });

  test('is not put over another item, which it replaces on request', async () => {
    const key = { pk: 'taken', sk: '1' };
    const mine = itemOf(key, { Says: { S: 'mine' } });
    await table.put(mine);

    expect(await port().putIfAbsent(itemOf(key))).toMatchObject({ outcome: 'exists' });
    expect(await table.read(key)).toEqual(mine);
    expect(await port().overwrite(itemOf(key))).toMatchObject({ outcome: 'put' });
    expect(await table.read(key)).toEqual(itemOf(key));
  });

  test('of 400 KB is put, at a cost of one unit per KB; a larger one is refused', async () => {
    const key = { pk: 'large', sk: '1' };
    const { outcome, units } = await port().putIfAbsent(itemOf(key, large(400)));

    expect([outcome, units >= 399]).toEqual(['put', true]);
    expect(same(await table.read(key))).toBe(same(itemOf(key, large(400))));
    expect(await port().overwrite(itemOf(key, large(410)))).toMatchObject({ outcome: 'refused' });
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
