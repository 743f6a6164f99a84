import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import shipped from '../../denorm.config.ts';
import { smokeTestsOf } from '../../src/examples/smoke-tests.ts';
import { defineKind } from '../../src/model/kinds/define-kind.ts';
import { defineArchive } from '../../src/model/rules/archive-rule.ts';
import { defineAggregate } from '../../src/model/rules/define-aggregate.ts';
import { defineRule } from '../../src/model/rules/define-rule.ts';
import { count } from '../../src/model/rules/reducers.ts';
import type { Registry } from '../../src/model/rules/registry.ts';
import { type Line, runSmokeTest, type SmokeTest, type Step } from '../../src/operate/smoke/smoke-test.ts';
import { modelArchiveReader } from '../../src/testing/table-model/model-archive.ts';
import { ModelWorker } from '../../src/testing/table-model/model-worker.ts';
import { VirtualClock } from '../fixtures/virtual-clock.ts';
import { member, memberOnAddress, post, taggedPost, titleOnTags } from '../fixtures/world/posts.ts';
import { contenderTotals } from '../fixtures/world/totals.ts';
import { registryOf } from '../fixtures/world/world.ts';
import readings from '../package/shapes/readings/denorm.config.ts';

const mark = 'smoke-1';

/** Plays a smokeTest on the model, where the worker works after each write. */
function play(registry: Registry, smokeTest: SmokeTest, works = true): Promise<Line> {
  const worker = new ModelWorker(registry);
  const items = {
    expect: () => {},
    async write({ puts, removes }: Pick<Step, 'puts' | 'removes'>) {
      for (const item of puts) worker.table.put(item);
      for (const key of removes) worker.table.delete(key);
      if (!works) return;
      await worker.rest();
      await worker.archiveRest();
    },
  };
  return runSmokeTest(
    {
      table: worker.port,
      archive: modelArchiveReader(worker.archive),
      items,
      clock: new VirtualClock(),
      within: 0,
      stop: () => false,
      refusalOf: async () => 'it is denied',
    },
    smokeTest,
  );
}

async function smokeTestsIn(registry: Registry): Promise<readonly SmokeTest[]> {
  return (await smokeTestsOf(registry, mark)).filter((one) => 'steps' in one);
}

const kept = defineKind({
  name: 'Note',
  type: 'Note',
  pk: 'NOTE#{note}',
  sk: 'NOTE',
  attributes: z.object({ Code: z.string().regex(/^QX-\d{7}$/), Count: z.int().optional() }),
  examples: [{ Code: 'QX-1234567' }, { Code: 'QX-7654321' }],
});
const noted = defineKind({
  ...{ name: 'Noted', type: 'Noted', pk: 'NOTE#{note}', sk: 'NOTED#{noted}' },
  attributes: z.object({ Code: z.string() }),
});
const clearing = defineRule({
  ...{ name: 'code-on-noted', root: kept, copy: noted, copies: ['Code'] as const },
  located: { in: 'partition', at: ({ ids }) => ({ pk: noted.pk(ids), begins: 'NOTED#' }) },
  rootOf: ({ ids }) => kept.key(ids),
  ...{ onDelete: 'clear' as const, onExpire: 'clear' as const },
});
const removing = defineRule({
  ...{ name: 'noted-go', root: kept, copy: noted },
  located: { in: 'partition', at: ({ ids }) => ({ pk: noted.pk(ids), begins: 'NOTED#' }) },
  rootOf: ({ ids }) => kept.key(ids),
  ...{ onDelete: 'delete' as const, onExpire: 'delete' as const },
});
const erasing = defineArchive({ name: 'archive-members', kinds: [member], onDelete: 'erase' });

const counting = defineAggregate({
  ...{ name: 'notes-of', of: noted, on: kept, reads: { member: ['Code'] as const }, ledger: true },
  members: { in: 'partition', at: ({ ids }) => ({ pk: noted.pk(ids), begins: 'NOTED#' }) },
  targetsOf: ({ ids }) => [kept.key(ids)],
  computes: { Count: count() },
});

const projects: readonly (readonly [string, Registry])[] = [
  ['shipped', shipped.registry({ parameters: { StatusShards: 3 }, disabled: [] })],
  ['creating', registryOf(titleOnTags, memberOnAddress, erasing)],
  ['clearing', registryOf(clearing)],
  ['removing', registryOf(removing)],
  ['contenders', registryOf(contenderTotals)],
  ['with numeric sort keys', readings.registry()],
  ['with a ledger', registryOf(counting)],
];

describe.each(projects)('in the project %s', (_, registry) => {
  const { rules, aggregates, archives } = registry;
  const names = [...rules, ...aggregates, ...archives].map(({ name }) => name);

  test('each rule has a smokeTest that the worker plays as expected', async () => {
    const smokeTests = await smokeTestsIn(registry);

    expect(smokeTests.map(({ rule }) => rule)).toEqual(names);
    for (const smokeTest of smokeTests)
      expect(await play(registry, smokeTest)).toMatchObject({
        status: 'proven',
        detail: expect.stringContaining(' s'),
      });
  });

  test('without the worker each smokeTest fails', async () => {
    for (const smokeTest of await smokeTestsIn(registry))
      expect(await play(registry, smokeTest, false)).toMatchObject({
        status: 'failed',
        detail: expect.stringMatching(
          /^after its (creation|change|removal), not as expected: .*: it is denied$/,
        ),
      });
  });

  test('every item has the mark in its key, and is removed without a dead letter', async () => {
    for (const smokeTest of await smokeTestsIn(registry)) {
      for (const { pk, sk } of smokeTest.made.keys) expect(pk + sk).toContain(mark);
      const worker = new ModelWorker(registry);
      for (const { puts } of smokeTest.steps) for (const item of puts) worker.table.put(item);
      await worker.rest(1);
      for (const { puts } of smokeTest.steps) for (const item of puts) worker.table.put(item);
      for (const key of smokeTest.made.keys) worker.table.delete(key);
      await worker.rest();

      expect(worker.queue.deadLettered).toEqual([]);
      expect(worker.table.items()).toEqual([]);
    }
  });
});

test('a removal is shown as the rule says', async () => {
  const does = async (registry: Registry) =>
    Object.fromEntries(
      (await smokeTestsIn(registry)).map(({ rule, steps }) => [rule, steps.map((one) => one.does)]),
    );

  expect(await does(registryOf(titleOnTags, erasing, contenderTotals))).toEqual({
    'title-on-tags': ['creation', 'change', 'removal'],
    'contender-totals': ['creation', 'change', 'removal'],
    'archive-members': ['creation', 'removal'],
  });
  expect(await does(registryOf(removing))).toEqual({ 'noted-go': ['creation', 'removal'] });
  const [smokeTest] = await smokeTestsIn(registryOf(clearing));
  expect(smokeTest?.steps.at(-1)?.expected.map(({ attributes }) => attributes)).toStrictEqual([
    { Code: undefined },
  ]);
});

test.each<[string, Registry, RegExp]>([
  [
    'values are unknown',
    registryOf({ ...clearing, root: { ...kept, examples: [] } }),
    /accepts none of those that were tried: add examples to the kind/,
  ],
  [
    'its key has no id',
    registryOf({
      ...clearing,
      root: defineKind({
        name: 'Settings',
        pk: 'SETTINGS',
        sk: 'ALL',
        attributes: kept.attributes,
        examples: kept.examples,
      }),
      located: { in: 'key', at: () => ({ pk: 'NOTE#1', sk: 'NOTED#1' }) },
      rootOf: () => ({ pk: 'SETTINGS', sk: 'ALL' }),
    }),
    /its kinds have keys without ids, or are archived in batches/,
  ],
  [
    'it is archived in batches',
    registryOf(defineArchive({ name: 'archive-posts', kinds: [post, taggedPost], layout: 'batch' })),
    /or are archived in batches/,
  ],
])('a rule is unproven if %s', async (_, registry, why) => {
  expect(await smokeTestsOf(registry, mark)).toEqual([
    { rule: expect.any(String), why: expect.stringMatching(why) },
  ]);
});
