import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { AttributeValue } from '../../../../src/model/items/attribute-value.ts';
import { coalescingTable } from '../../../../src/worker/adapters/dynamodb/coalescing-table.ts';
import { dynamoDbTable } from '../../../../src/worker/adapters/dynamodb/dynamodb-table.ts';
import type { TablePort } from '../../../../src/worker/ports.ts';
import { patienceFor, type StubAnswer, tableThat } from './stub-dynamodb.ts';
import {
  absentRoot,
  createTable,
  itemOf,
  keysOf,
  names,
  openTable,
  removalOf,
  tableName,
  updateOf,
} from './table-fixture.ts';
import { tablePortSuite } from './table-port.suite.ts';

async function open(decorated: (port: TablePort) => TablePort = (port) => port) {
  const { client, tableName, ...rest } = await openTable();
  return { ...rest, names, port: decorated(dynamoDbTable({ client, tableName, table: names })) };
}

tablePortSuite('embedded server', () => open());
tablePortSuite('embedded server, coalesced', () => open((port) => coalescingTable(port)));

describe('a table in DynamoDB', () => {
  let opened: Awaited<ReturnType<typeof openTable>>;
  beforeAll(async () => {
    opened = await openTable();
  });
  afterAll(() => opened.stop());

  function portOf(name = tableName): TablePort {
    return dynamoDbTable({ client: opened.client, tableName: name, table: names });
  }

  test('refuses a write that DynamoDB does, and writes the others', async () => {
    const added: Record<string, AttributeValue>[] = [
      { b: { S: 'y' } },
      { b: { S: 'y'.repeat(200_000) } },
      { 'an odd name': { S: 'y'.repeat(200_000) } },
      { TagPk: { N: '1' } },
      { b: { S: 'yy' } },
    ];
    const updates = added.map((set, index) => updateOf({ pk: 'large', sk: String(index) }, { set }));
    for (const { key } of updates) await opened.put(itemOf(key, { a: { S: 'x'.repeat(300_000) } }));

    expect(await portOf().update(updates)).toEqual(['written', 'refused', 'refused', 'refused', 'written']);
  });

  test('refuses an invalid removal, and removes the other items', async () => {
    const keys = ['a', 'b', 'c'].map((sk) => ({ pk: 'invalid', sk }));
    for (const key of keys) await opened.put(itemOf(key));
    const removals = [...keys, { pk: 'invalid', sk: '' }].map((key) => removalOf(key));

    expect(await portOf().transact(absentRoot('invalid'), removals)).toEqual([
      ...['written', 'written', 'written'],
      'refused',
    ]);
    for (const key of keys) expect(await opened.read(key)).toBeUndefined();
  });

  test.each(['a', 'a b'])('writes nothing to an item that cannot exist, not even %j', async (name) => {
    const keys = [
      { pk: '', sk: 'a' },
      { pk: 'p', sk: 's'.repeat(1025) },
    ];

    expect(await portOf().update(keys.map((key) => updateOf(key, { set: { [name]: { S: '' } } })))).toEqual([
      'lost',
      'lost',
    ]);
  });

  describe.each([
    ['a table that does not exist', 'no-such-table', 'aws.not-found'],
    ['a table of another shape', 'other-shape', /^(aws.invalid|table.other-shape)$/],
  ])('%s', (_, other, code) => {
    beforeAll(async () => {
      if (other === 'other-shape')
        await createTable(opened.client, other, {
          ...names,
          pk: 'PK',
          indexes: { other: { name: 'Other', pk: 'PK', sk: 'TagSk' } },
        });
    });
    const key = { pk: 'p', sk: 's' };
    const sibling = { pk: 'p', sk: 't' };

    test.each<[string, (port: TablePort) => Promise<unknown>]>([
      ['get', (port) => port.get(key)],
      ['get many', (port) => port.getMany([key, sibling])],
      ['query a partition', (port) => port.query({ in: 'partition', pk: 'p' }, 1)],
      ['query an index', (port) => port.query({ in: 'index', index: 'ByTag', pk: 'p' }, 1)],
      ['update by statement', (port) => port.update([updateOf(key, { set: { a: { S: '' } } })])],
      ['update an unusual name', (port) => port.update([updateOf(key, { set: { 'a b': { S: '' } } })])],
      ['remove', (port) => port.transact({ key, expect: {} }, [removalOf(sibling)])],
    ])('throws a FatalError: %s', async (_name, act) => {
      await expect(act(portOf(other))).rejects.toMatchObject({
        name: 'FatalError',
        code: expect.stringMatching(code),
      });
    });
  });

  test('throws a FatalError for an unknown index', async () => {
    await expect(portOf().query({ in: 'index', index: 'GSI9', pk: 'p' }, 1)).rejects.toMatchObject({
      code: 'table.no-index',
    });
  });
});

const key = { pk: 'a secret', sk: 's' };
describe.each<[string, (port: TablePort) => Promise<unknown>]>([
  ['get', (port) => port.get(key)],
  ['get many', (port) => port.getMany([key, ...keysOf(101)])],
  ['query a partition', (port) => port.query({ in: 'partition', pk: key.pk }, 5)],
  ['query an index', (port) => port.query({ in: 'index', index: 'ByTag', pk: key.pk }, 5)],
])('to %s', (_, read) => {
  test.each<[string, string, StubAnswer]>([
    ['TransientError', 'aws.throttled', { error: 'ThrottlingException', message: key.pk }],
    ['TransientError', 'aws.timeout', 'silence'],
    ['FatalError', 'aws.invalid', { error: 'ValidationException', message: `${key.pk} is not valid` }],
  ])('throws a %s %s, without content, on %j', async (name, code, answer) => {
    const { port } = await tableThat(() => answer, { requestTimeout: patienceFor(answer) });

    await expect(read(port)).rejects.toMatchObject({
      name,
      code,
      cause: expect.any(Error),
      message: expect.not.stringContaining(key.pk),
    });
  });
});
