import { count, defineAggregate, defineConfig, defineKind, sum } from 'stream-denormalizer';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { projectOf } from '../../../../../src/develop/testing/simulation/project/project.ts';
import { projectScenario } from '../../../../../src/develop/testing/simulation/project/project-scenario.ts';
import { defaultSteps, run } from '../../../../../src/develop/testing/simulation/run.ts';
import { realFunctions } from '../../../../../src/develop/testing/simulation/world/worker-under-test.ts';
import { blogTable } from '../../../../fixtures/testing/blog.ts';

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
function basketsWith(change: Partial<typeof basketTotals> = {}) {
  const aggregates = [{ ...basketTotals, ...change }];
  return projectOf(defineConfig({ table: blogTable, rules: [], archives: [], aggregates }).registry());
}

async function violationsIn(seeds: number, project = basketsWith().project, functions = realFunctions) {
  const scenario = projectScenario(project);
  for (let seed = 1; seed <= seeds; seed += 1) {
    const { violations } = await run(scenario, seed, defaultSteps, functions);
    if (violations.length > 0) return violations.map(({ what }) => what);
  }
  return [];
}

describe('the aggregates of a project', { timeout: 60_000 }, () => {
  test('keep their promises in 15 seeds', async () => {
    expect(basketsWith().obstacles).toEqual([]);
    expect(await violationsIn(15)).toEqual([]);
  });

  test('are seen to be wrong if nothing is computed', async () => {
    const idle = { ...realFunctions, propagateBatch: async () => new Map() };

    expect(await violationsIn(5, basketsWith().project, idle)).toContain(
      'a target does not have the totals of its members',
    );
  });

  test('are seen to be wrong if a reducer is not pure', async () => {
    let calls = 0;
    const add = () => {
      calls += 1;
      return calls;
    };
    const computes = { ...basketTotals.computes, weighed: { from: () => 1, add } };

    expect(await violationsIn(5, basketsWith({ computes }).project)).not.toEqual([]);
  });

  test('are refused before the first seed if no member can name its target', () => {
    const targetsOf = () => [{ pk: 'shop#none', sk: 'basket#none' }];

    expect(basketsWith({ targetsOf }).obstacles).toEqual([
      {
        needs: 'examples',
        message: expect.stringContaining(
          'members.at of basket-totals finds and whose targetsOf gives the target',
        ),
      },
    ]);
  });
});
