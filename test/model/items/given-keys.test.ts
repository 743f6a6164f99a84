import { describe, expect, test } from 'vitest';
import type { QueriedRange } from '../../../src/model/items/copy-location.ts';
import {
  fitsPart,
  type KeyRange,
  keyGiven,
  locationGiven,
  rangeGiven,
} from '../../../src/model/items/given-keys.ts';
import type { KeyPart, TableNames } from '../../../src/model/items/table-names.ts';

const numbered = { pk: 'id', sk: { name: 'at', type: 'N' } } as const;
const regional = {
  pk: ['tenant', { name: 'shard', type: 'N' }],
  sk: ['state', { name: 'at', type: 'N' }],
} as const;

describe('a key that a function gives', () => {
  test('has one spelling for each number, with all its digits', () => {
    const keys = [5, 5n, '5.0', '5e0', 12345678901234567890n].map((sk) =>
      keyGiven(numbered, { pk: 'a', sk }),
    );

    expect(keys.map(({ sk }) => sk)).toEqual(['5', '5', '5', '5', '12345678901234567890']);
  });

  test('keeps text that looks like a number, and has no sort key if none is given', () => {
    expect(keyGiven({ pk: 'id', sk: 'at' }, { pk: '05', sk: '1.0' })).toEqual({ pk: '05', sk: '1.0' });
    expect(keyGiven({ pk: 'id' }, { pk: '05' })).toEqual({ pk: '05', sk: '' });
  });
});

describe('a range that a function gives', () => {
  test.each<[string, KeyRange, QueriedRange]>([
    ['all attributes of the partition key', { pk: ['t', 7] }, { pk: ['t', '7'] }],
    ['the first ones of the sort key', { pk: ['t', 7], sk: ['open'] }, { pk: ['t', '7'], sk: ['open'] }],
    [
      'limits of the attribute after them, as numbers',
      { pk: ['t', 7], sk: ['open'], from: 0, to: '1e1' },
      { pk: ['t', '7'], sk: ['open'], from: '0', to: '10' },
    ],
    ['a beginning of the first one', { pk: ['t', 7], begins: 'o' }, { pk: ['t', '7'], begins: 'o' }],
    ['what is undefined as if it were not there', { pk: ['t', 7], begins: undefined }, { pk: ['t', '7'] }],
  ])('has %s', (_, given, range) => {
    expect(rangeGiven(regional, given)).toStrictEqual(range);
  });

  test('has one text as the partition key of one attribute, in a list or not', () => {
    for (const pk of ['t', ['t']]) expect(rangeGiven(numbered, { pk })).toStrictEqual({ pk: 't' });
  });

  test('says nothing of a sort key of one attribute by sk', () => {
    expect(rangeGiven(numbered, { pk: 't', sk: [5], from: 3 })).toStrictEqual({ pk: 't', from: '3' });
  });
});

describe('a location that a function gives', () => {
  const table: TableNames = {
    ...{ ...numbered, ttl: 'expires', type: 'kind' },
    indexes: { regional: { name: 'by-region', ...regional } },
  };

  test('is in the keys of its index, its partition or its item', () => {
    const at = { pk: ['t', '07'], sk: ['open'], from: 2.5 };

    expect([
      locationGiven(table, { in: 'index', index: 'by-region', ...at }),
      locationGiven(table, { in: 'partition', pk: '07', to: '07' }),
      locationGiven(table, { in: 'key', pk: '07', sk: '7.0' }),
    ]).toEqual([
      { in: 'index', index: 'by-region', pk: ['t', '7'], sk: ['open'], from: '2.5' },
      { in: 'partition', pk: '07', to: '7' },
      { in: 'key', pk: '07', sk: '7' },
    ]);
  });
});

describe('a value fits a key attribute', () => {
  const text: KeyPart = { name: 'a', type: 'S', longest: 10 };
  const number: KeyPart = { name: 'a', type: 'N', longest: 10 };

  test.each<[string, KeyPart | undefined, unknown, boolean]>([
    ['text for text', text, '5', true],
    ['no number for text', text, 5, false],
    ['no half of an emoji', text, '😀'.slice(0, 1), false],
    ['a number, and its text, for a number', number, 5, true],
    ['the text of a number', number, '-0.5', true],
    ['a bigint for a number', number, 5n, true],
    ['no number that DynamoDB does not store', number, Number.NaN, false],
    ['no text for a number', number, 'five', false],
    ['no list of a number, though its text is one', number, [5], false],
    ['nothing where the key has no such attribute', undefined, 'x', false],
  ])('%s', (_, part, given, fits) => {
    expect(fitsPart(part, given)).toBe(fits);
  });
});
