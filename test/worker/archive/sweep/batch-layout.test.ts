import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { makeRegistry } from '../../../../src/model/registry.ts';
import { digestOf } from '../../../../src/worker/archive/object.ts';
import { aLegOf, aUsedTicket, ticketsAge } from '../../../fixtures/cruises/cruise-aging.ts';
import {
  archivedDigest,
  beforeFirstUpdate,
  CruiseSweep,
  expiryOf,
  inAWeek,
  killedAt,
} from '../../../fixtures/cruises/cruise-sweep.ts';
import { keyIn } from '../../../fixtures/cruises/cruise-worker.ts';
import { table } from '../../../fixtures/model/table.ts';

describe('a rule with the layout batch', () => {
  test('archives many items as lines of a few objects before they get an expiry', async () => {
    const items = Array.from({ length: 100 }, (_, index) => [
      aUsedTicket(`t${index}`),
      aLegOf(`t${index}`),
    ]).flat();
    const cruise = new CruiseSweep(items, makeRegistry(table, [], [{ ...ticketsAge, layout: 'batch' }]));

    const [report] = await cruise.run();

    expect(cruise.archive.keys()).toHaveLength(2);
    const lines = cruise.archive.keys().flatMap((key) => linesOf(cruise, key));
    expect(lines.toSorted()).toEqual(items.map(digestOf).toSorted());
    expect(report).toMatchObject({ stored: 200, kinds: { Ticket: { swept: 100 }, Leg: { swept: 100 } } });
  });

  test('gives an item that changed in the meantime its expiry as a separate line', async () => {
    const cruise = new CruiseSweep(
      [aUsedTicket(), aLegOf()],
      makeRegistry(table, [], [{ ...ticketsAge, layout: 'batch' }]),
    );
    const dearer = aUsedTicket('t', { Price: 1 });
    beforeFirstUpdate(cruise, () => cruise.table.put(dearer));

    await cruise.run();

    expect(expiryOf(cruise, dearer)).toEqual(inAWeek);
    expect(cruise.archive.keys().flatMap((key) => linesOf(cruise, key))).toContain(digestOf(dearer));
  });
});

test.each([
  ['object', [25, 25, 10]],
  ['batch', [60]],
] as const)('the roots of a page are held in groups in the layout %s: %j', async (layout, sizes) => {
  const items = Array.from({ length: 60 }, (_, index) => aUsedTicket(`t${index}`));
  const cruise = new CruiseSweep(items, makeRegistry(table, [], [{ ...ticketsAge, layout }]));
  const looks: number[] = [];
  cruise.port.before = (request) => {
    if (request.kind === 'getMany') looks.push(request.keys.length);
  };

  await cruise.run();

  expect(looks).toEqual(sizes);
});

test.each(['object', 'batch'] as const)(
  'a state that a killed sweep archived is not counted as stored again in the layout %s',
  async (layout) => {
    const registry = makeRegistry(table, [], [{ ...ticketsAge, layout }]);
    const cruise = new CruiseSweep([aUsedTicket(), aLegOf()], registry);
    await killedAt(cruise, 'update', 1);

    expect(await cruise.run()).toMatchObject([{ stored: 0, kinds: { Ticket: { swept: 1 } } }]);
  },
);

describe.each(['object', 'batch'] as const)(
  'a group that does not fit into memory, in the layout %s',
  (layout) => {
    const registry = makeRegistry(table, [], [{ ...ticketsAge, layout }]);
    const Log = 'x'.repeat(300_000);
    const legs = Array.from({ length: 22 }, (_, index) => aLegOf('t', 10 + index, { Log }));

    test('is read again in steps, and all of it is swept', async () => {
      const cruise = new CruiseSweep([aUsedTicket(), ...legs], registry);
      const looks: number[] = [];
      cruise.port.before = (request) => {
        if (request.kind === 'getMany') looks.push(request.keys.length);
      };

      expect(await cruise.run()).toMatchObject([
        { stored: 23, kinds: { Ticket: { swept: 1 }, Leg: { swept: 22 } } },
      ]);

      for (const leg of legs) expect(expiryOf(cruise, leg)).toEqual(inAWeek);
      // The root; in a batch the legs that were not kept, ten at a time, to archive them, and in both to give them an expiry.
      expect(looks).toEqual(layout === 'batch' ? [1, 10, 3, 10, 3] : [1, 10, 3]);
    });

    test('loses no change of an item that was not kept', async () => {
      const cruise = new CruiseSweep([aUsedTicket(), ...legs], registry);
      const changed = aLegOf('t', 31, { Log, PortId: 'q' });
      beforeFirstUpdate(cruise, () => {
        cruise.table.put(changed);
        cruise.table.delete(keyIn(aLegOf('t', 30)));
      });

      await cruise.run();

      expect(expiryOf(cruise, changed)).toEqual(inAWeek);
      const archived =
        layout === 'batch'
          ? cruise.archive.keys().flatMap((key) => linesOf(cruise, key))
          : [archivedDigest(cruise, 'Leg', keyIn(changed))];
      expect(archived).toContain(digestOf(changed));
    });
  },
);

/** The digests of the items in an object, one per line. */
function linesOf(cruise: CruiseSweep, objectKey: string): string[] {
  const { bytes } = cruise.archive.current(objectKey) ?? {};
  const text = gunzipSync(bytes ?? new Uint8Array()).toString();
  return text
    .trimEnd()
    .split('\n')
    .map((line) => digestOf(JSON.parse(line).Item));
}
