import type { Random } from '../../../src/develop/testing/simulation/random.ts';
import type { AttributeValue } from '../../../src/model/attribute-value.ts';

/** Each a type of its own, some of them the same value spelled differently, and nested ones. */
const values: readonly AttributeValue[] = [
  { S: '' },
  { S: 'a' },
  { S: 'A' },
  { S: 'é' },
  { S: 'e\u0301' },
  { S: '1' },
  { N: '1' },
  { N: '1.0' },
  { N: '100' },
  { N: '1e2' },
  { N: '0' },
  { N: '-0' },
  { N: '-0.5' },
  { N: '12345678901234567890123456789012345678' },
  { N: '1E-130' },
  { B: new Uint8Array([1, 2, 255]) },
  { B: new Uint8Array() },
  { BOOL: true },
  { BOOL: false },
  { NULL: true },
  { SS: ['x', 'y'] },
  { SS: ['y', 'x'] },
  { SS: ['', 'x'] },
  { NS: ['1', '2'] },
  { NS: ['2.0', '1'] },
  { BS: [new Uint8Array([1]), new Uint8Array([2])] },
  { BS: [new Uint8Array([2]), new Uint8Array([1])] },
  { L: [] },
  { L: [{ N: '1' }, { S: 'a' }] },
  { L: [{ N: '1.0' }, { S: 'a' }] },
  { L: [{ S: 'a' }, { N: '1' }] },
  { M: {} },
  { M: { a: { N: '1' }, b: { NULL: true } } },
  { M: { b: { NULL: true }, a: { N: '1.00' } } },
  { M: { constructor: { S: 'a' }, nested: { L: [{ M: { a: { SS: ['x'] } } }] } } },
];

/** Any value that an attribute may have. */
export function anyValue(random: Random): AttributeValue {
  return random.pick(values);
}

/** What an index key may be, and now and then what it may not. */
export function anyIndexKey(random: Random, legal: readonly string[]): AttributeValue {
  return random.chance(0.08) ? random.pick([{ S: '' }, { N: '1' }]) : { S: random.pick(legal) };
}
