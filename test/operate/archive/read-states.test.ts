import { describe, expect, test } from 'vitest';
import { TransientError } from '../../../src/model/basics/errors.ts';
import { afterAll } from '../../../src/model/items/change.ts';
import type { Item } from '../../../src/model/items/item.ts';
import type { ArchiveRuleSpec } from '../../../src/model/rules/archive-rule.ts';
import { lineStates, type StateFilter } from '../../../src/operate/archive/listed-states.ts';
import {
  type ArchivedItem,
  described,
  keepingBatches,
  listItems,
  readState,
} from '../../../src/operate/archive/read-states.ts';
import { archiveBatch } from '../../../src/worker/archive/archive-batch.ts';
import { archiveLines } from '../../../src/worker/archive/archive-lines.ts';
import { objectKeyOf } from '../../../src/worker/archive/object.ts';
import type { ArchiveReader } from '../../../src/worker/archive/ports.ts';
import { table } from '../../fixtures/model/table.ts';
import {
  collected,
  itemsOf,
  layouts,
  listedStates,
  statesOf,
  WorldArchive,
  watchedReader,
  withDetails,
} from '../../fixtures/world/archive.ts';
import { anIncident, anOrder, anOrderItem } from '../../fixtures/world/items.ts';
import { order } from '../../fixtures/world/kinds.ts';
import { keyIn } from '../../fixtures/world/worker.ts';

const key = keyIn(anOrder());

describe.each(layouts)('the archive in the layout %s', (layout) => {
  function opened(spec: Partial<ArchiveRuleSpec> = {}): WorldArchive {
    return new WorldArchive({ layout, ...spec });
  }

  test('contains one state of an item that ended in its archived state', async () => {
    const world = opened();
    await world.expired(expiring());

    const states = await statesOf(world.reader(), 'Order', key);
    expect(states.map(({ final }) => final)).toEqual([layout === 'batch']);
    expect(await itemsOf(world.reader(), states)).toEqual([expiring()]);
  });

  test('orders a life whose records are late before one archived meanwhile', async () => {
    const world = opened();
    await world.archived(expiring({ Total: 1 }));
    world.table.put(expiring({ Total: 2 }));
    world.table.expire(key);
    const late = world.worker.archiveStream.take();
    await world.archived(expiring({ Total: 3 }));
    await archiveBatch(world.worker.archiveContext, late);

    const states = await statesOf(world.reader(), 'Order', key);
    const held = await itemsOf(world.reader(), states);
    expect(held.map(({ Total }) => Total)).toEqual([{ N: '1' }, { N: '2' }, { N: '3' }]);
    expect(await collected(listItems(world.reader(), table))).toEqual([{ kind: 'Order', key, states }]);
  });

  test('lists the states of many items, by kind, by key and by time', async () => {
    const world = opened();
    const orders = ['a', 'ab', 'b'].map((id) => expiring({ Part: `ORDER#${id}` }));
    await world.archived(...orders, anOrderItem({ Part: 'ORDER#ab', EndsAt: 1 }), anIncident({ EndsAt: 1 }));
    const times = (await keysListed(world, {})).length;

    expect(times).toBe(5);
    expect(await keysListed(world, { kinds: ['Order'] })).toEqual(orders.map(keyIn));
    expect(await keysListed(world, { pkBegins: 'ORDER#a' })).toHaveLength(3);
    expect(await keysListed(world, { kinds: ['Order'], pkBegins: 'ORDER#a' })).toHaveLength(2);
    expect(await keysListed(world, { kinds: ['Order', 'OrderItem'], skBegins: 'ITEM#' })).toHaveLength(1);
    expect(await keysListed(world, { kinds: [] })).toEqual([]);
    expect(await keysListed(world, { kinds: ['None'] })).toEqual([]);
    const [first] = await listedStates(world.reader(), table);
    const at = first?.archivedAt ?? 0;
    expect(await keysListed(world, { from: at, until: at + 1 })).not.toEqual([]);
    expect(await keysListed(world, { from: at, until: at })).toEqual([]);
    expect(await keysListed(world, { until: 1 })).toEqual([]);
    expect(await keysListed(world, { from: Date.UTC(2100, 0, 1) })).toEqual([]);
  });

  test('lists items together with their states of every life', async () => {
    const world = opened();
    // One key is a prefix of another, so that their listings mix.
    const ids = ['a', 'a.json', 'a.json.5', 'a0', '🐻', '..'];
    for (const total of [1, 2])
      for (const id of ids) {
        world.table.put(expiring({ Total: total, Part: 'ORDER#t', Sort: 'ORDER' }));
        world.table.put(anOrderItem({ Sort: `ITEM#${id}`, ProductId: String(total), EndsAt: 1 }));
        world.table.expire(keyIn(anOrderItem({ Sort: `ITEM#${id}` })));
      }
    await world.worker.archiveRest();

    const items = await collected(listItems(world.reader(), table, { kinds: ['OrderItem'] }));
    expect(items.map((item) => item.key?.sk).sort()).toEqual(ids.map((id) => `ITEM#${id}`).sort());
    for (const item of items) {
      const held = await itemsOf(world.reader(), item.states);
      expect(held.map(({ ProductId }) => ProductId)).toEqual([{ S: '1' }, { S: '2' }]);
      expect(await statesOf(world.reader(), 'OrderItem', must(item.key))).toEqual(item.states);
    }
  });

  test('lists more lines than are held at once in parts, each item once and whole', async () => {
    const world = opened();
    for (const id of ['1', '2', '3', '4', '5'])
      await world.archived(expiring({ Part: `ORDER#${id}`, Total: 1 }));
    for (const id of ['2', '4']) await world.archived(expiring({ Part: `ORDER#${id}`, Total: 2 }));
    await world.archived(anIncident({ EndsAt: 1 }));
    const { reader, asked } = watchedReader(world.reader());
    const byKey = (items: readonly ArchivedItem[]) =>
      items.toSorted((a, b) => ((a.key?.pk ?? '') < (b.key?.pk ?? '') ? -1 : 1));

    const atOnce = await collected(listItems(world.reader(), table, {}));
    const inParts = await collected(listItems(reader, table, {}, 2));

    expect(atOnce).toHaveLength(6);
    expect(byKey(inParts)).toEqual(byKey(atOnce));
    // Seven lines in seven batches: counted, then four parts.
    expect(asked.filter((request) => request.startsWith('read manifests/'))).toHaveLength(
      layout === 'batch' ? 7 * 5 : 0,
    );
  });

  test('finds items whose keys are too long for S3', async () => {
    const world = opened();
    const long = anOrderItem({ Sort: `ITEM#${'🐻'.repeat(250)}`, EndsAt: 1 });
    await world.archived(long, anOrderItem({ Sort: 'ITEM#x', EndsAt: 1 }));

    const found = await collected(
      listItems(world.reader(), table, { kinds: ['OrderItem'], pkBegins: 'ORDER#', skBegins: 'ITEM#🐻' }),
    );
    expect(found.map((item) => item.key)).toEqual([keyIn(long)]);
    expect(await itemsOf(world.reader(), found[0]?.states ?? [])).toEqual([long]);
    expect(await statesOf(world.reader(), 'OrderItem', keyIn(long))).toHaveLength(1);
    expect(await keysListed(world, { kinds: ['OrderItem'] })).toHaveLength(2);
  });

  test('names the item of a state in Glacier, even if its key is too long for S3', async () => {
    const world = opened({ storageClass: 'DEEP_ARCHIVE' });
    const long = anOrderItem({ Sort: `ITEM#${'🐻'.repeat(250)}`, EndsAt: 1 });
    await world.archived(long);

    expect(await keysListed(world, { pkBegins: 'ORDER#' })).toEqual([keyIn(long)]);
  });

  test('reports an item that does not match the digest of an object that was only listed', async () => {
    const world = opened();
    await world.archived(expiring());
    const [listed] = await listedStates(world.reader(), table);
    const another = Buffer.from('{"Item":{"Kind":{"S":"Order"}}}');

    await expect(
      readState({ ...world.reader(), read: async () => another }, must(listed)),
    ).rejects.toMatchObject({ code: 'archive.damaged' });
  });

  test('reports a state that was erased after it was listed', async () => {
    const world = opened();
    await world.archived(expiring());
    const [state] = await listedStates(world.reader(), table);
    for (const objectKey of world.worker.archive.keysBelow(''))
      await world.worker.archive.erase(objectKey, afterAll);

    await expect(readState(world.reader(), must(state))).rejects.toMatchObject({ code: 'archive.missing' });
    if (layout === 'object') expect(await described(world.reader(), must(state))).toBeUndefined();
  });
});

describe('a batch that differs from what was put', () => {
  test.each([1, 2])('is damaged if it lacks line %i', async (line) => {
    const world = new WorldArchive({ layout: 'batch' });
    await world.archived(expiring());
    const [state] = await statesOf(world.reader(), 'Order', key);

    await expect(readState(world.reader(), { ...must(state), line })).rejects.toMatchObject({
      code: 'archive.damaged',
    });
  });

  test('is damaged if it cannot be decompressed, and the reason is included', async () => {
    const world = new WorldArchive({ layout: 'batch' });
    await world.archived(expiring());
    const [state] = await statesOf(world.reader(), 'Order', key);
    const reader: ArchiveReader = { ...world.reader(), read: async () => Buffer.from('no batch') };

    await expect(readState(reader, must(state))).rejects.toMatchObject({
      code: 'archive.damaged',
      cause: { code: 'Z_DATA_ERROR' },
    });
  });
});

describe('keepingBatches', () => {
  test('reads a batch once for many of its lines, and another one again after four more', async () => {
    const world = new WorldArchive({ layout: 'batch' });
    for (let batch = 0; batch < 6; batch += 1)
      await world.archived(...[1, 2, 3].map((id) => expiring({ Part: `ORDER#${batch}${id}` })));
    const { reader: inner, asked: read } = watchedReader(world.reader());
    const reader = keepingBatches(inner);
    const states = await listedStates(reader, table);
    read.length = 0;

    for (const state of [...states].sort((a, b) => (a.objectKey < b.objectKey ? -1 : 1)))
      await readState(reader, state);
    expect(read).toHaveLength(6);
    await readState(reader, must(states.find(({ objectKey }) => read[0] === `read ${objectKey}`)));
    expect(read).toHaveLength(7);
  });
});

function expiring(attributes: Parameters<typeof anOrder>[0] = {}): Item {
  return anOrder({ EndsAt: 1_000, ...attributes });
}

async function keysListed(world: WorldArchive, filter: StateFilter) {
  return (await listedStates(world.reader(), table, filter)).map((state) => state.key);
}

function must<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new Error('Expected a state');
  return value;
}

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
