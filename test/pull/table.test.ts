import { describe, expect, test } from 'vitest';
import { tableOf, tableOfItems } from '../../src/pull/table.ts';
import { asItems } from '../fixtures/pull/pulled.ts';

const schema = (pk: string, sk?: string) => [
  { AttributeName: pk, KeyType: 'HASH' },
  ...(sk === undefined ? [] : [{ AttributeName: sk, KeyType: 'RANGE' }]),
];
const types = (names: Readonly<Record<string, string>>) =>
  Object.entries(names).map(([AttributeName, AttributeType]) => ({ AttributeName, AttributeType }));

describe('a table that DynamoDB describes', () => {
  test('has its keys, types and indexes, with names for code', () => {
    const described = {
      KeySchema: schema('id', 'at'),
      AttributeDefinitions: types({ id: 'S', at: 'N', owner: 'S', a: 'S' }),
      GlobalSecondaryIndexes: [
        { IndexName: 'by-owner', KeySchema: schema('owner'), Projection: { ProjectionType: 'ALL' } },
        {
          IndexName: 'GSI1',
          KeySchema: [...schema('a'), ...schema('owner')],
          Projection: { ProjectionType: 'KEYS_ONLY' },
        },
      ],
    };

    expect(tableOf(described, 'expires')).toEqual({
      ...{ pk: 'id', sk: { name: 'at', type: 'N' }, ttl: 'expires', type: 'Type' },
      indexes: {
        byOwner: { name: 'by-owner', pk: 'owner', projection: 'ALL' },
        GSI1: { name: 'GSI1', pk: ['a', 'owner'] },
      },
    });
  });

  test('is refused with a binary key', () => {
    const described = { KeySchema: schema('id'), AttributeDefinitions: types({ id: 'B' }) };

    expect(() => tableOf(described)).toThrow('found id of type B: the worker has no binary keys');
  });
});

describe('a table of which only items are known', () => {
  const rows = (more: object = {}) => [1, 2].map((n) => ({ pk: `USER#${n}`, sk: 'USER', ...more }));

  test('has keys and indexes by their usual names, and a TTL attribute of seconds', () => {
    const items = asItems(
      rows({ gsi1pk: 'A', gsi1sk: 'B', GSI2_PK: 'C', expiresAt: 1_800_000_000, ttl: 'never' }),
    );

    expect(tableOfItems(items, {})).toEqual({
      ...{ pk: 'pk', sk: 'sk', ttl: 'expiresAt', type: 'Type' },
      indexes: { GSI2: { name: 'GSI2', pk: 'GSI2_PK' }, gsi1: { name: 'gsi1', pk: 'gsi1pk', sk: 'gsi1sk' } },
    });
  });

  test('has the names that are given', () => {
    const items = asItems([1, 2].map((n) => ({ id: `u${n}`, at: n })));

    expect(tableOfItems(items, { pk: 'id', sk: 'at', ttl: 'end' })).toMatchObject({
      ...{ pk: 'id', sk: { name: 'at', type: 'N' }, ttl: 'end' },
    });
    expect(tableOfItems(items, { pk: 'id', sk: false })).not.toHaveProperty('sk');
  });

  test.each([
    ['names that no item has', { pk: 'id' }],
    ['keys that two items share', { pk: 'sk', sk: false }],
  ] as const)('is refused with %s', (_, given) => {
    expect(() => tableOfItems(asItems(rows()), given)).toThrow('give --pk and --sk, or --no-sk');
  });
});
