import { describe, expect, test } from 'vitest';
import { itemSize, maxItem } from '../../../../src/model/items/item-size.ts';
import type { Aging } from '../../../../src/model/rules/archive-rule.ts';
import type { Registry } from '../../../../src/model/rules/registry.ts';
import { digestOf } from '../../../../src/worker/archive/object.ts';
import { agingRule } from '../../../fixtures/model/bound.ts';
import {
  agingRules,
  anIncidentData,
  anOrderItemOf,
  aPastIncident,
  aUsedOrder,
  ordersAge,
} from '../../../fixtures/world/aging.ts';
import { order, orderItem } from '../../../fixtures/world/kinds.ts';
import {
  archivedDigest,
  expiryOf,
  inAWeek,
  recordedUpdates,
  WorldSweep,
} from '../../../fixtures/world/sweep.ts';
import { keyIn } from '../../../fixtures/world/worker.ts';
import { registryOf } from '../../../fixtures/world/world.ts';

describe('an item that has aged', () => {
  test.each([
    ['found by an index', aUsedOrder(), 'Order', anOrderItemOf(), 'OrderItem'],
    ['found by a scan', aPastIncident(), 'Incident', anIncidentData(), 'IncidentData'],
  ])('is archived with its companions, then given an expiry: %s', async (_, root, kind, companion, other) => {
    const world = new WorldSweep([root, companion]);
    const early: string[] = [];
    world.table.watcher = ({ key, before, after }) => {
      const named = key.sk === keyIn(root).sk ? kind : other;
      if (after?.EndsAt !== undefined && archivedDigest(world, named, key) !== digestOf(before ?? {}))
        early.push(key.sk);
    };

    const [report] = await world.run({ rules: [`archive-${kind.toLowerCase()}s`] });

    expect(expiryOf(world, root)).toEqual(inAWeek);
    expect(expiryOf(world, companion)).toEqual(inAWeek);
    expect(early).toEqual([]);
    expect(report).toMatchObject({
      finished: true,
      stored: 2,
      kinds: { [kind]: { swept: 1 }, [other]: { swept: 1 } },
    });
    expect(world.port.counts).toMatchObject({ getMany: 1, update: 2 });
  });

  const byOwner = { kind: orderItem, at: () => ({ in: 'index', index: 'ByOwner', pk: 'ITEMS#t' }) as const };
  test.each([
    ['in its partition', registryOf(...agingRules)],
    ['that an index finds', withCompanions(byOwner)],
  ])('is swept with all its companions %s, however many', async (_, registry) => {
    const orderItems = Array.from({ length: 620 }, (_, number) =>
      anOrderItemOf('t', number, { OwnerPart: 'ITEMS#t', OwnerSort: `${number}` }),
    );
    const world = new WorldSweep([aUsedOrder(), ...orderItems], registry);

    const report = await world.sweepOrders();

    expect(report.kinds).toMatchObject({ Order: { swept: 1 }, OrderItem: { swept: 620 } });
  });

  test('is written once if its companions are of its own kind, where it is itself', async () => {
    const besides = { kind: order, at: () => ({ in: 'partition', pk: 'ORDER#t' }) as const };
    const world = new WorldSweep([aUsedOrder()], withCompanions(besides));
    const [report] = await world.run();

    expect(report?.kinds).toMatchObject({ Order: { swept: 1 } });
    expect(world.port.counts).toMatchObject({ getMany: 1, update: 1 });
  });

  test('has companions that are guarded by their own attributes alone', async () => {
    const world = new WorldSweep([aUsedOrder(), anOrderItemOf()]);
    const updates = recordedUpdates(world);
    await world.sweepOrders();

    expect(Object.keys(updates[1]?.expect ?? {}).toSorted()).toEqual(
      [...Object.keys(anOrderItemOf()), 'EndsAt'].toSorted(),
    );
  });

  test('without room for another attribute is reported, and its companions stay', async () => {
    const room = maxItem - itemSize(aUsedOrder('t', { Note: '' }));
    const full = aUsedOrder('t', { Note: 'x'.repeat(room) });
    const world = new WorldSweep([full, anOrderItemOf(), aUsedOrder('u')]);

    const report = await world.sweepOrders();

    expect(world.unclassified).toMatchObject([
      { code: 'item.refused', key: keyIn(full), reason: expect.stringContaining('400 KB') },
    ]);
    expect(world.port.counts.getMany).toBe(1);
    expect(expiryOf(world, anOrderItemOf())).toBeUndefined();
    expect(expiryOf(world, aUsedOrder('u'))).toEqual(inAWeek);
    expect(report.kinds['Order']).toMatchObject({ swept: 1, unclassified: 1 });
  });
});

describe('an item whose age cannot be determined', () => {
  const createdAt = (CreatedAt: string | undefined) =>
    aUsedOrder('t', { CreatedAt, StateSort: 'ORDER#2025' });

  test.each([
    ['lacks an attribute that determines it', createdAt(undefined), 'root.invalid'],
    ['has that attribute in another type', aPastIncident('a', { CreatedAt: 'yesterday' }), 'root.invalid'],
    ['contains no valid time', createdAt('a while ago'), 'root.undated'],
  ])('because it %s is reported, and stops no other', async (_, odd, code) => {
    const world = new WorldSweep([odd, anOrderItemOf(), aUsedOrder('u'), aPastIncident('b')]);

    const reports = await world.run();

    expect(world.unclassified).toMatchObject([{ code, key: keyIn(odd) }]);
    expect(JSON.stringify(world.unclassified)).not.toContain('yesterday');
    expect(world.table.read(keyIn(odd))).toEqual(odd);
    expect(expiryOf(world, anOrderItemOf())).toBeUndefined();
    expect(
      reports.flatMap(({ kinds }) => Object.values(kinds)).map(({ unclassified }) => unclassified),
    ).toContain(1);
    expect(expiryOf(world, aUsedOrder('u'))).toEqual(inAWeek);
    expect(expiryOf(world, aPastIncident('b'))).toEqual(inAWeek);
  });
});

/** The rule for orders alone, with these companions. */
function withCompanions(companion: NonNullable<Aging['with']>[number]): Registry {
  const { ages } = agingRule(ordersAge);
  return registryOf({ ...ordersAge, ages: { ...ages, with: [companion] } });
}
