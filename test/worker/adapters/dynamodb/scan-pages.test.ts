import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { keyed } from '../../../../src/model/items/item.ts';
import { dynamoDbScan } from '../../../../src/worker/adapters/dynamodb/read-pages.ts';
import { startStub } from './stub-dynamodb.ts';
import { allPages, itemOf, names, openTable, tableName } from './table-fixture.ts';

let table: Awaited<ReturnType<typeof openTable>>;
const items = Array.from({ length: 60 }, (_, number) =>
  itemOf({ pk: `owner ${number % 20}`, sk: `entry ${number}` }, { Number: { N: '1' } }),
);

beforeAll(async () => {
  table = await openTable();
  for (const item of items) await table.put(item);
});

afterAll(() => table.stop());

function port(name = tableName) {
  return dynamoDbScan({ client: table.client, tableName: name, table: names });
}

describe('a scan of a table in DynamoDB', () => {
  test('returns every item once over all segments, page by page', async () => {
    const segments = Array.from({ length: 5 }, (_, index) =>
      allPages((from) => port().scan({ index, of: 5 }, 4, from)),
    );

    const pages = (await Promise.all(segments)).flat();
    expect(new Set(pages.flat())).toEqual(new Set(items.map((item) => keyed(names, item))));
    expect(pages.flat()).toHaveLength(items.length);
    for (const page of pages) expect(page.length).toBeLessThanOrEqual(4);
  });

  test('reports the cost of a page', async () => {
    const { units, entries } = await port().scan({ index: 0, of: 1 }, 50);

    expect(entries).toHaveLength(50);
    expect(units).toBeGreaterThanOrEqual(0.5);
    expect(units).toBeLessThanOrEqual(1);
  });

  test('ends with an error if a page names itself as the next', async () => {
    const LastEvaluatedKey = { Owner: { S: 'p' }, Entry: { S: 's' } };
    const stub = await startStub(() => ({ result: { Items: [], LastEvaluatedKey } }));
    const scan = dynamoDbScan({ ...stub, tableName, table: names });
    const segment = { index: 0, of: 1 };
    const { next } = await scan.scan(segment, 1);

    await expect(scan.scan(segment, 1, next)).rejects.toMatchObject({ code: 'table.cut-off' });
  });

  test('returns an empty page that is not the last, at its price', async () => {
    const LastEvaluatedKey = { Owner: { S: 'p' }, Entry: { S: 'é' } };
    const stub = await startStub(() => ({
      result: { Items: [], LastEvaluatedKey, ConsumedCapacity: { CapacityUnits: 128 } },
    }));
    const scan = dynamoDbScan({ client: stub.client, tableName: 'things', table: names });

    expect(await scan.scan({ index: 0, of: 1 }, 5)).toMatchObject({
      entries: [],
      next: { Owner: 'p', Entry: 'é' },
      units: 128,
    });
  });

  test('throws if the table does not exist, and names it', async () => {
    await expect(port('another').scan({ index: 0, of: 1 }, 10)).rejects.toMatchObject({
      name: 'FatalError',
      message: expect.stringContaining('Scan of table another'),
    });
  });
});
