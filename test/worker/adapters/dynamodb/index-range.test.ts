import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { indexNamed } from '../../../../src/model/copy-location.ts';
import { FatalError } from '../../../../src/model/errors.ts';
import { dynamoDbRange } from '../../../../src/worker/adapters/dynamodb/index-range.ts';
import { startStub } from './stub-dynamodb.ts';
import { allPages, itemOf, names, openTable } from './table-fixture.ts';

let table: Awaited<ReturnType<typeof openTable>>;
const index = indexNamed(names, 'ByTag') ?? { name: '', pk: '', sk: '' };
const keys = Array.from({ length: 30 }, (_, number) => ({
  pk: `owner ${number % 7}`,
  sk: `entry ${number}`,
}));

beforeAll(async () => {
  table = await openTable();
  for (const [number, key] of keys.entries())
    await table.put(
      itemOf(key, {
        [index.pk]: { S: number < 20 ? 'red' : 'blue' },
        [index.sk]: { S: `2026-01-${String(number + 1).padStart(2, '0')}` },
        Text: { S: 'x'.repeat(2000) },
      }),
    );
});

afterAll(() => table.stop());

function port() {
  return dynamoDbRange({ client: table.client, tableName: table.tableName, table: names });
}

describe('a range of an index in DynamoDB', () => {
  test.each([
    ['red', '2026-01-11', 4, keys.slice(0, 10)],
    ['blue', '2026-01-21', 4, []],
    ['blue', '2027', 100, keys.slice(20)],
    ['green', '2027', 4, []],
  ])(
    'returns the keys of the entries of %s before %s, in their order, by %d',
    async (pk, until, limit, expected) => {
      const pages = await allPages((from) => port().before({ index, pk, until }, limit, from));

      expect(pages.flat()).toEqual(expected);
      for (const page of pages) expect(page.length).toBeLessThanOrEqual(limit);
    },
  );

  test('reports the cost of a page: whole entries, eventually consistent', async () => {
    const { units } = await port().before({ index, pk: 'red', until: '2027' }, 10);

    expect(units).toBeGreaterThanOrEqual(2.5);
    expect(units).toBeLessThanOrEqual(3.5);
  });

  test('returns a page without entries that is not the last', async () => {
    const cursor = { Owner: 'p', Entry: 'e', [index.pk]: 'red', [index.sk]: '2026' };
    const LastEvaluatedKey = Object.fromEntries(Object.entries(cursor).map(([name, S]) => [name, { S }]));
    const stub = await startStub(() => ({ result: { Items: [], LastEvaluatedKey } }));
    const range = dynamoDbRange({ client: stub.client, tableName: 'things', table: names });

    expect(await range.before({ index, pk: 'red', until: '2027' }, 5)).toMatchObject({
      entries: [],
      next: cursor,
    });
  });

  test('throws if the index does not exist, without content of the items', async () => {
    const asked = port().before({ index: { ...index, name: 'Other' }, pk: 'secret', until: 'x' }, 10);

    await expect(asked).rejects.toThrow(FatalError);
    await expect(asked).rejects.not.toThrow('secret');
  });
});
