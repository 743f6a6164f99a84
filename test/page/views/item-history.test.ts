import { describe, expect, test } from 'vitest';
import type { Item } from '../../../src/model/items/item.ts';
import { archivedView, goneItems } from '../../../src/page/views/archived.ts';
import { endsOf, historyOf } from '../../../src/page/views/item-history.ts';
import { restoredKeyOf, restoredMark } from '../../../src/worker/archive/object.ts';
import { layouts, WorldArchive } from '../../fixtures/world/archive.ts';
import { anOrder, aUser } from '../../fixtures/world/items.ts';
import { keyIn } from '../../fixtures/world/worker.ts';

const expiring = (Status: string): Item => ({ ...anOrder({ Status }), EndsAt: { N: '1767225600' } });
const key = keyIn(anOrder());

async function archivedIn(world: WorldArchive, restored?: number) {
  const mark = restoredKeyOf('Order', key);
  const read = async (noteKey: string) =>
    restored !== undefined && noteKey === mark ? restoredMark(restored) : undefined;
  const { registry } = world.worker.context;
  return await archivedView(registry, { reader: world.reader(), notes: { read } }, key);
}

describe.each(layouts)('an archive of layout %s', (layout) => {
  test('tells the states of an item with their content, the newest first', async () => {
    const world = new WorldArchive({ layout });
    await world.archived(expiring('PENDING'));
    await world.archived(expiring('DELIVERED'));
    world.table.expire(key);
    await world.worker.archiveRest();
    const view = await archivedIn(world);

    expect(view?.states.map(({ item }) => item?.['Status'])).toEqual([{ S: 'DELIVERED' }, { S: 'PENDING' }]);
    expect(view).toMatchObject({
      count: 2,
      states: [{ expiresAt: 1_767_225_600_000, differs: ['Status'] }, {}],
      restored: [],
    });
  });
});

test.each(layouts)('lists lead to archived items that are gone, in layout %s', async (layout) => {
  const world = new WorldArchive({ layout });
  await world.archived(expiring('PENDING'));
  const { registry, table } = world.worker.context;
  const gone = async (asked: Readonly<Record<string, string>>) =>
    await goneItems(registry, table, world.reader(), new URLSearchParams(asked));
  expect(await gone({ pk: key.pk })).toEqual({ keys: [], more: false });
  world.table.expire(key);
  await world.worker.archiveRest();

  const only = { keys: [key], more: false };
  expect([await gone({ pk: key.pk }), await gone({ kind: 'Order' })]).toEqual([only, only]);
  expect(await gone({ pk: key.pk.slice(0, -1) })).toEqual({ keys: [], more: false });
  for (const other of [{ kind: 'User' }, {}, { pk: key.pk, index: 'ByUser' }, { kind: 'Order', from: '{}' }])
    expect(await gone(other)).toBeUndefined();
});

test('content that cannot be read says why', async () => {
  const world = new WorldArchive({ storageClass: 'DEEP_ARCHIVE' });
  await world.archived(expiring('PENDING'));

  expect((await archivedIn(world))?.states).toMatchObject([
    { problem: expect.stringContaining('archive.not-retrieved') },
  ]);
});

test('of a kind that no rule archives, nothing is said', async () => {
  const world = new WorldArchive();
  const archive = { reader: world.reader(), notes: { read: async () => undefined } };

  expect(await archivedView(world.worker.context.registry, archive, keyIn(aUser()))).toBeUndefined();
});

test('the history has what happened in this run, what was archived, and a restore, in order', async () => {
  const world = new WorldArchive();
  await world.archived(expiring('PENDING'));
  const archived = await archivedIn(world, Date.UTC(2027, 0, 1));
  const at = archived?.states[0]?.at ?? 0;
  const events = [
    { at: at - 1, text: 'put', byWorker: false },
    { at: at + 4_000, text: 'expired', byWorker: false },
  ];
  const logged = { key, kinds: [], order: 1, events };

  expect(historyOf(logged, archived).map(({ text }) => text)).toEqual([
    ...['put', 'archived', 'expired', 'restored from the archive'],
  ]);
  expect(endsOf(logged, archived, at)).toMatchObject([{ text: 'archived', at }, { text: 'expired' }]);
});

test('an item that ended before this run ends by the expiry of its last state', async () => {
  const world = new WorldArchive();
  await world.archived(expiring('PENDING'));
  const archived = await archivedIn(world);
  const expiry = 1_767_225_600_000;

  expect(endsOf(undefined, archived, expiry).at(-1)).toEqual({ at: expiry, text: 'its expiry was' });
  expect(endsOf(undefined, archived, expiry - 1)).toHaveLength(1);
  expect(endsOf(undefined, undefined, expiry)).toEqual([]);
});
