import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { itemToJson, readItem } from '../../../src/model/items/dynamodb-json.ts';
import { attributes } from '../../fixtures/model/arbitraries.ts';

test('an item that is written as JSON is read as the same item', () => {
  fc.assert(
    fc.property(attributes, (item) => {
      expect(readItem(JSON.parse(JSON.stringify(itemToJson(item))))).toEqual(item);
    }),
  );
});

describe('JSON is read with', () => {
  test.each<[string, unknown]>([
    ['every digit of a number', { N: '12345678901234567890123456789012345678' }],
    ['the spelling of a number', { N: '1.50E+3' }],
    ['32 levels', nested(32)],
    ['an empty text, list and map', { M: { a: { S: '' }, b: { L: [] }, c: { M: {} } } }],
  ])('%s', (_, value) => {
    expect(readItem({ a: value })).toEqual({ a: value });
  });

  test('bytes, as they are or in base64', () => {
    const bytes = Uint8Array.of(0, 255, 16);

    expect(readItem({ a: { B: bytes }, b: { B: 'AP8Q' }, c: { BS: ['AP8Q', ''] } })).toEqual({
      ...{ a: { B: bytes }, b: { B: bytes } },
      c: { BS: [bytes, Uint8Array.of()] },
    });
  });

  test('an attribute called __proto__, which changes no prototype', () => {
    const item = readItem(JSON.parse('{"__proto__":{"S":"x"},"a":{"M":{"__proto__":{"N":"1"}}}}'));

    expect(Object.entries(item ?? {})[0]).toEqual(['__proto__', { S: 'x' }]);
    expect(Object.getPrototypeOf(item)).toBe(Object.prototype);
  });
});

test.each<[string, unknown]>([
  ['if it is a list', []],
  ['if it is nothing', null],
  ['with a value of no type', { a: {} }],
  ['with a value of two types', { a: { S: 'x', N: '1' } }],
  ['with a type that DynamoDB does not have', { a: { X: 'x' } }],
  ['with the name of an inherited property as a type', { a: { constructor: 'x' } }],
  ['with a number that is not text', { a: { N: 1 } }],
  ['with a number longer than any', { a: { N: '1'.repeat(1_000) } }],
  ['with text that is none', { a: { S: 1 } }],
  ['with NULL that is not true', { a: { NULL: false } }],
  ['with a truth value in text', { a: { BOOL: 'true' } }],
  ['with bytes that are not base64', { a: { B: 'AP 8Q' } }],
  ['with one such member of a set', { a: { SS: ['x', 1] } }],
  ['with one such member of a list', { a: { L: [{ S: 'x' }, { S: 1 }] } }],
  ['with one such member of a map', { a: { M: { b: { S: 1 } } } }],
  ['with a set that is no list', { a: { NS: '1' } }],
  ['with so many levels that reading could exhaust the stack', { a: nested(200) }],
])('JSON is no item %s', (_, json) => {
  expect(readItem(json)).toBeUndefined();
});

function nested(levels: number): unknown {
  return levels === 1 ? { S: 'x' } : { L: [nested(levels - 1)] };
}
