import { describe, expect, test } from 'vitest';
import { TransientError } from '../../../src/model/basics/errors.ts';
import type { Item } from '../../../src/model/items/item.ts';
import { lineStates } from '../../../src/operate/archive/listed-states.ts';
import { listItems } from '../../../src/operate/archive/read-states.ts';
import { archiveLines } from '../../../src/worker/archive/archive-lines.ts';
import { objectKeyOf } from '../../../src/worker/archive/object.ts';
import type { ArchiveReader } from '../../../src/worker/archive/ports.ts';
import { table } from '../../fixtures/model/table.ts';
import {
  collected,
  itemsOf,
  statesOf,
  WorldArchive,
  watchedReader,
  withDetails,
} from '../../fixtures/world/archive.ts';
import { anOrder, anOrderItem } from '../../fixtures/world/items.ts';
import { order } from '../../fixtures/world/kinds.ts';
import { keyIn } from '../../fixtures/world/worker.ts';

const key = keyIn(anOrder());

describe('a listing of the archive', () => {
  test('yields an item as soon as the next one is listed', async () => {
    const world = new WorldArchive();
    for (const id of ['a', 'b', 'c']) await world.archived(expiring({ Part: `ORDER#${id}` }));
    const { reader, asked } = watchedReader(world.reader(1));
    const items = listItems(reader, table);

    expect((await items.next()).value).toMatchObject({ key: { pk: 'ORDER#a' } });
    expect(asked.filter((request) => request === 'list archive/')).toHaveLength(2);
    await items.return(undefined);
  });

  test('ignores objects that other programs put below its prefixes', async () => {
    const world = new WorldArchive();
    for (const objectKey of ['archive/Order/notes.txt', 'manifests/Order/notes.txt'])
      world.objects.store(objectKey, { body: 'not one of ours', digest: '' }, undefined);
    await world.archived(expiring());

    expect((await collected(listItems(world.reader(), table))).map((item) => item.key)).toEqual([key]);
    expect(await statesOf(world.reader(), 'Order', key)).toHaveLength(1);
  });

  test('reads no object’s metadata if an item has only versions', async () => {
    const world = new WorldArchive();
    for (const total of [1, 2]) await world.archived(expiring({ Total: total }));
    const { reader, asked } = watchedReader(world.reader());
    const [item] = await collected(listItems(reader, table));

    expect(item?.states).toHaveLength(2);
    expect(asked).toEqual(['list manifests/', 'list archive/']);
    asked.length = 0;
    await statesOf(reader, 'Order', key);
    expect(asked).toEqual(['list manifests/Order/', `list ${objectKeyOf('Order', key)}`]);
  });

  test('omits items that were erased after they were listed', async () => {
    const world = new WorldArchive();
    await world.archived(expiring());
    world.table.put(expiring({ Total: 1 }));
    world.records();
    world.table.expire(key);
    await world.archive();
    const reader: ArchiveReader = { ...world.reader(), details: async () => undefined };

    expect(await collected(listItems(reader, table))).toEqual([]);
  });
});

describe('the states of an item', () => {
  test('that were put within a second are in the order of their puts', async () => {
    const world = new WorldArchive();
    for (const total of [1, 2, 3]) await world.archived(expiring({ Total: total }));
    const inner = world.reader();
    const reader: ArchiveReader = {
      ...inner,
      async list(prefix, from) {
        const { versions, next } = await inner.list(prefix, from);
        return { versions: versions.map((version) => ({ ...version, archivedAt: 1_000 })), next };
      },
    };

    expect(await pricesOf(reader)).toEqual([1, 2, 3]);
  });

  test('that a sweep put into batches are in the order of their puts', async () => {
    const world = new WorldArchive({ layout: 'batch' });
    await world.archived(expiring({ Total: 1 }));
    for (const total of [2, 3, 4, 5]) await sweptInto(world, expiring({ Total: total }));

    expect(await pricesOf(world.reader())).toEqual([1, 2, 3, 4, 5]);
  });
});

describe('an item whose key is neither in its object’s key nor in the metadata', () => {
  const long = anOrderItem({ Sort: `ITEM#${'🐻'.repeat(250)}`, EndsAt: 1 });

  test('has the key from its body', async () => {
    const world = new WorldArchive();
    await world.archived(long);

    expect(await itemsFound(withoutKeys(world.reader()))).toEqual([keyIn(long)]);
  });

  test('is listed without a key if it was erased in the meantime', async () => {
    const world = new WorldArchive();
    await world.archived(long);
    const { list } = world.reader();
    const reader: ArchiveReader = { ...new WorldArchive().reader(), list };

    expect(await itemsFound(reader)).toEqual([undefined]);
  });

  test('stops the listing if the archive does not answer', async () => {
    const world = new WorldArchive();
    await world.archived(long);
    const reader: ArchiveReader = {
      ...withoutKeys(world.reader()),
      read: async () => {
        throw new TransientError('aws.throttled', 'was throttled');
      },
    };

    await expect(itemsFound(reader)).rejects.toMatchObject({ code: 'aws.throttled' });
  });
});

test('the lines of batches are each listed once, of sixteen manifests at a time', async () => {
  const world = new WorldArchive({ layout: 'batch' });
  for (let id = 0; id < 33; id += 1) await world.archived(expiring({ Part: `ORDER#${id}` }));
  const inner = world.reader();
  let reading = 0;
  let most = 0;
  const reader: ArchiveReader = {
    ...inner,
    async read(objectKey) {
      reading += 1;
      most = Math.max(most, reading);
      await Promise.resolve();
      reading -= 1;
      return inner.read(objectKey);
    },
  };

  const lines = await collected(lineStates(reader, { kinds: ['Order'] }));

  expect(new Set(lines.map((line) => line.key.pk)).size).toBe(33);
  expect(lines).toHaveLength(33);
  expect(most).toBe(16);
});

function expiring(attributes: Parameters<typeof anOrder>[0] = {}): Item {
  return anOrder({ EndsAt: 1_000, ...attributes });
}

/** Puts a state into a batch without a record. */
async function sweptInto({ worker }: WorldArchive, item: Item): Promise<void> {
  const state = { key: keyIn(item), item, sequence: 0n, final: false, at: undefined };
  await archiveLines(worker.archiveContext, { storageClass: undefined }, order, [state]);
}

/** The prices in the order’s states, in their order. */
async function pricesOf(reader: ArchiveReader) {
  const items = await itemsOf(reader, await statesOf(reader, 'Order', key));
  return items.map(({ Total }) => Number(Total && 'N' in Total ? Total.N : undefined));
}

async function itemsFound(reader: ArchiveReader) {
  return (await collected(listItems(reader, table))).map((item) => item.key);
}

/** A reader of objects whose metadata could not hold their items' keys. */
function withoutKeys(inner: ArchiveReader): ArchiveReader {
  return withDetails(inner, (details) => ({ ...details, of: undefined }));
}
