import { count, defineAggregate, defineKind } from 'stream-denormalizer';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { costJson } from '../../../src/cli/cost/cost-json.ts';
import { costText } from '../../../src/cli/cost/cost-text.ts';
import { costOfAggregate } from '../../../src/develop/cost/cost-of-aggregate.ts';
import type { Aggregate } from '../../../src/model/aggregate.ts';
import { DenormError } from '../../../src/model/errors.ts';
import { makeRegistry } from '../../../src/model/registry.ts';
import { contenderTotals } from '../../../src/rules/contender-totals.ts';
import { table } from '../../../src/table.ts';
import { settingsFor } from './blog-stack.ts';

const [inPartition, byIndex] = contenderTotals.members;

function only(...members: (Aggregate['members'][number] | undefined)[]): Aggregate {
  return { ...contenderTotals, members: members.filter((location) => location !== undefined) };
}

function costOf(aggregate: Aggregate, fanOuts: readonly number[], itemBytes = 200) {
  const registry = makeRegistry(table, [], [], [], [aggregate]);
  return costOfAggregate(settingsFor(registry), registry, aggregate, { fanOuts, itemBytes });
}

describe('a change of a member', () => {
  test('reads all members of a partition twice, with the check, and writes the target once', async () => {
    const { attribute, itemBytes, fanOuts } = await costOf(only(inPartition), [200]);
    const { counts } = fanOuts[0] ?? expect.fail('no row');

    expect([attribute, itemBytes]).toEqual(['Contender1Wins', 200]);
    expect(counts.requests).toMatchObject({ Query: 2 });
    // 40,000 bytes are 10 units; the target is read before each, and the other target is not there.
    expect(counts.readUnits).toBe(2 * (10 + 1) + 1);
    expect(counts.sqsRequests).toBe(0);
  });

  test('reads those that an index finds three times, each by its key', async () => {
    const { fanOuts } = await costOf(only(byIndex), [200]);

    expect(fanOuts[0]?.counts.requests).toMatchObject({ 'Query of an index': 3 });
    expect(fanOuts[0]?.counts.readUnits).toBeGreaterThan(3 * 200);
  });

  test('costs more reads with each member, and the same writes', async () => {
    const { fanOuts } = await costOf(contenderTotals, [10, 100]);
    const [ten, hundred] = fanOuts;

    expect(hundred?.dollars.reads).toBeGreaterThan(5 * (ten?.dollars.reads ?? 0));
    expect(hundred?.dollars.writes).toBeCloseTo(ten?.dollars.writes ?? 0, 6);
  });

  test('is one that is added if no attribute changes a total', async () => {
    const counting: Aggregate = { ...only(inPartition), computes: { Wins: count() } };
    const { attribute, fanOuts } = await costOf(counting, [10]);

    expect(attribute).toBeUndefined();
    expect(fanOuts[0]?.counts.copiesWritten).toBe(1);
  });
});

test('an aggregate whose members cannot be made is refused in a sentence', async () => {
  const nowhere: Aggregate = { ...contenderTotals, targetsOf: () => [] };

  await expect(costOf(nowhere, [1])).rejects.toThrow(DenormError);
  await expect(costOf(nowhere, [1])).rejects.toThrow(/^Expected to make a HeadToHead .* but found none/);
});

test('a member that an index finds has the ids that it shares with its target', async () => {
  const shop = defineKind({
    name: 'Shop',
    pk: 'SHOP#{shop}',
    sk: 'SHOP',
    attributes: z.object({ Sales: z.number() }),
  });
  const sale = defineKind({
    name: 'Sale',
    pk: 'SALES#{shop}#{day}',
    sk: 'SALE#{sale}',
    attributes: z.object({}),
  });
  const sales = defineAggregate({
    ...{ name: 'sales-of-shop', of: sale, on: shop, computes: { Sales: count() } },
    members: { in: 'index', index: table.indexes.GSI1, at: ({ ids }) => ({ pk: shop.pk(ids) }) },
    targetsOf: ({ ids }) => [shop.key(ids)],
  });

  expect((await costOf(sales, [3])).fanOuts).toHaveLength(1);
});

test('is printed, and as JSON', async () => {
  const cost = await costOf(contenderTotals, [10]);
  const text = costText([cost], [], 1);
  const json = costJson([cost], [], 1);

  expect(text).toContain("'Contender1Wins' changes; items of 200 bytes");
  expect(json.rules[0]).toMatchObject({
    rule: 'contender-totals',
    changes: 'Contender1Wins',
    fanOuts: [{ fanOut: 10, requests: { Query: 3 } }],
  });
});
