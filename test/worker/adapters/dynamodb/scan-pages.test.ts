import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { FatalError } from '../../../../src/model/errors.ts';
import { type Item, keyText } from '../../../../src/model/item.ts';
import type { Cursor } from '../../../../src/model/message.ts';
import { dynamoDbScan } from '../../../../src/worker/adapters/dynamodb/scan-pages.ts';
import { startStub } from './stub-dynamodb.ts';
import { itemOf, names, openTable } from './table-fixture.ts';

let table: Awaited<ReturnType<typeof openTable>>;
const keys = Array.from({ length: 60 }, (_, number) => ({
  pk: `owner ${number % 20}`,
  sk: `entry ${number}`,
}));

beforeAll(async () => {
  table = await openTable();
  for (const key of keys) await table.put(itemOf(key, { Number: { N: '1.0' } }));
});

afterAll(() => table.stop());

describe('a scan of a table in DynamoDB', () => {
  test('returns every item once over all segments, page by page', async () => {
    const seen: string[] = [];
    for (let index = 0; index < 5; index += 1) seen.push(...(await segment(index, 5, 4)));

    expect(seen.toSorted()).toEqual(keys.map(keyText).toSorted());
  });

  test('reports the cost of a page', async () => {
    const { units, entries } = await port().scan({ index: 0, of: 1 }, 50);

    expect(entries).toHaveLength(50);
    expect(units).toBeGreaterThanOrEqual(0.5);
    expect(units).toBeLessThanOrEqual(1);
  });

  test('returns a page without items that is not the last, at the price that DynamoDB reports', async () => {
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

  test('throws if the table does not exist, without content of the items', async () => {
    const scan = dynamoDbScan({ client: table.client, tableName: 'another', table: names });

    await expect(scan.scan({ index: 0, of: 1 }, 10)).rejects.toThrow(FatalError);
    await expect(scan.scan({ index: 0, of: 1 }, 10)).rejects.toThrow('Scan of table another');
  });
});

function port() {
  return dynamoDbScan({ client: table.client, tableName: table.tableName, table: names });
}

async function segment(index: number, of: number, limit: number): Promise<string[]> {
  const seen: Item[] = [];
  let from: Cursor | undefined;
  do {
    const page = await port().scan({ index, of }, limit, from);
    expect(page.entries.length).toBeLessThanOrEqual(limit);
    seen.push(...page.entries);
    from = page.next;
  } while (from !== undefined);
  return seen.map((item) => keyText({ pk: text(item[names.pk]), sk: text(item[names.sk]) }));
}

function text(value: Item[string] | undefined): string {
  return value !== undefined && 'S' in value ? value.S : '';
}
