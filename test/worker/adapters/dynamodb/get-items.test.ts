import { describe, expect, test } from 'vitest';
import type { ItemKey } from '../../../../src/model/items/item.ts';
import { type StubAnswer, type StubRequest, tableThat } from './stub-dynamodb.ts';
import { keysOf, tableName } from './table-fixture.ts';

const key = { pk: 'p', sk: 's' };

function keysIn({ body }: StubRequest) {
  return body.RequestItems[tableName]?.Keys ?? [];
}

/** Reads the first keys of a request, as items with these attributes, and leaves the others. */
function reads(request: StubRequest, count: number, attributes: object = {}): StubAnswer {
  const keys = keysIn(request);
  const left = keys.slice(count);
  return {
    result: {
      Responses: { [tableName]: keys.slice(0, count).map((one) => ({ ...one, ...attributes })) },
      UnprocessedKeys: left.length === 0 ? {} : { [tableName]: { Keys: left } },
    },
  };
}

test.each([
  ['leaves what a response of large items leaves', 300_000, { requests: 1, unread: 6 }],
  ['reads what a response of small items leaves', 1_000, { requests: 3, unread: 0 }],
])('a batch read that may leave keys of large items %s', async (_, size, expected) => {
  const { port, stub } = await tableThat((request) => reads(request, 4, { Text: { S: 'x'.repeat(size) } }));
  const unread: ItemKey[] = [];

  const items = await port.getMany(keysOf(10), { onUnread: (keys) => unread.push(...keys) });

  expect({ requests: stub.requests.length, unread: unread.length }).toEqual(expected);
  expect([...items.map((one) => one.key), ...unread]).toEqual(keysOf(10));
});

describe('a batch read', () => {
  test('reads unprocessed keys again, strongly consistent each time', async () => {
    const { port, stub } = await tableThat((request) =>
      reads(request, Math.ceil(keysIn(request).length / 2)),
    );

    expect(await port.getMany(keysOf(4))).toHaveLength(4);
    expect(stub.requests.map((request) => keysIn(request).length)).toEqual([4, 2, 1]);
    for (const { body } of stub.requests)
      expect(body.RequestItems).toMatchObject({ [tableName]: { ConsistentRead: true } });
  });

  test('takes the items whatever name of the table the answer gives', async () => {
    const { port } = await tableThat((request) => ({ result: { Responses: { alias: keysIn(request) } } }));

    expect(await port.getMany(keysOf(2))).toHaveLength(2);
  });

  test('gives up after this many attempts in a row without an item, whatever came before', async () => {
    const { port, stub } = await tableThat((request, earlier) =>
      reads(request, [2, 5].includes(earlier) ? 1 : 0),
    );

    await expect(port.getMany(keysOf(9))).rejects.toMatchObject({
      name: 'TransientError',
      code: 'table.unprocessed-keys',
      message: `BatchGetItem of table ${tableName} left 7 keys unread in 3 attempts: it may be tried again later`,
    });
    expect(stub.requests).toHaveLength(9);
  });

  test('requests a hundred keys at a time, each key once, with limited parallel requests', async () => {
    const { port, stub } = await tableThat((request) => reads(request, 100), { sideBySide: 2 });

    expect(await port.getMany([...keysOf(450), ...keysOf(30)])).toHaveLength(450);
    expect(stub.requests.map((request) => keysIn(request).length)).toEqual([100, 100, 100, 100, 50]);
    expect(stub.load.most).toBe(2);
  });

  test('is one plain read for one key', async () => {
    const { port, stub } = await tableThat(() => ({ result: {} }));

    expect(await port.getMany([key, key])).toEqual([]);
    expect(stub.requests).toMatchObject([{ operation: 'GetItem', body: { ConsistentRead: true } }]);
  });
});
