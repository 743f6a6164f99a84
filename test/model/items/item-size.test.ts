import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { AttributeValue } from '../../../src/model/items/attribute-value.ts';
import { itemSize, itemSizeAtMost, maxItem } from '../../../src/model/items/item-size.ts';
import { attributes } from '../../fixtures/model/arbitraries.ts';

describe('the size of an item', () => {
  // Calculated by hand from "DynamoDB item sizes and formats".
  test.each<[string, AttributeValue, number]>([
    ['text by its UTF-8 bytes', { S: 'a§😀' }, 1 + 2 + 4],
    ['empty text as nothing', { S: '' }, 0],
    ['a number by pairs of digits and one', { N: '12345' }, 3 + 1],
    ['a number without its outer zeros', { N: '001200.00' }, 1 + 1],
    ['zero as a digit', { N: '0' }, 2],
    ['38 digits', { N: '12345678901234567890123456789012345678' }, 19 + 1],
    ['a sign as one more', { N: '-27' }, 1 + 1 + 1],
    ['an exponent as nothing', { N: '1E+100' }, 2],
    ['binary by its bytes', { B: new Uint8Array(7) }, 7],
    ['a truth value as one', { BOOL: false }, 1],
    ['null as one', { NULL: true }, 1],
    ['a set of text by its members', { SS: ['ab', '§'] }, 4],
    ['a set of numbers by its members', { NS: ['1', '-1'] }, 2 + 3],
    ['a set of binary by its members', { BS: [new Uint8Array(2), new Uint8Array(3)] }, 5],
    ['an empty list as three', { L: [] }, 3],
    ['a list with one more for each member', { L: [{ S: 'ab' }, { NULL: true }] }, 3 + (1 + 2) + (1 + 1)],
    ['a map with its names and one more for each', { M: { ab: { S: 'c' } } }, 3 + (1 + 2 + 1)],
    ['nesting level by level', { L: [{ M: {} }] }, 3 + 1 + 3],
  ])('counts %s', (_, value, size) => {
    expect(itemSize({ n: value })).toBe(1 + size);
  });

  test('never exceeds its bound', () => {
    fc.assert(
      fc.property(attributes, (item) => {
        expect(itemSizeAtMost(item)).toBeGreaterThanOrEqual(itemSize(item));
      }),
    );
    for (const N of ['0', '-27', '1E+100', '12345678901234567890123456789012345678'])
      expect(itemSizeAtMost({ n: { N } })).toBeGreaterThanOrEqual(itemSize({ n: { N } }));
  });

  test('is 400 KB for the largest item', () => {
    expect(itemSize({ n: { S: 'x'.repeat(400 * 1024 - 1) } })).toBe(maxItem);
  });
});
