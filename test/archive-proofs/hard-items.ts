import * as fc from 'fast-check';
import type { AttributeValue } from '../../src/model/attribute-value.ts';
import type { Item } from '../../src/model/item.ts';
import { names } from '../adapters/dynamodb/table-fixture.ts';
import { attributes, keyPart } from '../fixtures/model/arbitraries.ts';

/** Keys that are hard to make keys of objects of, up to the lengths that DynamoDB allows. */
const hardKeys: readonly (readonly [pk: string, sk: string])[] = [
  ['..', '..'],
  ['.', '/'],
  ['a/b', '../../c'],
  ['%2F', '%sha256'],
  ['🐻', '🐻§🛳'],
  ['dt=2026-01-01', 'x.ndjson.gz'],
  ['x', 'a.json'],
  ['x', 'a'],
  ['x', 'a.json.7'],
  ['ü'.repeat(400), '#'.repeat(400)],
  ['🐻'.repeat(500), '/'.repeat(1024)],
  ['\u0001\u007f', ' \t\n'],
];

const largest = 400 * 1024;

/** Values at the ends of what DynamoDB holds. */
const hardAttributes: readonly Readonly<Record<string, AttributeValue>>[] = [
  { Digits: { N: '12345678901234567890123456789012345678' }, Least: { N: '1E-130' } },
  { Most: { N: '-9.9999999999999999999999999999999999999E+125' }, Zero: { N: '0' } },
  { Text: { S: '' }, Bytes: { B: new Uint8Array() }, Map: { M: {} }, List: { L: [] } },
  { Null: { NULL: true }, True: { BOOL: true }, False: { BOOL: false } },
  { SS: { SS: ['', '🐻', '"\\'] }, NS: { NS: ['1', '0.1', '-3e10'] } },
  { BS: { BS: [new Uint8Array([0]), new Uint8Array([255, 254])] } },
  { Deep: nested(31) },
  { Text: { S: 'x'.repeat(largest - 4_000) } },
  { Text: { S: '\u0000'.repeat(largest - 4_000) } },
  { Bytes: { B: new Uint8Array(largest - 4_000).map((_, index) => index % 251) } },
  { 'a b': { S: 'c' }, '"': { S: 'd' }, '🐻': { S: 'e' }, constructor: { S: 'f' } },
];

/** 32 levels, with the one of the item. */
function nested(levels: number): AttributeValue {
  return levels === 0 ? { S: 'end' } : { M: { in: nested(levels - 1) } };
}

/** Items of every type that DynamoDB has, under keys of every kind that it takes, all going to expire. */
export function hardItems(prefix: string, count: number, seed: number): Item[] {
  const random = fc.sample(fc.record({ pk: keyPart, sk: keyPart, attributes }), { numRuns: count, seed });
  const items = [
    ...hardKeys.map(([pk, sk], index) => itemAt(pk, sk, hardAttributes[index % hardAttributes.length] ?? {})),
    ...hardAttributes.map((some, index) => itemAt('hard', `attributes ${index}`, some)),
    ...random.map(({ pk, sk, attributes: some }, index) => itemAt(pk, `${sk}#${index}`, some)),
  ];
  function itemAt(pk: string, sk: string, some: Item): Item {
    return {
      ...some,
      [names.pk]: { S: `${prefix}#${pk}` },
      [names.sk]: { S: sk },
      [names.ttl]: { N: '1800000000' },
    };
  }
  return items;
}
