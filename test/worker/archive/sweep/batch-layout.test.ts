import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import type { Item } from '../../../../src/model/items/item.ts';
import { itemSize } from '../../../../src/model/items/item-size.ts';
import { makeRegistry } from '../../../../src/model/rules/registry.ts';
import { digestOf, itemInBody } from '../../../../src/worker/archive/object.ts';
import {
  aLegOf,
  aLogbook,
  aUsedTicket,
  logbook,
  ticketsAge,
} from '../../../fixtures/cruises/cruise-aging.ts';
import { layouts } from '../../../fixtures/cruises/cruise-archive.ts';
import {
  archivedDigest,
  beforeFirstUpdate,
  CruiseSweep,
  expiryOf,
  inAWeek,
  killedAt,
  recordedReads,
} from '../../../fixtures/cruises/cruise-sweep.ts';
import { keyIn } from '../../../fixtures/cruises/cruise-worker.ts';
import { table } from '../../../fixtures/model/table.ts';
import { agingRule } from '../../../fixtures/rules/aging-rule.ts';

/** A sweep of tickets and legs in this layout. */
function sweepIn(layout: 'object' | 'batch', ...items: readonly Item[]): CruiseSweep {
  return new CruiseSweep(items, makeRegistry(table, [], [{ ...ticketsAge, layout }]));
}

function tickets(count: number): Item[] {
  return Array.from({ length: count }, (_, index) => aUsedTicket(`t${index}`));
}

test('many items are archived as lines of a few objects before they get an expiry', async () => {
  const legs = Array.from({ length: 100 }, (_, index) => aLegOf(`t${index}`));
  const items = [...tickets(100), ...legs, aLegOf('t0', 2)];
  const cruise = sweepIn('batch', ...items);

  const [report] = await cruise.run();

  // A hundred lines each, at most.
  expect(cruise.archive.keys()).toHaveLength(3);
  expect(archivedIn(cruise).toSorted()).toEqual(items.map(digestOf).toSorted());
  expect(report).toMatchObject({ stored: 201, kinds: { Ticket: { swept: 100 }, Leg: { swept: 101 } } });
});

test('companions of several kinds are lines of an object for each kind', async () => {
  const { ages, ...rule } = agingRule(ticketsAge);
  const books = { kind: logbook, at: () => ({ in: 'key', ...keyIn(aLogbook()) }) as const };
  const archives = [
    {
      ...rule,
      layout: 'batch',
      kinds: [...rule.kinds, logbook],
      ages: { ...ages, with: [...ages.with, books] },
    },
  ] as const;
  const cruise = new CruiseSweep([aUsedTicket(), aLegOf(), aLogbook()], makeRegistry(table, [], archives));
  await cruise.run();

  const kinds = cruise.archive.keys().map((objectKey) => objectKey.split('/')[1]);
  expect(kinds.toSorted()).toEqual(['Leg', 'Logbook', 'Ticket']);
});

test.each([
  ['object', [25, 25, 10]],
  // The roots, and their states to archive.
  ['batch', [60, 60]],
] as const)('the roots of a page are held in groups in the layout %s: %j', async (layout, sizes) => {
  const cruise = sweepIn(layout, ...tickets(60));
  const reads = recordedReads(cruise);
  await cruise.run();

  expect(reads).toEqual(sizes);
});

describe.each(layouts)('in the layout %s', (layout) => {
  test('a state that a killed sweep archived is not counted as stored again', async () => {
    const cruise = sweepIn(layout, aUsedTicket());
    await killedAt(cruise, 'update', 1);

    expect(await cruise.run()).toMatchObject([{ stored: 0, kinds: { Ticket: { swept: 1 } } }]);
  });

  test('an item that becomes one of another kind is neither archived nor given an expiry', async () => {
    const cruise = sweepIn(layout, aUsedTicket(), aLegOf());
    const other = { ...aLegOf(), [table.type]: { S: 'Note' } };
    beforeFirstUpdate(cruise, () => cruise.table.put(other));

    expect(await cruise.run()).toMatchObject([{ stored: 1, kinds: { Leg: { swept: 0 } } }]);
    expect(cruise.table.items()).toContainEqual(other);
    expect(cruise.archive.keys().filter((key) => key.includes('/Leg/'))).toEqual([]);
  });

  // 32 of them are the 8 MB of a step.
  const Log = 'x'.repeat(256 * 1024 - itemSize(aLegOf('t', 10, { Log: '' })));
  const legs = Array.from({ length: 33 }, (_, index) => aLegOf('t', 10 + index, { Log }));

  test('a group that does not fit into memory is swept in steps', async () => {
    const cruise = sweepIn(layout, aUsedTicket(), ...legs);
    const reads = recordedReads(cruise);

    expect(await cruise.run()).toMatchObject([
      { stored: 34, kinds: { Ticket: { swept: 1 }, Leg: { swept: 33 } } },
    ]);
    for (const leg of legs) expect(expiryOf(cruise, leg)).toEqual(inAWeek);
    // The root; in a batch all states to archive.
    expect(reads).toEqual(layout === 'batch' ? [1, 1, 32, 1] : [1]);
  });

  test('a group that does not fit into memory loses no change of an item', async () => {
    const cruise = sweepIn(layout, aUsedTicket(), ...legs);
    const changed = aLegOf('t', 42, { Log, PortId: 'q' });
    beforeFirstUpdate(cruise, () => {
      cruise.table.put(changed);
      cruise.table.delete(keyIn(aLegOf('t', 41)));
    });

    await cruise.run();

    expect(expiryOf(cruise, changed)).toEqual(inAWeek);
    expect(
      layout === 'batch' ? archivedIn(cruise) : [archivedDigest(cruise, 'Leg', keyIn(changed))],
    ).toContain(digestOf(changed));
  });
});

/** The digests of the items in all batches. */
function archivedIn({ archive }: CruiseSweep): string[] {
  return archive.keys().flatMap((objectKey) => {
    const text = gunzipSync(archive.current(objectKey)?.bytes ?? '').toString();
    return text
      .trimEnd()
      .split('\n')
      .map((line) => digestOf(itemInBody(line)));
  });
}
