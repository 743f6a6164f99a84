import { defineKind } from 'stream-denormalizer';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { anyOf, first, itemWith, nth, poolsOf, variantOf } from '../../src/examples/kind-values.ts';
import { Random } from '../../src/examples/random.ts';
import { boundKind } from '../fixtures/model/bound.ts';

const stone = defineKind({
  name: 'Stone',
  type: 'Stone',
  pk: 'STONE#{stone}',
  sk: 'METADATA',
  attributes: z.object({
    Part: z.string(),
    color: z.enum(['grey', 'red', 'white']),
    name: z.string().optional(),
    weight: z.number(),
  }),
  examples: [{ weight: 7 }, { weight: 9 }],
});

const kind = boundKind(stone);
const values = { kind, pools: poolsOf(kind), keys: [], unknown: [], rejected: [] };
const key = stone.key({ stone: '1' });

describe('an item of a kind', () => {
  test('has its key and type, whatever its schema lists', () => {
    expect(itemWith(values, key, first)).toMatchObject({
      Part: { S: 'STONE#1' },
      Sort: { S: 'METADATA' },
      Kind: { S: 'Stone' },
    });
  });

  test('has examples where its kind gives some, and values of the schema elsewhere', () => {
    const items = [0, 1, 2].map((number) => itemWith(values, key, nth(number)));

    expect(items.map(({ color }) => color)).toEqual([{ S: 'grey' }, { S: 'red' }, { S: 'white' }]);
    expect(items.map(({ weight }) => weight)).toEqual([{ N: '7' }, { N: '9' }, { N: '7' }]);
  });

  test('lacks an attribute sometimes, if its schema lets it', () => {
    const items = [...(values.pools.get('name') ?? [])].map((_, number) =>
      itemWith(values, key, nth(number)),
    );

    expect(items.filter((item) => Object.hasOwn(item, 'name')).length).toBe(items.length - 1);
  });

  test('is the same again for the same seed', () => {
    const made = (seed: number) => itemWith(values, key, anyOf(new Random(seed)));

    expect(made(1)).toEqual(made(1));
    expect(new Set([1, 2, 3, 4, 5].map((seed) => JSON.stringify(made(seed)))).size).toBeGreaterThan(1);
  });
});

test('a variant differs in the attributes that may change, and in no other', () => {
  const item = itemWith(values, key, first);
  const isRed = ({ color }: typeof item) => color !== undefined && 'S' in color && color.S === 'red';

  expect(variantOf(values, item, ['color'], isRed)).toEqual({ ...item, color: { S: 'red' } });
  expect(variantOf(values, item, ['weight'], isRed)).toBeUndefined();
});
