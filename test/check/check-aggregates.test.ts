import { count, defineAggregate, defineKind } from 'stream-denormalizer';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { checkAggregates } from '../../src/check/check-aggregates.ts';
import { makeRegistry } from '../../src/model/registry.ts';
import config from '../application/denorm.config.ts';
import { table } from '../application/table.ts';

const basket = defineKind({
  name: 'Basket',
  pk: 'SHOP#{shop}',
  sk: 'BASKET#{basket}',
  attributes: z.object({ Lines: z.number() }),
});

const line = defineKind({
  name: 'Line',
  pk: 'SHOP#{shop}#{basket}',
  sk: 'LINE#{line}',
  attributes: z.object({ InBasket: z.string() }),
});

const totals = defineAggregate({
  name: 'basket-totals',
  of: line,
  on: basket,
  reads: { member: ['InBasket'] },
  members: { in: 'partition', at: ({ ids }) => ({ pk: `SHOP#${ids.shop}#${ids.basket}`, begins: 'LINE#' }) },
  targetsOf: ({ ids, InBasket }) => [basket.key({ shop: ids.shop, basket: InBasket })],
  computes: { Lines: count() },
});

const found = (change: Partial<typeof totals>) =>
  checkAggregates(makeRegistry(table, [], [], [], [{ ...totals, ...change }])).map(({ says }) => says);

test('nothing is found in an aggregate whose functions agree with its kinds', () => {
  expect(found({})).toEqual([]);
  expect(checkAggregates(config.registry())).toEqual([]);
});

test('a targetsOf that gives keys of another kind is found', () => {
  expect(found({ targetsOf: ({ ids }) => [{ pk: `BASKET#${ids['basket']}`, sk: 'BASKET#1' }] })).toContain(
    "Expected targetsOf of rule basket-totals to return keys of Basket, got 'BASKET#basketA' and 'BASKET#1' for an example: keys of Basket are 'SHOP#{shop}' and 'BASKET#{basket}'",
  );
});

test('a targetsOf that gives other keys when it is called again is found', () => {
  let calls = 0;
  const targetsOf = () => {
    calls += 1;
    return [basket.key({ shop: '1', basket: String(calls) })];
  };

  expect(found({ targetsOf })).toEqual([
    'Expected targetsOf of rule basket-totals to give the same keys for the same member, got others: it must be pure',
  ]);
});

test('members in a partition that no member can have are found', () => {
  const [says] = found({
    members: [{ in: 'partition', at: ({ ids }) => ({ pk: `BASKET#${ids['basket']}` }) }],
  });

  expect(says).toContain(
    "Expected members.at of rule basket-totals to return a partition of Line, got 'BASKET#basketA'",
  );
});

test('a targetsOf that reads what the aggregate does not declare is found', () => {
  const [says] = found({ reads: { member: [], target: [] } });

  expect(says).toContain('InBasket');
});
