import { describe, expect, test } from 'vitest';
import type { Aging } from '../../../../src/model/rules/archive-rule.ts';
import { sweep } from '../../../../src/worker/archive/sweep/sweep.ts';
import type { SweepContext } from '../../../../src/worker/archive/sweep/sweep-context.ts';
import { agingRule } from '../../../fixtures/model/bound.ts';
import { ByOwner, ByState } from '../../../fixtures/model/table.ts';
import {
  anIncidentData,
  anOrderItemOf,
  aPastIncident,
  aUsedOrder,
  ordersAge,
} from '../../../fixtures/world/aging.ts';
import { expiryOf, inAWeek, killedAt, WorldSweep } from '../../../fixtures/world/sweep.ts';
import { registryOf } from '../../../fixtures/world/world.ts';

describe('a sweep that was killed', () => {
  test.each(['head', 'put', 'update', 'write'] as const)(
    'at any %s is completed by the next one, and nothing is written twice',
    async (at) => {
      const items = [aUsedOrder(), anOrderItemOf(), anOrderItemOf('t', 2), aPastIncident(), anIncidentData()];
      for (let nth = 1; ; nth += 1) {
        const world = new WorldSweep(items);
        const writes: string[] = [];
        world.table.watcher = ({ key }) => writes.push(key.pk + key.sk);
        const killed = await killedAt(world, at, nth);
        await world.run();

        for (const one of items) expect(expiryOf(world, one)).toEqual(inAWeek);
        expect(writes.toSorted()).toEqual([...new Set(writes)].toSorted());
        for (const key of world.archive.keys()) expect(world.archive.versions(key)).toHaveLength(1);
        if (!killed) break;
        expect(nth).toBeLessThan(30);
      }
    },
  );
});

describe('a sweep that is asked to stop', () => {
  test('continues from there in its next run, and starts over after its end', async () => {
    const world = new WorldSweep(orders(450));
    for (const looked of [200, 200, 50])
      expect(await world.stoppedAfter(2, { rules: ['archive-orders'] })).toMatchObject([{ looked }]);

    // Five pages with entries, and one page of the partition without any.
    expect(world.port.counts.queryIndex).toBe(6);
    expect(world.table.items().every(({ EndsAt }) => EndsAt !== undefined)).toBe(true);
    expect(await world.sweepOrders()).toMatchObject({ looked: 450, finished: true });
  });

  test('reads nothing more, and does not continue past its current page', async () => {
    const world = new WorldSweep([aUsedOrder(), anOrderItemOf()]);
    let gets = 0;
    world.port.before = ({ kind }) => {
      if (kind === 'get') gets += 1;
    };
    world.stop = () => gets >= 1;

    const report = await world.sweepOrders();

    expect(report).toMatchObject({ finished: false, looked: 0 });
    expect(gets).toBeLessThan(4);
    world.stop = () => false;
    await world.run();
    expect(expiryOf(world, anOrderItemOf())).toEqual(inAWeek);
  });

  test('begins no other rule, which keeps its turn', async () => {
    const world = new WorldSweep([aUsedOrder(), aPastIncident()]);

    const [first, ...others] = await world.stoppedAfter(1);
    const [next] = await world.run();

    expect(others).toEqual([]);
    expect(next?.rule).not.toBe(first?.rule);
  });

  test('starts over for another table', async () => {
    const world = new WorldSweep(orders(160));
    await world.stoppedAfter(1, { rules: ['archive-orders'] });

    expect(await world.sweepOrders({ tableName: 'another' })).toMatchObject({ looked: 160 });
  });

  const byOwner = { ...foundAt('STATUS#USED', 'STATUS#VOID'), index: ByOwner };

  test.each<[string, Partial<Aging>, number]>([
    ['starts over if its rule has other days', { days: 31 }, 160],
    ['starts over if its rule has other partitions', { found: foundAt('STATUS#USED') }, 160],
    ['starts over if it has as many others', { found: foundAt('STATUS#USED', 'STATUS#LOST') }, 160],
    ['starts over if its rule has another index', { found: byOwner }, 160],
    ['starts over with a scan if its rule was searched by an index', { found: { in: 'scan' } }, 160],
    ['continues if it has them in another order', { found: foundAt('STATUS#VOID', 'STATUS#USED') }, 60],
  ])('%s by now', async (_, other, looked) => {
    const world = new WorldSweep(
      orders(160, (index) => ({ OwnerPart: 'STATUS#USED', OwnerSort: `${index}` })),
    );
    await world.stoppedAfter(1, { rules: ['archive-orders'] });

    const reports = await sweep(withRule(world, other), { tableName: 'world' });

    expect(reports).toMatchObject([{ looked, finished: true }]);
    expect(world.table.items().every(({ EndsAt }) => EndsAt !== undefined)).toBe(true);
  });

  test('starts over if its saved position cannot be read', async () => {
    const world = new WorldSweep([aUsedOrder()]);
    world.notes.texts.set('state/sweep-archive-orders.json', 'damaged');

    await world.run();

    expect(expiryOf(world, aUsedOrder())).toEqual(inAWeek);
  });
});

function orders(count: number, attributes: (index: number) => Parameters<typeof aUsedOrder>[1] = () => ({})) {
  return Array.from({ length: count }, (_, index) => aUsedOrder(`t${index}`, attributes(index)));
}

function foundAt(...pks: string[]) {
  return { in: 'index', index: ByState, pks, until: () => '~' } as const;
}

/** The parts of a sweep whose rule for orders has changed in the meantime. */
function withRule(world: WorldSweep, other: Partial<Aging>): SweepContext {
  const rule = agingRule(ordersAge);
  const registry = registryOf({ ...rule, ages: { ...rule.ages, ...other } });
  return { ...world.context(), registry };
}
