import { average, count, defineAggregate, defineKind } from 'stream-denormalizer';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { costOf } from '../../../src/explain/cost/cost.ts';
import { countChange } from '../../../src/explain/cost/count-change.ts';
import type { Counts } from '../../../src/explain/cost/prices.ts';
import { DenormError } from '../../../src/model/basics/errors.ts';
import type { Aggregate } from '../../../src/model/rules/aggregate.ts';
import { makeRegistry } from '../../../src/model/rules/registry.ts';
import type { Rule } from '../../../src/model/rules/rule.ts';
import { contenderTotals } from '../../../src/rules/contender-totals.ts';
import { table } from '../../../src/table.ts';
import { loadRules } from '../../fixtures/application/load-rules.ts';
import { settings, settingsFor } from '../../fixtures/application/stack.ts';
import { bound } from '../../fixtures/model/bound.ts';
import tags from '../../fixtures/tags/denorm.config.ts';
import { authorOnPosts, blog, postOnComments } from '../../fixtures/testing/blog.ts';

const application = loadRules();
const posts = blog.registry();

/** The cost of a rule of this registry, with the stack that the registry needs. */
function costIn(registry = posts, fanOuts: readonly number[] = [5], itemBytes = 1024) {
  const stack = settingsFor(registry);
  return (rule: Rule | Aggregate) =>
    costOf(bound(rule, registry.table), { stack, registry, fanOuts, itemBytes });
}

function ruleNamed(name: string): Rule {
  return application.rules.find((rule) => rule.name === name) ?? expect.fail(`no rule ${name}`);
}

async function countsOf(rule: Rule, fanOut: number, itemBytes?: number): Promise<Counts> {
  const { fanOuts } = await costIn(application, [fanOut], itemBytes)(rule);
  return fanOuts[0]?.counts ?? expect.fail('no row');
}

describe('a change of a root', () => {
  test('with five copies in a partition costs a page, and the root for each batch', async () => {
    const counts = await countsOf(ruleNamed('incident-on-participations'), 5);
    // One invocation for the root, one of Archive, the others for copies that come back.
    const comeBack = counts.invocations - 2;

    expect(counts).toMatchObject({ writes: 5, writeUnits: 10, sqsRequests: 0 });
    expect(comeBack).toBeGreaterThan(2);
    expect(comeBack).toBeLessThanOrEqual(4);
    // A query, the root and a batch of statements besides.
    expect(counts.requests).toBeCloseTo(3 + comeBack, 9);
    expect(counts.readUnits).toBeCloseTo(3 + comeBack, 9);
  });

  test('with five copies in an index costs their reads, two queries and a message', async () => {
    const counts = await countsOf(ruleNamed('username-on-memberships'), 5);

    expect(counts).toMatchObject({ writes: 5, writeUnits: 10, sqsRequests: 3 });
    // Twice the query, the copies and the root; a batch of statements, and the root for what comes back.
    expect(counts.requests).toBeGreaterThan(7);
  });

  test('with pages of a megabyte costs a query for each', async () => {
    const [small, large] = [1024, 4096].map((bytes) =>
      countsOf(ruleNamed('incident-on-participations'), 300, bytes),
    );

    // 300 copies of 4 KB: 256 of them are a megabyte. The root is read again for the second page, whose writes are another batch.
    expect((await large)?.requests).toBe(((await small)?.requests ?? 0) + 3);
    expect((await large)?.writes).toBe(300);
  });

  test('of which some comes again costs the write units of its keys in an index', async () => {
    expect(await countsOf(ruleNamed('order-status-keys'), 1)).toMatchObject({ writes: 1, writeUnits: 3 });
  });

  test.each([...posts.rules])('reaches every copy by $name that is made for it', async (rule) => {
    const { fanOuts } = await costIn(posts, [1, 5, 60])(rule);

    expect(fanOuts.map(({ counts }) => counts.writes)).toEqual([1, 5, 60]);
  });

  test('costs what it costs alone, whatever other rules its root concerns', async () => {
    const noisy = { ...authorOnPosts, name: 'author-again', copies: [], derive: { author_name: () => 'x' } };
    const onPosts = bound(authorOnPosts, posts.table);
    const more = { ...posts, rules: [onPosts, bound(noisy, posts.table)] };
    const stack = settingsFor(posts);
    const options = { stack, fanOuts: [5], itemBytes: 1024 };

    expect(await costOf(onPosts, { ...options, registry: more })).toEqual(
      await costOf(onPosts, { ...options, registry: posts }),
    );
  });

  test('has dollars of a million', async () => {
    const { fanOuts } = await costIn()(postOnComments);
    const { counts, dollars } = fanOuts[0] ?? expect.fail('no row');

    expect(dollars.writes).toBeCloseTo(counts.writeUnits * 0.625, 9);
    expect(dollars.reads).toBeCloseTo(counts.readUnits * 0.125, 9);
    expect(dollars.sqs).toBe(0);
    expect(dollars.total).toBeCloseTo(dollars.writes + dollars.reads + dollars.lambda + dollars.logs, 9);
  });

  test('that no filter passes is an error, instead of a rule that costs nothing', async () => {
    const options = { stack: settings, registry: posts, fanOuts: [5], itemBytes: 1024 };

    await expect(costOf(bound(authorOnPosts, posts.table), options)).rejects.toThrow(
      'Expected the worker to write 5 items by author-on-posts, found 0 writes: let the filters',
    );
  });

  test('that is dead-lettered is an error', async () => {
    const root = { PK: { S: 'acct_1#inc' }, SK: { S: 'inc_1' }, Title: { S: 'after' } };
    const change = {
      ...{ before: { ...root, Title: { S: 'before' } }, after: root },
      others: [{ PK: { S: 'acct_1#inc_1#incpart' }, SK: { S: 'user_1' } }],
      ...{ attribute: 'Title', fanOut: 1, itemBytes: 100 },
    };

    await expect(countChange({ registry: application, stack: settings }, change)).rejects.toMatchObject({
      code: 'cost.unfinished',
      message: expect.stringMatching(/was dead-lettered \(root\.invalid\)/),
    });
  });
});

test('a new root costs a transaction: twice the units of its copies and its own', async () => {
  const registry = tags.registry();
  const [rule = expect.fail('no rule')] = registry.rules;
  const { created } = await costIn(registry, [1])(rule);
  const copies = created?.fanOut ?? 0;

  expect(copies).toBeGreaterThan(0);
  expect(created?.counts).toMatchObject({ writes: copies, writeUnits: copies * 2 + 2 });
});

describe('a change of a member', () => {
  const [inPartition, byIndex] = contenderTotals.members;

  function only(...members: (Aggregate['members'][number] | undefined)[]): Aggregate {
    return { ...contenderTotals, members: members.filter((location) => location !== undefined) };
  }

  function costOfMembers(aggregate: Aggregate, fanOuts: readonly number[]) {
    return costIn(makeRegistry(table, [], [], [], [aggregate]), fanOuts, 200)(aggregate);
  }

  test('reads all members of a partition twice, and writes the target once', async () => {
    const { attributes, itemBytes, fanOuts } = await costOfMembers(only(inPartition), [200]);
    const { counts } = fanOuts[0] ?? expect.fail('no row');

    expect([attributes, itemBytes]).toEqual([['Contender1Wins'], 200]);
    // 40,000 bytes are 10 units; the target is read before each, and the other target is not there.
    expect(counts.readUnits).toBe(2 * (10 + 1) + 1);
    expect(counts).toMatchObject({ writes: 1, sqsRequests: 0 });
  });

  test('reads those that an index finds three times, each by its key', async () => {
    const { fanOuts } = await costOfMembers(only(byIndex), [200]);

    expect(fanOuts[0]?.counts.readUnits).toBeGreaterThan(3 * 200);
    expect(fanOuts[0]?.counts.sqsRequests).toBeGreaterThan(0);
  });

  test('costs more reads with each member, and the same writes', async () => {
    const { fanOuts } = await costOfMembers(contenderTotals, [10, 100]);
    const [ten, hundred] = fanOuts;

    expect(hundred?.dollars.reads).toBeGreaterThan(5 * (ten?.dollars.reads ?? 0));
    expect(hundred?.dollars.writes).toBeCloseTo(ten?.dollars.writes ?? 0, 6);
  });

  test('is one that changes a total of all members, and not only that of one', async () => {
    const mean = average('Contender1Wins', { digits: 0 });
    const both: Aggregate = { ...only(inPartition), computes: { Wins: mean, Contests: count() } };

    expect((await costOfMembers(both, [200])).fanOuts[0]?.counts.writes).toBe(1);
  });

  test('is one that is added if a rounded mean is all that is computed, to a target without totals', async () => {
    const mean = average('Contender1Wins', { digits: 0 });
    const rounded = { ...only(inPartition), computes: { Wins: mean } };
    const { attributes, fanOuts } = await costOfMembers(rounded, [1, 200]);

    expect(fanOuts.map(({ counts }) => counts.writes)).toEqual([1, 1]);
    expect(attributes).toEqual(['Contender1Wins', undefined]);
  });

  test('is one that is added if no attribute changes a total', async () => {
    const counting: Aggregate = { ...only(inPartition), computes: { Wins: count() } };
    const { attributes, fanOuts } = await costOfMembers(counting, [10]);

    expect(attributes).toEqual([undefined]);
    expect(fanOuts[0]?.counts.writes).toBe(1);
  });

  test('that an index finds has the ids that it shares with its target', async () => {
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

    expect((await costOfMembers(sales, [3])).fanOuts).toHaveLength(1);
  });

  test('that cannot be made is refused in a sentence', async () => {
    const nowhere: Aggregate = { ...contenderTotals, targetsOf: () => [] };

    await expect(costOfMembers(nowhere, [1])).rejects.toThrow(DenormError);
  });
});
