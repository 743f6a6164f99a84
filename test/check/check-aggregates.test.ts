import { count, defineAggregate, defineKind, defineRule, sum } from 'stream-denormalizer';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import config from '../../denorm.config.ts';
import { checkAggregates } from '../../src/check/check-aggregates.ts';
import { checkRules } from '../../src/check/check-rules.ts';
import { makeRegistry } from '../../src/model/rules/registry.ts';
import { GSI1, table } from '../../src/table.ts';

const basket = defineKind({
  name: 'Basket',
  pk: 'SHOP#{shop}',
  sk: 'BASKET#{basket}',
  attributes: z.object({ Lines: z.number(), Price: z.number() }),
});

const line = defineKind({
  name: 'Line',
  pk: 'SHOP#{shop}#{basket}',
  sk: 'LINE#{line}',
  attributes: z.object({
    InBasket: z.string(),
    Price: z.number(),
    At: z.string(),
    Size: z.string().startsWith('size '),
  }),
  examples: [{ Size: 'size 1' }, { Size: 'size 2' }, { Size: 'size 3' }],
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
  checkAggregates(makeRegistry(table, [], [], [], [{ ...totals, ...change }])).map(({ message }) => message);

test('nothing is found in an aggregate whose functions agree with its kinds', () => {
  expect(found({})).toEqual([]);
  expect(checkAggregates(config.registry())).toEqual([]);
});

test('a targetsOf that gives keys of another kind is found', () => {
  expect(found({ targetsOf: ({ ids }) => [{ pk: `BASKET#${ids['basket']}`, sk: 'BASKET#1' }] })).toContain(
    "Expected targetsOf of rule basket-totals to return keys of Basket, got 'BASKET#basketA' and 'BASKET#1' for an example: keys of Basket are 'SHOP#{shop}' and 'BASKET#{basket}'",
  );
});

const basketOf = (shop: unknown, id: unknown) => basket.key({ shop: String(shop), basket: String(id) });

test.each<[string, (typeof totals)['targetsOf']]>([
  ['the only target', ({ ids }) => [basketOf(ids['basket'], ids['shop'])]],
  [
    'each of several targets',
    ({ ids, InBasket }) => [basketOf(ids['line'], InBasket), basketOf(ids['line'], ids['basket'])],
  ],
])('a targetsOf that takes ids of %s from other ids of the member is found once', (_, targetsOf) => {
  expect(found({ targetsOf })).toEqual([
    expect.stringMatching(
      /^Expected targetsOf of rule basket-totals to name the target whose members\.at finds the member, got another shop \('\w+', not 'shopA'\) for an example$/,
    ),
  ]);
});

test.each<[string, (typeof totals)['targetsOf']]>([
  ['takes an id from an attribute', ({ ids, InBasket }) => [basketOf(InBasket, ids['basket'])]],
  ['names the same target for all', () => [basketOf('all', 'all')]],
  [
    'names others beside the target',
    ({ ids }) => [basketOf(ids['shop'], ids['basket']), basketOf(ids['shop'], ids['line'])],
  ],
])('nothing is found in a targetsOf that %s', (_, targetsOf) => {
  expect(found({ targetsOf })).toEqual([]);
});

test('nothing is found in copies and members of an index whose keys have another’s id', () => {
  const attributes = z.object({ Name: z.string(), Followers: z.number() });
  const user = defineKind({ name: 'User', pk: 'USER#{user}', sk: 'USER', attributes });
  const follow = defineKind({ name: 'Follow', pk: 'USER#{user}', sk: 'FOLLOWS#{other}', attributes });
  const followers = defineAggregate({
    ...{ name: 'followers', of: follow, on: user, computes: { Followers: count() } },
    members: { in: 'index', index: GSI1, at: ({ ids }) => ({ pk: `USER#${ids.user}` }) },
    targetsOf: ({ ids }) => [user.key({ user: ids.other })],
  });
  const nameOnFollows = defineRule({
    ...{ name: 'name-on-follows', root: user, copy: follow, copies: ['Name'] },
    located: { in: 'index', index: GSI1, at: ({ ids }) => ({ pk: `USER#${ids.user}` }) },
    rootOf: ({ ids }) => user.key({ user: ids.other }),
    ...{ onDelete: 'keep', onExpire: 'keep' },
  });

  const registry = makeRegistry(table, [nameOnFollows], [], [], [followers]);
  expect([...checkRules(registry), ...checkAggregates(registry)]).toEqual([]);
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

describe('a reducer', () => {
  const priced = (price: unknown) =>
    found({
      reads: { member: ['InBasket', 'Price', 'At', 'Size'], target: [] },
      computes: { Price: price as (typeof totals)['computes'][string] },
    });
  type Line = { readonly Price: number; readonly At: string; readonly Size: string };
  const price = ({ Price }: Line) => Price;

  test.each([
    ['adds numbers', { from: price, add: 'sum' }],
    ['has its own associative and commutative add', { from: price, add: Math.max }],
    ['sums an attribute', sum('Price')],
    [
      'works on some texts only, as one that parses dates',
      { from: ({ At }: Line) => Date.parse(At), add: 'max' },
    ],
    [
      'works on the examples of the kind, which a schema does not tell',
      { from: ({ Size }: Line) => Number(Size.slice(5)), add: 'sum' },
    ],
  ])('is right that %s', (_, reducer) => {
    expect(priced(reducer)).toEqual([]);
  });

  test('that throws on every example is found', () => {
    const from = () => {
      throw new TypeError('no');
    };

    expect(priced({ from, add: 'sum' })).toEqual([
      'Function computes.Price.from of rule basket-totals threw TypeError on this item: correct it, or make the schema reject what it cannot use. If Line has other values, give it examples',
    ]);
  });

  test('that returns no number is found', () => {
    expect(priced({ from: ({ At }: Line) => Number(`${At}!`), add: 'sum' })).toEqual([
      'Expected computes.Price.from of rule basket-totals to return a finite number, or undefined, got NaN: correct the function. If Line has other values, give it examples',
    ]);
    expect(priced({ from: price, add: () => Number.NaN })).toEqual([
      'Expected computes.Price.add of rule basket-totals to return text, a finite number, a list or an object, got NaN: correct the function. If Line has other values, give it examples',
    ]);
  });

  test('is tried on the examples of a kind whose values no schema tells', () => {
    expect(priced({ from: ({ Size }: Line) => Number(Size), add: 'sum' })).toEqual([
      expect.stringContaining('got NaN: correct the function'),
    ]);
  });

  test.each([
    ['subtracts', (one: number, other: number) => one - other],
    ['keeps the last', (_: number, other: number) => other],
    ['averages', (one: number, other: number) => (one + other) / 2],
    ['is commutative but not associative', (one: number, other: number) => Math.abs(one - other)],
  ])('whose add %s is found, because the order of members is arbitrary', (_, add) => {
    expect(priced({ from: price, add })).toEqual([
      'Expected computes.Price of rule basket-totals to give the same total in whatever order members come, got others for examples: add must be associative and commutative',
    ]);
  });

  test('that gives another total when it is called again is found', () => {
    let calls = 0;
    const from = () => {
      calls += 1;
      return calls;
    };

    expect(priced({ from, add: 'sum' })).toEqual([
      expect.stringContaining('computes.Price of rule basket-totals gives two results for the same items'),
    ]);
  });

  test('that reads what the aggregate does not declare is found', () => {
    const from = ({ Price, At }: Line) => (Price === 0 ? At.length : Price);

    expect(
      found({
        reads: { member: ['InBasket', 'Price'], target: [] },
        computes: { Price: { from, add: 'sum' } as (typeof totals)['computes'][string] },
      }),
    ).toEqual([expect.stringContaining("reads 'At' of its member without declaring it")]);
  });
});

test('a targetsOf or a members.at that throws on every example is found', () => {
  const failing = () => {
    throw new RangeError('no');
  };

  expect(found({ targetsOf: failing, members: [{ in: 'partition', at: failing }] })).toEqual([
    expect.stringContaining('Function members.at of rule basket-totals threw RangeError'),
    expect.stringContaining('Function targetsOf of rule basket-totals threw RangeError'),
  ]);
});
