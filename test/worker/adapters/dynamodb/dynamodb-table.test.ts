import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { FatalError } from '../../../../src/model/errors.ts';
import type { TableNames } from '../../../../src/model/table-names.ts';
import { coalescingTable } from '../../../../src/worker/adapters/dynamodb/coalescing-table.ts';
import { dynamoDbTable } from '../../../../src/worker/adapters/dynamodb/dynamodb-table.ts';
import type { TablePort } from '../../../../src/worker/ports.ts';
import { createTable, itemOf, names, openTable } from './table-fixture.ts';
import { tablePortSuite } from './table-port.suite.ts';

async function open(decorated: (port: TablePort) => TablePort = (port) => port, endpoint?: string) {
  const { client, tableName, ...rest } = await openTable(endpoint);
  return { ...rest, names, port: decorated(dynamoDbTable({ client, tableName, table: names })) };
}

tablePortSuite('embedded server', () => open());
tablePortSuite('embedded server, coalesced', () => open((port) => coalescingTable(port, names)));

// Optional: another server, or an AWS account.
const endpoint = process.env.DENORM_TEST_DYNAMODB_ENDPOINT;
if (endpoint !== undefined) tablePortSuite(endpoint, () => open(undefined, endpoint));

describe('a table in DynamoDB', () => {
  let opened: Awaited<ReturnType<typeof openTable>>;
  beforeAll(async () => {
    opened = await openTable();
  });
  afterAll(() => opened.stop());

  function portOf(tableName = opened.tableName, table: TableNames = names): TablePort {
    return dynamoDbTable({ client: opened.client, tableName, table });
  }

  test('refuses a write that makes the item too large, and writes the others', async () => {
    const keys = ['a', 'b', 'c', 'd'].map((sk) => ({ pk: 'large', sk }));
    for (const key of keys) await opened.put(itemOf(key, { a: { S: 'x'.repeat(300_000) } }));
    const sizes = [1, 200_000, 200_000, 2];
    const sets = keys.map((_, index) => ({
      [index === 2 ? 'an odd name' : 'b']: { S: 'y'.repeat(sizes[index] ?? 0) },
    }));

    const outcomes = await portOf().update(
      keys.map((key, index) => ({ key, set: sets[index] ?? {}, remove: [], expect: {} })),
    );

    expect(outcomes).toEqual(['written', 'refused', 'refused', 'written']);
  });

  test('refuses an index key that is not text', async () => {
    const key = { pk: 'no text', sk: 'a' };
    await opened.put(itemOf(key));

    expect(await portOf().update([{ key, set: { TagPk: { N: '1' } }, remove: [], expect: {} }])).toEqual([
      'refused',
    ]);
  });

  test('writes updates of one item one after another', async () => {
    const key = { pk: 'twice', sk: 'a' };
    await opened.put(itemOf(key, { n: { N: '0' } }));
    const steps = [1, 2, 3].map((n) => ({
      key,
      set: { n: { N: `${n}` } },
      remove: [],
      expect: { n: { N: `${n - 1}` } },
    }));

    expect(await portOf().update(steps)).toEqual(['written', 'written', 'written']);
    expect(await opened.read(key)).toEqual(itemOf(key, { n: { N: '3' } }));
  });

  test('refuses an invalid removal, and removes the other items', async () => {
    const keys = ['a', 'b', 'c'].map((sk) => ({ pk: 'invalid', sk }));
    for (const key of keys) await opened.put(itemOf(key));
    const removals = [...keys, { pk: 'invalid', sk: '' }].map((key) => ({
      key,
      clear: undefined,
      expect: {},
      size: 10,
    }));

    expect(
      await portOf().transact({ key: { pk: 'invalid', sk: 'root' }, expect: 'absent' }, removals),
    ).toEqual(['written', 'written', 'written', 'refused']);
    expect(await opened.read({ pk: 'invalid', sk: 'c' })).toBeUndefined();
  });

  test.each(['a', 'a b'])('writes nothing to an item that cannot exist, not even %j', async (name) => {
    const keys = [
      { pk: '', sk: 'a' },
      { pk: 'p', sk: 's'.repeat(1025) },
    ];

    expect(
      await portOf().update(keys.map((key) => ({ key, set: { [name]: { S: '' } }, remove: [], expect: {} }))),
    ).toEqual(['lost', 'lost']);
  });

  describe.each([
    ['a table that does not exist', 'no-such-table', names, 'aws.not-found'],
    ['a table of another shape', 'other-shape', names, /^(aws.invalid|table.other-shape)$/],
  ])('%s', (_, tableName, table, code) => {
    beforeAll(async () => {
      if (tableName === 'other-shape')
        await createTable(opened.client, tableName, {
          ...names,
          pk: 'PK',
          indexes: { other: { name: 'Other', pk: 'PK', sk: 'TagSk' } },
        });
    });
    const key = { pk: 'p', sk: 's' };
    const update = { key, set: { a: { S: '' } }, remove: [], expect: {} };
    const removal = { key: { pk: 'p', sk: 't' }, clear: undefined, expect: {}, size: 1 };

    test.each<[string, (port: TablePort) => Promise<unknown>]>([
      ['get', (port) => port.get(key)],
      ['get many', (port) => port.getMany([key, { pk: 'p', sk: 't' }])],
      ['query a partition', (port) => port.query({ in: 'partition', pk: 'p' }, 1)],
      ['query an index', (port) => port.query({ in: 'index', index: 'ByTag', pk: 'p' }, 1)],
      ['update by statement', (port) => port.update([update])],
      ['update an unusual name', (port) => port.update([{ ...update, set: { 'a b': { S: '' } } }])],
      ['remove one', (port) => port.transact({ key, expect: 'absent' }, [removal])],
      [
        'remove several',
        (port) => port.transact({ key, expect: {} }, [removal, { ...removal, key: { pk: 'q', sk: 't' } }]),
      ],
    ])('throws a FatalError: %s', async (_name, act) => {
      const error = await act(portOf(tableName, table)).catch((thrown: unknown) => thrown);

      expect(error).toBeInstanceOf(FatalError);
      expect(error).toMatchObject({ retryable: false, code: expect.stringMatching(code) });
    });
  });

  test('throws a FatalError for an unknown index', async () => {
    await expect(portOf().query({ in: 'index', index: 'GSI9', pk: 'p' }, 1)).rejects.toMatchObject({
      code: 'table.no-index',
    });
  });
});
