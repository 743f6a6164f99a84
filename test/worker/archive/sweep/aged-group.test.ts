import { describe, expect, test } from 'vitest';
import { digestOf, restoredKeyOf, restoredMark } from '../../../../src/worker/archive/object.ts';
import { anOrderItemOf, aUsedOrder } from '../../../fixtures/world/aging.ts';
import { archivedDigest, counts, expiryOf, inAWeek, WorldSweep } from '../../../fixtures/world/sweep.ts';
import { keyIn } from '../../../fixtures/world/worker.ts';

const day = 86_400_000;
const now = Date.UTC(2026, 0, 1);

describe('an item that has an expiry', () => {
  const later = { N: '1799999999' };

  test('keeps it, whatever set it', async () => {
    const expiring = aUsedOrder('t', { EndsAt: 1_799_999_999 });
    const inTheSameSecond = aUsedOrder('u', { EndsAt: Number(inAWeek.N) });
    const world = new WorldSweep([expiring, inTheSameSecond]);

    const report = await world.sweepOrders();

    expect(world.table.items()).toEqual([expiring, inTheSameSecond]);
    expect(report.kinds).toEqual({ Order: counts({ expiring: 2 }) });
    expect(world.archive.keys()).toEqual([]);
  });

  test('that is not a number is unclassified, because it never expires', async () => {
    const world = new WorldSweep([
      aUsedOrder('t', { EndsAt: 'never' }),
      anOrderItemOf('t', 1),
      aUsedOrder('u'),
    ]);
    const report = await world.sweepOrders();

    expect(report.kinds).toMatchObject({ Order: counts({ unclassified: 1, swept: 1 }) });
    expect(world.unclassified).toEqual([
      {
        ...{ rule: 'archive-orders', kind: 'Order', key: keyIn(aUsedOrder('t')), code: 'item.ttl' },
        reason:
          'Expected EndsAt, the TTL attribute, to be a number, found another type: correct the item, which never expires',
      },
    ]);
  });

  test.each([
    ['passes it on', 1_799_999_999, 'USED', later],
    ['that passed long ago gives them one in a week', 5, 'USED', inAWeek],
    ['that passed just now gives them one in a week', now / 1000, 'USED', inAWeek],
    ['that is not a number gives them nothing', 'never', 'USED', undefined],
    ['and has not aged gives them nothing', 1_799_999_999, 'PAID', undefined],
  ])('has companions without one, to which it %s', async (_, EndsAt, Status, given) => {
    const world = new WorldSweep([
      aUsedOrder('t', { EndsAt, Status }),
      anOrderItemOf('t', 1),
      anOrderItemOf('t', 2, { EndsAt: 5 }),
    ]);
    await world.run();

    expect(expiryOf(world, anOrderItemOf('t', 1))).toEqual(given);
    expect(expiryOf(world, anOrderItemOf('t', 2))).toEqual({ N: '5' });
    expect(archivedDigest(world, 'OrderItem', keyIn(anOrderItemOf()))).toBe(
      given && digestOf(anOrderItemOf()),
    );
  });
});

describe('an item that was restored', () => {
  test.each([
    ['the root', 'Order', aUsedOrder()],
    ['a companion', 'OrderItem', anOrderItemOf()],
  ])('within its age waits, together with all its companions: %s', async (_, kind, restored) => {
    const world = new WorldSweep([aUsedOrder(), anOrderItemOf(), anOrderItemOf('t', 2)]);
    world.notes.texts.set(restoredKeyOf(kind, keyIn(restored)), restoredMark(now - 30 * day + 1000));

    const report = await world.sweepOrders();

    expect(world.table.items().filter(({ EndsAt }) => EndsAt !== undefined)).toEqual([]);
    expect(world.archive.keys()).toEqual([]);
    expect(report.kinds).toEqual({ Order: counts({ restored: 1 }), OrderItem: counts({ restored: 2 }) });
  });

  test.each([
    ['longer ago than its age is swept again', restoredMark(now - 30 * day), inAWeek],
    ['at an unknown time waits', 'damaged', undefined],
  ])('%s', async (_, mark, expiry) => {
    const world = new WorldSweep([aUsedOrder()]);
    world.notes.texts.set(restoredKeyOf('Order', keyIn(aUsedOrder())), mark);
    await world.run();

    expect(expiryOf(world, aUsedOrder())).toEqual(expiry);
  });

  test('as a companion stays even if its root expires', async () => {
    const world = new WorldSweep([
      aUsedOrder('t', { EndsAt: 1_799_999_999 }),
      anOrderItemOf(),
      anOrderItemOf('t', 2),
    ]);
    world.notes.texts.set(restoredKeyOf('OrderItem', keyIn(anOrderItemOf())), restoredMark(now - day));

    await world.run();

    expect(expiryOf(world, anOrderItemOf())).toBeUndefined();
    expect(expiryOf(world, anOrderItemOf('t', 2))).toEqual({ N: '1799999999' });
  });
});
