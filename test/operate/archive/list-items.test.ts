import { describe, expect, test } from 'vitest';
import { TransientError } from '../../../src/model/basics/errors.ts';
import type { Item } from '../../../src/model/items/item.ts';
import { lineStates } from '../../../src/operate/archive/listed-states.ts';
import { listItems } from '../../../src/operate/archive/read-states.ts';
import { archiveLines } from '../../../src/worker/archive/archive-lines.ts';
import { objectKeyOf } from '../../../src/worker/archive/object.ts';
import type { ArchiveReader } from '../../../src/worker/archive/ports.ts';
import {
  CruiseArchive,
  collected,
  itemsOf,
  statesOf,
  watchedReader,
  withDetails,
} from '../../fixtures/cruises/cruise-archive.ts';
import { aLeg, aTicket } from '../../fixtures/cruises/cruise-items.ts';
import { ticket } from '../../fixtures/cruises/cruise-kinds.ts';
import { keyIn } from '../../fixtures/cruises/cruise-worker.ts';
import { table } from '../../fixtures/model/table.ts';

const key = keyIn(aTicket());

describe('a listing of the archive', () => {
  test('yields an item as soon as the next one is listed', async () => {
    const cruise = new CruiseArchive();
    for (const id of ['a', 'b', 'c']) await cruise.archived(expiring({ Part: `TICKET#${id}` }));
    const { reader, asked } = watchedReader(cruise.reader(1));
    const items = listItems(reader, table);

    expect((await items.next()).value).toMatchObject({ key: { pk: 'TICKET#a' } });
    expect(asked.filter((request) => request === 'list archive/')).toHaveLength(2);
    await items.return(undefined);
  });

  test('ignores objects that other programs put below its prefixes', async () => {
    const cruise = new CruiseArchive();
    for (const objectKey of ['archive/Ticket/notes.txt', 'manifests/Ticket/notes.txt'])
      cruise.objects.store(objectKey, { body: 'not one of ours', digest: '' }, undefined);
    await cruise.archived(expiring());

    expect((await collected(listItems(cruise.reader(), table))).map((item) => item.key)).toEqual([key]);
    expect(await statesOf(cruise.reader(), 'Ticket', key)).toHaveLength(1);
  });

  test('reads no object’s metadata if an item has only versions', async () => {
    const cruise = new CruiseArchive();
    for (const price of [1, 2]) await cruise.archived(expiring({ Price: price }));
    const { reader, asked } = watchedReader(cruise.reader());
    const [item] = await collected(listItems(reader, table));

    expect(item?.states).toHaveLength(2);
    expect(asked).toEqual(['list manifests/', 'list archive/']);
    asked.length = 0;
    await statesOf(reader, 'Ticket', key);
    expect(asked).toEqual(['list manifests/Ticket/', `list ${objectKeyOf('Ticket', key)}`]);
  });

  test('omits items that were erased after they were listed', async () => {
    const cruise = new CruiseArchive();
    await cruise.archived(expiring());
    cruise.table.put(expiring({ Price: 1 }));
    cruise.records();
    cruise.table.expire(key);
    await cruise.archive();
    const reader: ArchiveReader = { ...cruise.reader(), details: async () => undefined };

    expect(await collected(listItems(reader, table))).toEqual([]);
  });
});

describe('the states of an item', () => {
  test('that were put within a second are in the order of their puts: S3 rounds the times', async () => {
    const cruise = new CruiseArchive();
    for (const price of [1, 2, 3]) await cruise.archived(expiring({ Price: price }));
    const inner = cruise.reader();
    const reader: ArchiveReader = {
      ...inner,
      async list(prefix, from) {
        const { versions, next } = await inner.list(prefix, from);
        return { versions: versions.map((version) => ({ ...version, archivedAt: 1_000 })), next };
      },
    };

    expect(await pricesOf(reader)).toEqual([1, 2, 3]);
  });

  test('that a sweep put into batches are in the order of their puts, after the last state with a record', async () => {
    const cruise = new CruiseArchive({ layout: 'batch' });
    await cruise.archived(expiring({ Price: 1 }));
    for (const price of [2, 3, 4, 5]) await sweptInto(cruise, expiring({ Price: price }));

    expect(await pricesOf(cruise.reader())).toEqual([1, 2, 3, 4, 5]);
  });
});

describe('an item whose key is neither in its object’s key nor in the metadata', () => {
  const long = aLeg({ Sort: `LEG#${'🐻'.repeat(250)}`, EndsAt: 1 });

  test('has the key from its body', async () => {
    const cruise = new CruiseArchive();
    await cruise.archived(long);

    expect(await itemsFound(withoutKeys(cruise.reader()))).toEqual([keyIn(long)]);
  });

  test('is listed without a key if it was erased in the meantime', async () => {
    const cruise = new CruiseArchive();
    await cruise.archived(long);
    const { list } = cruise.reader();
    const reader: ArchiveReader = { ...new CruiseArchive().reader(), list };

    expect(await itemsFound(reader)).toEqual([undefined]);
  });

  test('stops the listing if the archive does not answer', async () => {
    const cruise = new CruiseArchive();
    await cruise.archived(long);
    const reader: ArchiveReader = {
      ...withoutKeys(cruise.reader()),
      read: async () => {
        throw new TransientError('aws.throttled', 'was throttled');
      },
    };

    await expect(itemsFound(reader)).rejects.toMatchObject({ code: 'aws.throttled' });
  });
});

test('the lines of batches are each listed once, of sixteen manifests at a time', async () => {
  const cruise = new CruiseArchive({ layout: 'batch' });
  for (let id = 0; id < 33; id += 1) await cruise.archived(expiring({ Part: `TICKET#${id}` }));
  const inner = cruise.reader();
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

  const lines = await collected(lineStates(reader, { kinds: ['Ticket'] }));

  expect(new Set(lines.map((line) => line.key.pk)).size).toBe(33);
  expect(lines).toHaveLength(33);
  expect(most).toBe(16);
});

function expiring(attributes: Parameters<typeof aTicket>[0] = {}): Item {
  return aTicket({ EndsAt: 1_000, ...attributes });
}

/** Puts a state into a batch without a record. */
async function sweptInto({ worker }: CruiseArchive, item: Item): Promise<void> {
  const state = { key: keyIn(item), item, sequence: 0n, final: false, at: undefined };
  await archiveLines(worker.archiveContext, { storageClass: undefined }, ticket, [state]);
}

/** The prices in the ticket’s states, in their order. */
async function pricesOf(reader: ArchiveReader) {
  const items = await itemsOf(reader, await statesOf(reader, 'Ticket', key));
  return items.map(({ Price }) => Number(Price && 'N' in Price ? Price.N : undefined));
}

async function itemsFound(reader: ArchiveReader) {
  return (await collected(listItems(reader, table))).map((item) => item.key);
}

/** A reader of objects whose metadata could not hold their items' keys. */
function withoutKeys(inner: ArchiveReader): ArchiveReader {
  return withDetails(inner, (details) => ({ ...details, of: undefined }));
}
