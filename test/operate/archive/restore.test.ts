import { describe, expect, test } from 'vitest';
import { DenormError, FatalError } from '../../../src/model/basics/errors.ts';
import type { RestoreOutcome } from '../../../src/operate/archive/restore.ts';
import { bodyOf, objectKeyOf, restoredKeyOf, restoredMark } from '../../../src/worker/archive/object.ts';
import type { ArchiveReader } from '../../../src/worker/archive/ports.ts';
import { Budget } from '../../../src/worker/budget.ts';
import { aUsedOrder, days } from '../../fixtures/world/aging.ts';
import { layouts, WorldArchive, watchedReader, withDetails } from '../../fixtures/world/archive.ts';
import { anIncident, anOrder, anOrderItem } from '../../fixtures/world/items.ts';
import { Restore, withoutExpiry } from '../../fixtures/world/restore.ts';
import { expiryOf, inAWeek, WorldSweep } from '../../fixtures/world/sweep.ts';
import { keyIn } from '../../fixtures/world/worker.ts';

const order = anOrder({ EndsAt: 1_000 });

function which(outcomes: readonly RestoreOutcome[]) {
  return outcomes.map(({ is, kind, key }) => [is, kind, key?.sk]);
}

describe.each(layouts)('an expired item in the layout %s', (layout) => {
  test('is restored in the chosen state', async () => {
    const world = new WorldArchive({ layout });
    await world.expired(order);
    await world.expired(anOrder({ EndsAt: 2_000, Total: 3 }));

    await new Restore(world).run({ choose: ([first]) => first });

    expect(world.table.read(keyIn(order))).toEqual(withoutExpiry(order));
  });

  test('is marked as restored before it is put, so that no sweep archives it again', async () => {
    const world = new WorldArchive({ layout });
    await world.expired(order);
    const restoring = new Restore(world);
    const noteKey = restoredKeyOf('Order', keyIn(order));
    const noted: boolean[] = [];
    restoring.put.before = () => noted.push(restoring.notes.texts.has(noteKey));

    await restoring.run();

    expect(noted).toEqual([true]);
    expect(restoring.notes.texts.get(noteKey)).toBe(restoredMark(restoring.clock.now()));
  });

  test('is skipped if the table has an item with its key, at the cost of a read', async () => {
    const world = new WorldArchive({ layout });
    await world.expired(order);
    const anew = anOrder({ Total: 1 });
    world.table.put(anew);
    const restoring = new Restore(world);

    expect(which(await restoring.run())).toEqual([['exists', 'Order', 'ORDER']]);
    expect(world.table.read(keyIn(anew))).toEqual(anew);
    expect(restoring.put.puts).toBe(0);
    expect(restoring.notes.texts.size).toBe(0);
  });

  test('is skipped if another item is put between the read and the put', async () => {
    const world = new WorldArchive({ layout });
    await world.expired(order);
    const anew = anOrder({ Total: 1 });
    const restoring = new Restore(world);
    restoring.put.before = () => world.table.put(anew);

    expect(which(await restoring.run())).toEqual([['exists', 'Order', 'ORDER']]);
    expect(world.table.read(keyIn(anew))).toEqual(anew);
  });

  test('is only counted in a dry run', async () => {
    const world = new WorldArchive({ layout, storageClass: 'GLACIER' });
    await world.expired(order);
    const restoring = new Restore(world);

    expect(await restoring.run({ dryRun: true })).toMatchObject([
      { is: 'restored', kind: 'Order', storageClass: 'GLACIER', retrieval: true },
    ]);
    expect(world.table.read(keyIn(order))).toBeUndefined();
    expect([restoring.put.puts, restoring.notes.texts.size]).toEqual([0, 0]);
  });
});

describe('many items', () => {
  const orderItems = Array.from({ length: 250 }, (_, number) =>
    anOrderItem({ Sort: `ITEM#${number}`, EndsAt: 1_000 }),
  );

  test.each(layouts)(
    'are restored together in the layout %s, limited to a time and a prefix on request',
    async (layout) => {
      const world = new WorldArchive({ layout });
      await world.expired(...orderItems, order, anIncident({ EndsAt: 1_000 }));

      const outcomes = await new Restore(world).run({}, { kinds: ['OrderItem'], skBegins: 'ITEM#1' });

      expect(outcomes).toHaveLength(111);
      expect(new Set(outcomes.map(({ is }) => is))).toEqual(new Set(['restored']));
      expect(world.table.items()).toHaveLength(111);
    },
  );

  test('are looked up in the table a hundred at a time', async () => {
    const world = new WorldArchive();
    await world.expired(...orderItems);
    const looks: number[] = [];
    world.worker.port.before = (request) => {
      if (request.kind === 'getMany') looks.push(request.keys.length);
    };

    await new Restore(world).run();

    expect(looks).toEqual([100, 100, 50]);
  });

  test('are put within the budget', async () => {
    const world = new WorldArchive();
    await world.expired(...orderItems);
    const restoring = new Restore(world);
    const began = restoring.clock.now();

    await restoring.run({ writes: new Budget(50, restoring.clock) });

    const seconds = (restoring.clock.now() - began) / 1_000;
    expect(restoring.put.units).toBe(500);
    expect(restoring.put.units / seconds).toBeLessThanOrEqual(55);
    expect(seconds).toBeLessThan(12);
  });

  test('continue after a run that was stopped', async () => {
    const world = new WorldArchive();
    await world.expired(...orderItems);
    const first = new Restore(world);
    await first.run({ stop: () => first.put.puts >= 120 });
    const second = new Restore(world);
    await second.run();

    expect(first.put.puts).toBeGreaterThanOrEqual(120);
    expect(first.put.puts).toBeLessThan(120 + 16);
    expect(first.listed).toBeLessThan(250);
    expect(first.put.puts + second.put.puts).toBe(250);
    expect(world.table.items()).toHaveLength(250);
  });
});

describe('an item that cannot be restored', () => {
  test('is reported, and the others are restored', async () => {
    const world = new WorldArchive();
    const other = anOrder({ Part: 'ORDER#u', EndsAt: 1_000 });
    await world.expired(order, other);
    const { reader } = watchedReader(world.reader(), (request) => {
      if (/^read .*%23u/.test(request)) throw new DenormError('archive.damaged', 'Expected another');
    });

    const outcomes = await new Restore(world).run({ reader });

    expect(outcomes.map(({ is, error }) => [is, error?.code])).toEqual(
      [
        ['failed', 'archive.damaged'],
        ['restored', undefined],
      ].toSorted(),
    );
    expect(world.table.items()).toEqual([withoutExpiry(order)]);
  });

  test('is an item without a state that matches the choice', async () => {
    const world = new WorldArchive();
    await world.expired(order);

    expect(which(await new Restore(world).run({ choose: () => undefined }))).toEqual([
      ['none', 'Order', 'ORDER'],
    ]);
  });

  test('is an item that DynamoDB refuses', async () => {
    const world = new WorldArchive();
    await world.expired(order);
    const restoring = new Restore(world);
    restoring.put.putIfAbsent = async () => ({ outcome: 'refused', units: 1 });

    expect(await restoring.run()).toMatchObject([
      { is: 'failed', error: { code: 'table.refused', key: keyIn(order) } },
    ]);
  });

  test.each([
    ['another sort key', { ...order, Sort: { S: 'OTHER' } }],
    ['no key', { Kind: { S: 'Order' } }],
  ])('is an object whose item has %s', async (_, item) => {
    const world = new WorldArchive();
    await world.archived(order);
    const reader: ArchiveReader = {
      ...withDetails(world.reader(), (details) => ({ ...details, digest: undefined })),
      read: async () => Buffer.from(bodyOf(item, new Uint8Array())),
    };

    const [outcome] = await new Restore(world).run({ reader, overwrite: true });

    const message = expect.stringContaining('found another item');
    expect(outcome).toMatchObject({ is: 'failed', error: { code: 'archive.other-item', message } });
  });

  test('because its put is denied ends the run; its note makes a sweep wait for an age', async () => {
    const archive = new WorldArchive();
    await archive.expired(aUsedOrder('t', { EndsAt: 1_000 }));
    const restoring = new Restore(archive);
    restoring.put.before = () => {
      throw new FatalError('aws.denied', 'PutItem was denied');
    };
    await expect(restoring.run()).rejects.toThrow('PutItem was denied');
    const anew = aUsedOrder();
    const world = new WorldSweep([anew]);
    for (const note of restoring.notes.texts) world.notes.texts.set(...note);

    await world.run();
    expect(world.table.items()).toEqual([anew]);
    await world.clock.sleep(days * 86_400_000);
    await world.run();
    expect(expiryOf(world, anew)).toEqual({ N: String(Number(inAWeek.N) + days * 86_400) });
    expect(world.archive.keys()).toEqual([objectKeyOf('Order', keyIn(anew))]);
  });
});
