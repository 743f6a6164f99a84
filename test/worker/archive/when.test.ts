import { describe, expect, test } from 'vitest';
import type { Item } from '../../../src/model/items/item.ts';
import { type ArchiveRuleSpec, predicate } from '../../../src/model/rules/archive-rule.ts';
import { claimsOfEnds, claimsOfItems } from '../../../src/operate/archive/audit/claim.ts';
import { item } from '../../fixtures/model/items.ts';
import { table } from '../../fixtures/model/table.ts';
import { aUsedOrder, ordersAge } from '../../fixtures/world/aging.ts';
import { layouts, listedStates, WorldArchive } from '../../fixtures/world/archive.ts';
import { audit, wrongs } from '../../fixtures/world/audit.ts';
import { anOrder, anOrderItem } from '../../fixtures/world/items.ts';
import { order, orderItem } from '../../fixtures/world/kinds.ts';
import { expiryOf, recordedUpdates, WorldSweep } from '../../fixtures/world/sweep.ts';
import { changeOf, keyed, keyIn } from '../../fixtures/world/worker.ts';

const soon = { EndsAt: 1_000 };
const paid = anOrder(soon);
const held = anOrder({ ...soon, Status: 'HELD' });
const key = keyIn(paid);

/** Reserved orders are not archived. */
const when = [predicate(order, { reads: ['Status'], item: ({ Status }) => Status !== 'HELD' })];

function archiveOf(spec: Partial<ArchiveRuleSpec> = {}): WorldArchive {
  return new WorldArchive({ when, ...spec });
}

async function states(world: WorldArchive): Promise<number> {
  return (await listedStates(world.reader(), table, {})).length;
}

describe.each(layouts)('in the layout %s, an item for which when is false', (layout) => {
  test('is archived in its other states only, before it expires and at its end', async () => {
    const world = archiveOf({ layout, onDelete: 'archive' });
    await world.expired(held);
    await world.archived(held);
    expect(await states(world)).toBe(0);
    await world.archived(paid);
    expect(await states(world)).toBe(1);
    await world.archived(held);
    world.table.delete(key);
    await world.archive();
    expect(await states(world)).toBe(1);

    world.table.put(anOrder({ Total: 2 }));
    world.table.delete(key);
    await world.archive();
    expect(await states(world)).toBe(2);
    expect(world.worker.queue.deadLettered).toEqual([]);
  });

  test('is archived if when fails on it, and dead-lettered without content', async () => {
    const world = archiveOf({ layout, when: [failing] });
    world.table.put(paid);

    expect(await world.archive()).toEqual(new Map());
    expect(await states(world)).toBe(1);
    expect(world.worker.queue.deadLettered).toMatchObject([
      {
        code: 'rule.threw',
        about: { rule: 'archive-orders', key: { pk: 'ORDER#t', sk: 'ORDER' } },
        reason: expect.stringMatching(/^Function when of rule archive-orders/),
      },
    ]);
    expect(JSON.stringify(world.worker.queue.deadLettered)).not.toContain('secret');
  });
});

const failing = predicate(order, {
  reads: [],
  item: () => {
    throw new Error('secret');
  },
});

describe('when', () => {
  test('that reads a missing attribute fails, and the item is archived', async () => {
    const priced = predicate(order, { reads: ['Total'], item: ({ Total }) => Total > 0 });
    const world = archiveOf({ when: [priced] });

    await world.archived(anOrder({ ...soon, Total: undefined }));

    expect(world.worker.queue.deadLettered).toMatchObject([{ code: 'root.invalid' }]);
    expect(await states(world)).toBe(1);
  });

  test('concerns only items of its kind, and all predicates of a kind must be true', async () => {
    const expensive = predicate(order, { reads: ['Total'], item: ({ Total }) => Total > 100 });
    const world = archiveOf({ when: [...when, expensive] });
    await world.archived(paid, anOrderItem({ EndsAt: 1_000 }));
    expect(await states(world)).toBe(1);

    await world.archived(anOrder({ ...soon, Total: 101 }));
    expect(await states(world)).toBe(2);
  });
});

describe('an audit', () => {
  test('misses nothing that when leaves out', async () => {
    const world = archiveOf({ onDelete: 'erase' });
    await world.archived(paid);
    await world.archived(held);
    expect(wrongs(await audit(world))).toEqual([]);
    world.table.expire(key);
    await world.archive();

    expect(wrongs(await audit(world))).toEqual([]);
  });

  test('claims what when fails on', () => {
    const { registry } = archiveOf({ when: [failing] }).worker.context;

    expect(claimsOfItems(registry, [keyed(paid)])).toHaveLength(1);
    expect(claimsOfEnds(registry, [changeOf(paid, undefined, { expired: true })])).toHaveLength(1);
  });
});

describe('a sweep', () => {
  function sweepOf(...items: readonly Item[]): WorldSweep {
    return new WorldSweep(items, { ...ordersAge, when: [priced] });
  }
  const priced = predicate(order, { reads: ['Total'], item: ({ Total }) => Total > 10 });

  test.each([
    ['no item expire that is left out', 1, 0],
    ['the others expire, archived', 11, 1],
  ])('lets %s', async (_, Total, objects) => {
    const world = sweepOf(aUsedOrder('t', { Total }));
    await world.run();

    expect(expiryOf(world, aUsedOrder()) !== undefined).toBe(objects > 0);
    expect(world.archive.keys()).toHaveLength(objects);
  });

  test('writes only while an item is as the rule has read it', async () => {
    const many = Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`Stamp${index}`, index]));
    const world = sweepOf({ ...item(many), ...aUsedOrder('t', { Total: 11 }) });
    const updates = recordedUpdates(world);
    await world.run();

    expect(Object.keys(updates[0]?.expect ?? {})).toEqual(
      expect.arrayContaining(['Total', 'Status', 'CreatedAt']),
    );
  });

  test('leaves companions alone that are left out', async () => {
    const rule = { ...ordersAge, when: [predicate(orderItem, { reads: [], item: () => false })] };
    const world = new WorldSweep([aUsedOrder(), anOrderItem()], rule);
    await world.run();

    expect(expiryOf(world, aUsedOrder())).toBeDefined();
    expect(expiryOf(world, anOrderItem())).toBeUndefined();
    expect(world.archive.keys()).toHaveLength(1);
  });
});
