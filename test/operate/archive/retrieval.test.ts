import { describe, expect, test } from 'vitest';
import { DenormError, TransientError } from '../../../src/model/basics/errors.ts';
import { retrieval } from '../../../src/operate/archive/retrieval.ts';
import type { Retrieval as Readability, RetrievalTier } from '../../../src/worker/archive/ports.ts';
import { table } from '../../fixtures/model/table.ts';
import { layouts, listedStates, WorldArchive, withDetails } from '../../fixtures/world/archive.ts';
import { anOrder, anOrderItem } from '../../fixtures/world/items.ts';
import { Restore, SlowGlacier, told, withoutExpiry } from '../../fixtures/world/restore.ts';
import { keyIn } from '../../fixtures/world/worker.ts';

const order = anOrder({ EndsAt: 1_000 });
const orderItem = anOrderItem({ EndsAt: 1_000 });

describe.each(layouts)('an item in Glacier, in the layout %s,', (layout) => {
  test('is requested once, and is restored when the same command runs later', async () => {
    const { world, glacier, run } = await frozen(layout);

    const first = await run();
    const second = await run();
    glacier.thaw();
    const third = await run();

    expect(told(first)).toEqual(['requested', 'requested']);
    expect(first[0]?.storageClass).toBe('GLACIER');
    expect(told(second)).toEqual(['requested', 'requested']);
    expect(told(third)).toEqual(['restored', 'restored']);
    expect(glacier.requests).toBe(2);
    expect(world.table.read(keyIn(order))).toEqual(withoutExpiry(order));
  });

  test('is restored at once if it is readable at once', async () => {
    const { world } = await frozen(layout);

    expect(told(await new Restore(world).run())).toEqual(['restored', 'restored']);
  });

  test('is reported as missing if it disappears between the read and the request', async () => {
    const { glacier, run } = await frozen(layout);
    let isRead = false;
    glacier.before = (request) => {
      isRead ||= request === 'read';
      glacier.isGone = () => isRead && request === 'details';
    };

    expect(told(await run())).toEqual(['failed: archive.missing', 'failed: archive.missing']);
    expect(glacier.requests).toBe(0);
  });

  test('is not requested if its read fails for another reason', async () => {
    const { glacier, run } = await frozen(layout);
    glacier.before = (request) => {
      if (request === 'read') throw new DenormError('archive.damaged', 'Expected another');
    };

    expect(told(await run())).toEqual(['failed: archive.damaged', 'failed: archive.damaged']);
    expect(glacier.requests).toBe(0);
  });
});

describe('a dry run', () => {
  test.each<[Readability, true | undefined]>([
    ['none', undefined],
    ['needed', true],
    ['under-way', true],
    ['readable', undefined],
  ])(
    'reports whether an item must come out of Glacier: with the retrieval %s, %s',
    async (retrieval, must) => {
      const { glacier, run } = await frozen('batch');
      const reader = withDetails(glacier.reader, (details) => ({ ...details, retrieval }));

      const [outcome] = await run({ reader, dryRun: true });

      expect(outcome).toMatchObject({ is: 'restored', storageClass: 'GLACIER' });
      expect(outcome?.retrieval).toBe(must);
    },
  );

  test('reports a listed object that is gone', async () => {
    const { glacier, run } = await frozen('batch');
    glacier.isGone = () => true;

    const outcomes = await run({ dryRun: true });
    expect(told(outcomes)).toEqual(['failed: archive.missing', 'failed: archive.missing']);
    expect(outcomes[0]?.error?.message).toMatch(/^Expected the archive to hold .*, found no such object$/);
  });
});

describe('a batch in Glacier', () => {
  const orderItems = Array.from({ length: 150 }, (_, number) =>
    anOrderItem({ Sort: `ITEM#${number}`, EndsAt: 1 }),
  );

  test('is requested once, for all its lines', async () => {
    const { glacier, run } = await frozen('batch', orderItems);

    expect(told(await run())).toEqual(orderItems.map(() => 'requested'));
    expect(glacier.requests).toBe(glacier.asked.size);
  });

  test('is requested again after a temporary failure', async () => {
    const { glacier, run } = await frozen('batch');
    let hasFailed = false;
    glacier.before = (request) => {
      if (hasFailed || request !== 'retrieve') return;
      hasFailed = true;
      throw new TransientError('aws.throttled', 'was throttled');
    };

    expect(told(await run())).toEqual(['requested', 'requested']);
  });
});

test('an item with its key only in its body is restored from Glacier', async () => {
  const long = anOrder({ Part: `ORDER#${'t'.repeat(1_500)}`, EndsAt: 1_000 });
  const { world, glacier, run } = await frozen('object', [long]);
  const reader = withDetails(glacier.reader, (details) => ({ ...details, of: undefined }));

  expect(await run({ reader })).toMatchObject([{ is: 'requested', key: undefined }]);
  // It thaws between the listing and the restore.
  let reads = 0;
  glacier.before = (request) => {
    reads += request === 'read' ? 1 : 0;
    if (reads > 1) glacier.thaw();
  };
  expect(await run({ reader })).toMatchObject([{ is: 'restored', key: keyIn(long) }]);
  expect(world.table.read(keyIn(long))).toEqual(withoutExpiry(long));
});

describe('the request for an object', () => {
  test.each<['GLACIER' | 'DEEP_ARCHIVE', RetrievalTier]>([
    ['GLACIER', 'Expedited'],
    ['DEEP_ARCHIVE', 'Standard'],
  ])('is by the chosen tier: out of %s by %s, and under way afterwards', async (storageClass, tier) => {
    const { glacier, state } = await oneFrozen(storageClass);
    const asked: unknown[] = [];
    const reader = {
      ...glacier.reader,
      retrieve: async (...request: Parameters<typeof glacier.reader.retrieve>) => {
        asked.push(request.slice(2));
        await glacier.reader.retrieve(...request);
      },
    };
    const read = retrieval(reader, { tier, days: 2 });

    expect(await read(state)).toEqual({ requested: 'now', storageClass });
    expect(await read(state)).toEqual({ requested: 'earlier', storageClass });
    glacier.thaw();
    expect(await read(state)).toEqual({ item: order });
    expect(asked).toEqual([[2, tier]]);
  });

  test('counts as made if the object does not say so yet', async () => {
    const { glacier, state } = await oneFrozen('GLACIER');
    const reader = withDetails(glacier.reader, (details) => ({ ...details, retrieval: 'needed' }));

    expect(await retrieval(reader, { tier: 'Bulk', days: 1 })(state)).toMatchObject({ requested: 'now' });
  });

  test('is not made for an object that has become readable since it was read', async () => {
    const { glacier, state } = await oneFrozen('GLACIER');
    let isRead = false;
    glacier.before = (request, objectKey) => {
      if (isRead) glacier.asked.add(objectKey);
      if (isRead) glacier.thaw();
      isRead ||= request === 'read';
    };

    const read = retrieval(glacier.reader, { tier: 'Standard', days: 1 });

    expect(await read(state)).toEqual({ item: order });
    expect(glacier.requests).toBe(0);
  });

  test('is refused as expedited out of DEEP_ARCHIVE', async () => {
    const { glacier, state } = await oneFrozen('DEEP_ARCHIVE');

    await expect(retrieval(glacier.reader, { tier: 'Expedited', days: 1 })(state)).rejects.toMatchObject({
      code: 'usage.tier',
      message: expect.stringContaining('use --tier Standard or --tier Bulk'),
    });
  });
});

/** Expired items in Glacier, which are not readable before it thaws. */
async function frozen(
  layout: 'object' | 'batch',
  items = [order, orderItem],
  storageClass: 'GLACIER' | 'DEEP_ARCHIVE' = 'GLACIER',
) {
  const world = new WorldArchive({ layout, storageClass });
  await world.expired(...items);
  const restoring = new Restore(world);
  const glacier = new SlowGlacier(world.reader());
  const run = (settings: Parameters<Restore['run']>[0] = {}) =>
    restoring.run({ reader: glacier.reader, ...settings });
  return { world, glacier, run };
}

async function oneFrozen(storageClass: 'GLACIER' | 'DEEP_ARCHIVE') {
  const { glacier } = await frozen('object', [order], storageClass);
  const [state] = await listedStates(glacier.reader, table);
  if (state === undefined) throw new Error('Expected a state');
  return { glacier, state };
}
