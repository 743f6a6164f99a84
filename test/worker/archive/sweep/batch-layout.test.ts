import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import type { Item } from '../../../../src/model/items/item.ts';
import { itemSize } from '../../../../src/model/items/item-size.ts';
import { digestOf, itemInBody } from '../../../../src/worker/archive/object.ts';
import { agingRule } from '../../../fixtures/model/bound.ts';
import { table } from '../../../fixtures/model/table.ts';
import {
  anIncidentData,
  anOrderItemOf,
  aUsedOrder,
  incidentData,
  ordersAge,
} from '../../../fixtures/world/aging.ts';
import { layouts } from '../../../fixtures/world/archive.ts';
import {
  archivedDigest,
  beforeFirstUpdate,
  expiryOf,
  inAWeek,
  killedAt,
  recordedReads,
  WorldSweep,
} from '../../../fixtures/world/sweep.ts';
import { keyIn } from '../../../fixtures/world/worker.ts';

/** A sweep of orders and order items in this layout. */
function sweepIn(layout: 'object' | 'batch', ...items: readonly Item[]): WorldSweep {
  return new WorldSweep(items, { ...ordersAge, layout });
}

function orders(count: number): Item[] {
  return Array.from({ length: count }, (_, index) => aUsedOrder(`t${index}`));
}

test('many items are archived as lines of a few objects before they get an expiry', async () => {
  const orderItems = Array.from({ length: 100 }, (_, index) => anOrderItemOf(`t${index}`));
  const items = [...orders(100), ...orderItems, anOrderItemOf('t0', 2)];
  const world = sweepIn('batch', ...items);

  const [report] = await world.run();

  // A hundred lines each, at most.
  expect(world.archive.keys()).toHaveLength(3);
  expect(archivedIn(world).toSorted()).toEqual(items.map(digestOf).toSorted());
  expect(report).toMatchObject({ stored: 201, kinds: { Order: { swept: 100 }, OrderItem: { swept: 101 } } });
});

test('companions of several kinds are lines of an object for each kind', async () => {
  const { ages, ...rule } = agingRule(ordersAge);
  const books = { kind: incidentData, at: () => ({ in: 'key', ...keyIn(anIncidentData()) }) as const };
  const archives = [
    {
      ...rule,
      layout: 'batch',
      kinds: [...rule.kinds, incidentData],
      ages: { ...ages, with: [...ages.with, books] },
    },
  ] as const;
  const world = new WorldSweep([aUsedOrder(), anOrderItemOf(), anIncidentData()], ...archives);
  await world.run();

  const kinds = world.archive.keys().map((objectKey) => objectKey.split('/')[1]);
  expect(kinds.toSorted()).toEqual(['IncidentData', 'Order', 'OrderItem']);
});

test.each([
  ['object', [25, 25, 10]],
  // The roots, and their states to archive.
  ['batch', [60, 60]],
] as const)('the roots of a page are held in groups in the layout %s: %j', async (layout, sizes) => {
  const world = sweepIn(layout, ...orders(60));
  const reads = recordedReads(world);
  await world.run();

  expect(reads).toEqual(sizes);
});

describe.each(layouts)('in the layout %s', (layout) => {
  test('a state that a killed sweep archived is not counted as stored again', async () => {
    const world = sweepIn(layout, aUsedOrder());
    await killedAt(world, 'update', 1);

    expect(await world.run()).toMatchObject([{ stored: 0, kinds: { Order: { swept: 1 } } }]);
  });

  test('an item that becomes one of another kind is neither archived nor given an expiry', async () => {
    const world = sweepIn(layout, aUsedOrder(), anOrderItemOf());
    const other = { ...anOrderItemOf(), [table.type]: { S: 'Note' } };
    beforeFirstUpdate(world, () => world.table.put(other));

    expect(await world.run()).toMatchObject([{ stored: 1, kinds: { OrderItem: { swept: 0 } } }]);
    expect(world.table.items()).toContainEqual(other);
    expect(world.archive.keys().filter((key) => key.includes('/OrderItem/'))).toEqual([]);
  });

  // 32 of them are the 8 MB of a step.
  const Log = 'x'.repeat(256 * 1024 - itemSize(anOrderItemOf('t', 10, { Log: '' })));
  const orderItems = Array.from({ length: 33 }, (_, index) => anOrderItemOf('t', 10 + index, { Log }));

  test('a group that does not fit into memory is swept in steps', async () => {
    const world = sweepIn(layout, aUsedOrder(), ...orderItems);
    const reads = recordedReads(world);

    expect(await world.run()).toMatchObject([
      { stored: 34, kinds: { Order: { swept: 1 }, OrderItem: { swept: 33 } } },
    ]);
    for (const orderItem of orderItems) expect(expiryOf(world, orderItem)).toEqual(inAWeek);
    // The root; in a batch all states to archive.
    expect(reads).toEqual(layout === 'batch' ? [1, 1, 32, 1] : [1]);
  });

  test('a group that does not fit into memory loses no change of an item', async () => {
    const world = sweepIn(layout, aUsedOrder(), ...orderItems);
    const changed = anOrderItemOf('t', 42, { Log, ProductId: 'q' });
    beforeFirstUpdate(world, () => {
      world.table.put(changed);
      world.table.delete(keyIn(anOrderItemOf('t', 41)));
    });

    await world.run();

    expect(expiryOf(world, changed)).toEqual(inAWeek);
    expect(
      layout === 'batch' ? archivedIn(world) : [archivedDigest(world, 'OrderItem', keyIn(changed))],
    ).toContain(digestOf(changed));
  });
});

/** The digests of the items in all batches. */
function archivedIn({ archive }: WorldSweep): string[] {
  return archive.keys().flatMap((objectKey) => {
    const text = gunzipSync(archive.current(objectKey)?.bytes ?? '').toString();
    return text
      .trimEnd()
      .split('\n')
      .map((line) => digestOf(itemInBody(line)));
  });
}
