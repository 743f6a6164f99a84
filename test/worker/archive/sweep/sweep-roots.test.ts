import { describe, expect, test } from 'vitest';
import type { Item } from '../../../../src/model/items/item.ts';
import { itemSize, maxItem } from '../../../../src/model/items/item-size.ts';
import type { ModelTable } from '../../../../src/testing/table-model/model-table.ts';
import { digestOf } from '../../../../src/worker/archive/object.ts';
import { anOrderItemOf, aUsedOrder } from '../../../fixtures/world/aging.ts';
import {
  archivedDigest,
  beforeFirstUpdate,
  beforeUpdates,
  counts,
  expiryOf,
  inAWeek,
  WorldSweep,
} from '../../../fixtures/world/sweep.ts';
import { watchArchive } from '../../../fixtures/world/watched-archive.ts';
import { keyIn } from '../../../fixtures/world/worker.ts';

const [orderItem, otherOrderItem] = [anOrderItemOf(), anOrderItemOf('t', 2)];
const inUse = aUsedOrder('t', { Status: 'PAID' });
const dearer = aUsedOrder('t', { Total: 1 });
const swept = (item: Item): Item => ({ ...item, EndsAt: inAWeek });
const dearerSwept = swept(dearer);
const theOrder = keyIn(dearer);
const orderChanged = { Order: counts({ changed: 1 }) };

describe('an item that changes while it is swept', () => {
  test.each<[string, (table: ModelTable) => void, Item[], object]>([
    [
      'and is in use keeps no expiry',
      (table) => table.put(inUse),
      [orderItem, otherOrderItem, inUse],
      orderChanged,
    ],
    [
      'and is still aged is archived again, and then swept',
      (table) => table.put(dearer),
      [swept(orderItem), swept(otherOrderItem), dearerSwept],
      { Order: counts({ swept: 1 }), OrderItem: counts({ swept: 2 }) },
    ],
    [
      'and is deleted stays away',
      (table) => table.delete(theOrder),
      [orderItem, otherOrderItem],
      orderChanged,
    ],
    [
      'by losing a companion is swept without it',
      (table) => table.delete(keyIn(orderItem)),
      [otherOrderItem, aUsedOrder()].map(swept),
      { Order: counts({ swept: 1 }), OrderItem: counts({ swept: 1, changed: 1 }) },
    ],
  ])('%s', async (_, change, left, kinds) => {
    const world = new WorldSweep([aUsedOrder(), orderItem, otherOrderItem]);
    beforeFirstUpdate(world, () => change(world.table));

    const report = await world.sweepOrders();

    expect(world.table.items().toSorted(bySk)).toEqual(left);
    expect(report.kinds).toEqual(kinds);
    const archived = left.some((item) => item === dearerSwept) ? dearer : aUsedOrder();
    expect(archivedDigest(world, 'Order', keyIn(archived))).toBe(digestOf(archived));
  });

  test.each([
    ['in use again', { Status: 'PAID' }, counts({ changed: 1 })],
    ['given an expiry', { EndsAt: 1_799_999_999 }, counts({ expiring: 1 })],
  ])('and is %s before it is archived is left as it is', async (_, change, counted) => {
    const again = aUsedOrder('t', change);
    const world = new WorldSweep([aUsedOrder()]);
    watchArchive(world, (request) => request === 'head' && world.table.put(again));

    const report = await world.sweepOrders();

    expect(world.table.items()).toEqual([again]);
    expect(report.kinds['Order']).toEqual(counted);
  });

  test('is checked again even if another companion has no room for an expiry', async () => {
    const room = maxItem - itemSize(anOrderItemOf('t', 2, { Note: '' }));
    const full = anOrderItemOf('t', 2, { Note: 'x'.repeat(room) });
    const elsewhere = anOrderItemOf('t', 1, { ProductId: 'q' });
    const world = new WorldSweep([aUsedOrder(), anOrderItemOf(), full]);
    beforeUpdates(world, (update) => {
      if (update === 2) world.table.put(elsewhere);
    });

    const report = await world.sweepOrders();

    expect(expiryOf(world, elsewhere)).toEqual(inAWeek);
    expect(report.kinds['OrderItem']).toEqual(counts({ swept: 1, unclassified: 1 }));
  });

  test('again and again is left as it is after a few rounds', async () => {
    const world = new WorldSweep([aUsedOrder(), aUsedOrder('u')]);
    let changes = 0;
    beforeUpdates(world, (Total) => {
      changes = Total;
      world.table.put(aUsedOrder('t', { Total }));
    });

    const report = await world.sweepOrders();

    expect(expiryOf(world, aUsedOrder())).toBeUndefined();
    expect(expiryOf(world, aUsedOrder('u'))).toEqual(inAWeek);
    expect(changes).toBeLessThan(12);
    expect(report.kinds['Order']).toEqual(counts({ swept: 1, changed: 1 }));
  });

  test('faster than it can be archived is left as it is, and the others are swept', async () => {
    const world = new WorldSweep([aUsedOrder(), aUsedOrder('u')]);
    let total = 0;
    watchArchive(world, (request) => {
      if (request !== 'put') return;
      total += 1;
      world.table.put(aUsedOrder('t', { Total: total }));
    });

    const report = await world.sweepOrders();

    expect(expiryOf(world, aUsedOrder('u'))).toEqual(inAWeek);
    expect(report.kinds['Order']).toMatchObject({ changed: 1, swept: 1 });
  });
});

function bySk(a: Item, b: Item): number {
  return keyIn(a).sk < keyIn(b).sk ? -1 : 1;
}
