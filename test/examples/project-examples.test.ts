import {
  type Aggregate,
  count,
  defineAggregate,
  defineConfig,
  defineKind,
  type Rule,
  sum,
} from 'stream-denormalizer';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import application from '../../denorm.config.ts';
import { projectOf } from '../../src/examples/project-examples.ts';
import type { Config } from '../../src/model/rules/config.ts';
import { failureText } from '../../src/simulator/report.ts';
import { defaultSteps, run } from '../../src/simulator/run.ts';
import { projectScenario } from '../../src/simulator/scenario.ts';
import { realFunctions } from '../../src/simulator/world/worker-under-test.ts';
import { table } from '../fixtures/model/table.ts';
import { authorOnPosts, blog, blogTable, blogWith, post, postOnComments } from '../fixtures/testing/blog.ts';
import { orders, players } from '../fixtures/testing/other-keys.ts';
import { wrongRules } from '../fixtures/testing/wrong-rules.ts';
import { memberOnAddress, titleOnTags, titleOnTagsThat } from '../fixtures/world/posts.ts';
import devices from '../package/shapes/devices/denorm.config.ts';
import readings from '../package/shapes/readings/denorm.config.ts';
import regions from '../package/shapes/regions/denorm.config.ts';

const basket = defineKind({
  name: 'Basket',
  type: 'basket',
  pk: 'shop#{shop}',
  sk: 'basket#{basket}',
  attributes: z.object({ lines: z.number(), total: z.number(), rate: z.number(), weighed: z.number() }),
});

const line = defineKind({
  name: 'Line',
  type: 'line',
  pk: 'shop#{shop}#{basket}',
  sk: 'line#{line}',
  attributes: z.object({ in_basket: z.string().min(1), price: z.number(), in_stock: z.boolean() }),
});

const basketTotals = defineAggregate({
  name: 'basket-totals',
  of: line,
  on: basket,
  reads: { member: ['in_basket', 'in_stock'], target: ['rate'] },
  members: { in: 'partition', at: ({ ids }) => ({ pk: `shop#${ids.shop}#${ids.basket}`, begins: 'line#' }) },
  targetsOf: ({ ids, in_basket }) => [basket.key({ shop: ids.shop, basket: in_basket })],
  computes: {
    lines: count(),
    total: sum('price'),
    weighed: { from: ({ in_stock }, { rate }) => (in_stock ? rate : undefined), add: 'max' },
  },
});

/** The project of this aggregate, or of one like it. */
const basketsWith = (change: Partial<Aggregate> = {}) =>
  defineConfig({ table: blogTable, rules: [], aggregates: [{ ...basketTotals, ...change }] });

const rulesOf = (...rules: readonly Rule[]) => defineConfig({ table, rules });

const isStaff = (root: Readonly<Record<string, unknown>>) => root['rank'] === 'staff';
const staff = {
  when: { root: isStaff },
  reads: { root: ['name', 'score', 'rank'], copy: ['author', 'title'] },
};

const titleKeys: Rule = {
  is: 'rule',
  name: 'title-keys',
  root: post,
  copy: post,
  rootOf: () => undefined,
  copies: [],
  renamed: {},
  own: [],
  ...{ unknown: 'keep', creates: false, tenant: undefined, onExpire: 'keep', onUnlink: 'keep' },
  reads: { root: ['published', 'title'], copy: ['published', 'title'] },
  located: { in: 'itself' },
  when: { root: (root: Readonly<Record<string, unknown>>) => root['published'] !== 'draft' },
  derive: { [blogTable.indexes.byAuthor.sk]: ({ root }) => `post#${String(Reflect.get(root, 'title'))}` },
  onDelete: 'clear',
};

const isLong = ({ Tags }: Readonly<Record<string, unknown>>) => Array.isArray(Tags) && Tags.length > 1;

async function violationsIn(config: Config, seeds: number, functions = realFunctions) {
  const scenario = projectScenario(projectOf(config.registry()).project);
  for (let seed = 1; seed <= seeds; seed += 1) {
    const { violations } = await run(scenario, seed, defaultSteps, functions);
    if (violations.length > 0) return violations;
  }
  return [];
}

const obstaclesOf = (config: Config) => projectOf(config.registry()).obstacles;

describe('the rules of a project', { timeout: 120_000 }, () => {
  test.each<[string, Config]>([
    ['the application of this repository', application],
    ['a blog with names of its own', blog],
    ['an aggregate', basketsWith()],
    ['a table with a numeric sort key', readings],
    ['a table without sort keys', devices],
    ['an index of four attributes', regions],
    ['created copies with numeric sort keys, and declared keys of four attributes', orders],
    ['a numeric partition key', players],
    ['copies at several keys', rulesOf(titleOnTagsThat('delete'))],
    ['copies that stay at keys which left the list', rulesOf(titleOnTagsThat('keep'))],
    ['created copies at several keys', rulesOf(titleOnTags)],
    ['created copies of some roots only', rulesOf({ ...titleOnTags, when: { root: isLong } })],
    ['a created copy at a key that two roots may want', rulesOf(memberOnAddress)],
    ...(['delete', 'clear', 'keep'] as const).map((onDelete): [string, Config] => [
      `when, and onDelete ${onDelete}`,
      blogWith([{ ...authorOnPosts, ...staff, onDelete }, postOnComments]),
    ]),
    ...(['clear', 'keep'] as const).map((onDelete): [string, Config] => [
      `an item that is its own copy, with when and onDelete ${onDelete}`,
      blogWith([
        { ...titleKeys, onDelete },
        { ...postOnComments, name: 'comments' },
      ]),
    ]),
  ])('keep their promises: %s', async (_, config) => {
    const { project, obstacles } = projectOf(config.registry());
    const failures = [];
    // Some projects write hardly once a seed.
    const written = new Map<string, number>();
    const isTried = () => [...written.values()].every((times) => times > 0);
    for (let seed = 1; seed <= 8 || (seed <= 40 && !isTried()); seed += 1) {
      const outcome = await run(projectScenario(project), seed);
      for (const [rule, times] of outcome.written) written.set(rule, (written.get(rule) ?? 0) + times);
      if (outcome.violations.length > 0)
        failures.push(failureText({ outcome, shrunk: outcome }, 'denorm simulate'));
    }

    expect(obstacles).toEqual([]);
    expect(failures).toEqual([]);
    expect(isTried()).toBe(true);
  });

  test('are seen to be broken if nothing is archived', async () => {
    const violations = await violationsIn(blog, 40, {
      ...realFunctions,
      archiveBatch: async () => new Map(),
    });

    expect(violations[0]?.invariant).toBe(5);
  });

  test('are seen to be broken if nothing is computed, or a reducer is not pure', async () => {
    let calls = 0;
    const add = () => {
      calls += 1;
      return calls;
    };
    const computes = { ...basketTotals.computes, weighed: { from: () => 1, add } };
    const idle = { ...realFunctions, propagateBatch: async () => new Map() };

    expect((await violationsIn(basketsWith(), 5, idle)).map(({ what }) => what)).toContain(
      'a target does not have the totals of its members',
    );
    expect(await violationsIn(basketsWith({ computes }), 5)).not.toEqual([]);
  });
});

describe('before the first seed', () => {
  test.each(wrongRules)('a wrong rule is refused: $name', ({ rules, obstacle, needs = 'correction' }) => {
    expect(obstaclesOf(blogWith(rules))).toContainEqual({
      needs,
      message: expect.stringContaining(obstacle),
    });
  });

  test('an aggregate is refused if no member can name its target', () => {
    const targetsOf = () => [{ pk: 'shop#none', sk: 'basket#none' }];

    expect(obstaclesOf(basketsWith({ targetsOf }))).toEqual([
      {
        needs: 'examples',
        message: expect.stringContaining(
          'members.at of basket-totals finds and whose targetsOf gives the target',
        ),
      },
    ]);
  });

  test('a rule asks for examples if its when is true for no root that can be made', () => {
    expect(obstaclesOf(blogWith([{ ...authorOnPosts, when: { root: () => false } }]))).toEqual([
      { needs: 'examples', message: expect.stringContaining('for which when of author-on-posts is true') },
    ]);
  });

  test('an attribute copied under another name is asked for by that of its root', () => {
    const root = defineKind({
      ...{ name: 'Coupon', pk: 'coupon#{coupon}', sk: 'coupon' },
      attributes: z.object({ Code: z.string().regex(/^[A-Z]{3}-20\d\d$/) }),
    });
    const renamed = { author_name: 'Code' };
    const rule = { ...authorOnPosts, root, copies: ['author_name'], renamed, derive: {} };
    const said = obstaclesOf(blogWith([rule])).map(({ message }) => message);

    expect(said.join()).toContain("Expected to make values of 'Code' of Coupon from its schema");
  });

  test('the examples of a kind are its values, and a wrong example is named', () => {
    const couponsLike = (Code: string) => {
      const root = defineKind({
        name: 'Coupon',
        pk: 'coupon#{coupon}',
        sk: 'coupon',
        attributes: z.object({ Code: z.string().regex(/^[A-Z]{3}-20\d\d$/) }),
        examples: [{ Code }, { Code: 'ABC-2026' }],
      });
      const reads = { root: ['Code'], copy: ['author'] };
      return obstaclesOf(blogWith([{ ...authorOnPosts, root, reads }]))
        .map(({ message }) => message)
        .filter((message) => message.includes('Coupon'));
    };

    expect(couponsLike('XYZ-2001').join()).not.toContain('accept');
    expect(couponsLike('xyz')).toEqual([
      "Expected each example of 'Code' of Coupon to be a value that its schema accepts, found one that it rejects: correct the example",
    ]);
  });
});
