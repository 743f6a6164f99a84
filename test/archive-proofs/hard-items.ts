import * as fc from 'fast-check';
import type { Item } from '../../src/model/item.ts';
import { hostileItems } from '../fixtures/hostile-items.ts';
import { attributes, keyPart } from '../fixtures/model/arbitraries.ts';
import { names } from '../worker/adapters/dynamodb/table-fixture.ts';

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

const hostile = Object.values(hostileItems);

/** Items of every type that DynamoDB has, under keys of every kind that it takes, all going to expire. */
export function hardItems(prefix: string, count: number, seed: number): Item[] {
  const random = fc.sample(fc.record({ pk: keyPart, sk: keyPart, attributes }), { numRuns: count, seed });
  const items = [
    ...hardKeys.map(([pk, sk], index) => itemAt(pk, sk, hostile[index % hostile.length] ?? {})),
    ...hostile.map((some, index) => itemAt('hard', `attributes ${index}`, some)),
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
