import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  byKeyText,
  isLegalKey,
  isLegalKeyPart,
  keyIn,
  keyOf,
  keyText,
  sameKey,
  text,
} from '../../src/model/item.ts';
import { itemKey } from '../fixtures/model/arbitraries.ts';
import { item } from '../fixtures/model/items.ts';
import { table } from '../fixtures/model/table.ts';

describe('the key of an item', () => {
  test('is its partition key and its sort key', () => {
    expect(keyOf(table, item({ Part: 'a', Sort: 'b', Name: 'c' }))).toEqual({ pk: 'a', sk: 'b' });
  });

  test.each([
    ['the partition key is missing', item({ Sort: 'b' })],
    ['the sort key is missing', item({ Part: 'a' })],
    ['the sort key is a number', item({ Part: 'a', Sort: 1 })],
    ['it is the key of another table', item({ PK: 'a', SK: 'b' })],
  ])('is undefined if %s', (_, keyless) => {
    expect(keyOf(table, keyless)).toBeUndefined();
    expect(() => keyIn(table, keyless)).toThrow(expect.objectContaining({ code: 'item.keyless' }));
  });

  test('is required in an item of a table', () => {
    expect(keyIn(table, item({ Part: 'a', Sort: 'b', Name: 'c' }))).toEqual({ pk: 'a', sk: 'b' });
    const items = [item({ Part: 'a', Sort: 'b' }), item({ Part: 'a', Sort: 'c' })];
    expect([...byKeyText(table, items)]).toEqual([
      [keyText({ pk: 'a', sk: 'b' }), items[0]],
      [keyText({ pk: 'a', sk: 'c' }), items[1]],
    ]);
  });

  test('has a unique text, even if partition key and sort key join to the same text', () => {
    expect(keyText({ pk: 'a', sk: 'bc' })).not.toBe(keyText({ pk: 'ab', sk: 'c' }));
    expect(keyText({ pk: 'a","b', sk: 'c' })).not.toBe(keyText({ pk: 'a', sk: 'b","c' }));
    fc.assert(
      fc.property(itemKey, itemKey, (a, b) => {
        expect(keyText(a) === keyText(b)).toBe(sameKey(a, b));
      }),
      { numRuns: 1000 },
    );
  });
});

describe('a legal key', () => {
  test('has a partition key of at most 2,048 bytes and a sort key of at most 1,024', () => {
    expect(isLegalKey({ pk: 'p'.repeat(2048), sk: 's'.repeat(1024) })).toBe(true);
    expect(isLegalKey({ pk: 'p'.repeat(2049), sk: 's' })).toBe(false);
    expect(isLegalKey({ pk: 'p', sk: 's'.repeat(1025) })).toBe(false);
  });

  test('is counted in bytes', () => {
    expect(isLegalKeyPart('§'.repeat(512), 1024)).toBe(true);
    expect(isLegalKeyPart('§'.repeat(513), 1024)).toBe(false);
  });

  test('is not empty', () => {
    expect(isLegalKey({ pk: '', sk: 's' })).toBe(false);
    expect(isLegalKey({ pk: 'p', sk: '' })).toBe(false);
  });
});

describe('the text of an attribute', () => {
  test('is undefined unless the attribute is text', () => {
    expect(text({ S: '' })).toBe('');
    expect(text({ N: '1' })).toBeUndefined();
    expect(text(undefined)).toBeUndefined();
  });
});
