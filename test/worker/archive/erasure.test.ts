import { describe, expect, test } from 'vitest';
import { type DeletionPolicy, defineArchive } from '../../../src/model/rules/archive-rule.ts';
import { archiveState } from '../../../src/worker/archive/archive-item.ts';
import { erasedUpTo, eraseUpTo } from '../../../src/worker/archive/erasure.ts';
import { erasureNoteKeyOf, objectKeyOf } from '../../../src/worker/archive/object.ts';
import type { StreamRecord } from '../../../src/worker/batch/group.ts';
import { bound, boundKind } from '../../fixtures/model/bound.ts';
import { WorldArchive } from '../../fixtures/world/archive.ts';
import { anOrder } from '../../fixtures/world/items.ts';
import { order } from '../../fixtures/world/kinds.ts';
import { beforeFirst, watchArchive } from '../../fixtures/world/watched-archive.ts';
import { keyIn } from '../../fixtures/world/worker.ts';

const expiring = anOrder({ EndsAt: 1_000 });
const key = keyIn(expiring);
const location = objectKeyOf('Order', key);
const noteKey = erasureNoteKeyOf(location);
const lastState = expect.stringMatching(/\.json\.\d+$/);

describe('an item that is deleted', () => {
  const batch = expect.stringMatching(/\.gz$/);
  test.each<[DeletionPolicy, 'object' | 'batch', unknown[]]>([
    ['keep', 'object', [location]],
    ['archive', 'object', [location, lastState]],
    ['erase', 'object', []],
    ['keep', 'batch', [batch]],
    ['archive', 'batch', [batch, batch]],
  ])('leaves in the archive what its rule says: %s, in the layout %s', async (onDelete, layout, left) => {
    const world = new WorldArchive({ onDelete, layout });
    await world.archived(expiring);
    world.table.put(anOrder());
    world.table.delete(key);
    await world.archive();

    expect(world.objects.keys()).toEqual(left);
  });
});

describe('the note of an erasure', () => {
  test('is left before anything is erased, so that a concurrent put sees it', async () => {
    const world = await archived();
    world.table.delete(key);
    let noted = -1n;
    beforeFirst(world.worker, 'erase', location, async () => {
      noted = await erasedUpTo(world.objects, location);
    });
    await world.archive();

    expect(noted).toBe(world.youngest());
  });

  test('is stored once, under a hash, and contains neither item nor key', async () => {
    const world = erasing();
    const deletion = aDeletion(world);
    for (const records of [deletion, deletion]) await world.archive(records);

    expect(noteKey).toMatch(/^erased\/[^T]+$/);
    const [note, ...others] = world.objects.versions(noteKey);
    expect(others).toEqual([]);
    expect(note?.body).not.toMatch(/ORDER/);
  });

  test('never replaces the note of a later one', async () => {
    const world = erasing();
    await world.archive(aDeletion(world));
    const [slow, later] = [aDeletion(world), aDeletion(world)];
    beforeFirst(world.worker, 'put', noteKey, () => world.archive(later));
    await world.archive(slow);

    expect(await erasedUpTo(world.objects, location)).toBe(world.youngest());
  });

  test.each([
    ['is left at the eighth attempt if others have left theirs seven times', 7, [], []],
    [
      'is not acknowledged if they do eight times, and nothing has been erased then',
      8,
      [{ code: 'archive.contended' }],
      [location],
    ],
  ])('%s', async (_, times, errors, keys) => {
    const world = await archived();
    world.table.delete(key);
    let left = 0;
    watchArchive(world.worker, (request, objectKey) => {
      if (request !== 'put' || objectKey !== noteKey || left === times) return;
      left += 1;
      const note = { body: `${left}`, digest: '', sequence: 1n };
      world.objects.store(noteKey, note, world.objects.current(noteKey)?.etag);
    });

    expect([...(await world.archive()).values()]).toMatchObject(errors);
    expect(left).toBe(times);
    expect(world.objects.keys()).toEqual(keys);
  });
});

describe('an erased item', () => {
  test('does not return with a late record of its expiry, not even for a moment', async () => {
    const world = erasing();
    world.table.put(expiring);
    world.table.expire(key);
    const older = world.records();
    await world.archive(older);
    await world.archive(aDeletion(world));
    watchArchive(world.worker, (request) => expect(request).not.toBe('put'));

    expect([...(await world.archive(older))]).toEqual([]);
    expect(world.objects.keys()).toEqual([]);
    expect(world.worker.telemetry.archivings.at(-1)).toEqual({
      ...{ kind: 'Order', key, objectKey: location },
      outcome: 'erased',
    });
  });

  test.each([
    ['the object', 'gone'],
    ['a last state', 'erased'],
  ] as const)('does not come back through a put of %s in progress: it is %s', async (what, outcome) => {
    const world = erasing();
    world.table.put(expiring);
    if (what === 'a last state') world.table.expire(key);
    const slow = world.records();
    beforeFirst(world.worker, 'put', 'archive/', () => world.archive(aDeletion(world)));
    await world.archive(slow);

    expect(world.objects.keys()).toEqual([]);
    expect(world.outcomes().at(-1)).toBe(outcome);
  });

  test('is not put again, while it is erased, for a late record of the life that ended', async () => {
    const { world, late } = await withLateRecord();
    world.table.delete(key);
    beforeFirst(world.worker, 'erase', location, () => world.archive(late));
    await world.archive();

    expect(world.outcomes()).toEqual(['stored', 'gone', 'erased']);
    expect(world.objects.keys()).toEqual([]);
  });
});

describe('the last record that an erasure covers', () => {
  test.each(['head', 'put'] as const)(
    'is of a later life if its state exists: noted before %s',
    async (at) => {
      const world = erasing();
      world.table.put(expiring);
      const noted = world.youngest();
      beforeFirst(world.worker, at, location, () => erase(world, noted));
      await world.archive();

      expect(world.sequences(location)).toEqual([noted + 1n]);
      expect(world.outcomes()).toEqual(['stored']);
    },
  );

  test('puts no last state, not even for a moment', async () => {
    const world = await archived();
    world.table.expire(key);
    await erase(world, world.youngest());
    const asked: string[] = [];
    watchArchive(world.worker, (request) => asked.push(request));
    await world.archive();

    expect(world.outcomes()).toEqual(['stored', 'erased']);
    expect(asked).toEqual(['head']);
  });
});

describe('a life that begins after a deletion', () => {
  test('is not mistaken for an identical older life', async () => {
    const { world, insert, deletion } = insertedAndDeleted();
    await world.archive(deletion);
    world.table.put(expiring);
    await world.archive(insert);
    const stored = world.objects.current(location)?.etag;
    await world.archive(deletion);

    expect(stored).toBeDefined();
    expect(world.objects.current(location)?.etag).toBe(stored);
  });

  test('can be restored after its expiry, even if the deletion is processed only then', async () => {
    const { world, insert, deletion } = insertedAndDeleted();
    world.table.put(expiring);
    for (const records of [insert, undefined]) await world.archive(records);
    world.table.expire(key);
    for (const records of [undefined, deletion]) await world.archive(records);

    expect(world.objects.keys()).toEqual([location, lastState]);
  });
});

test.each([
  ['is erased if its deletion was noted during its put', false],
  ['is stored as part of its next life if that began before the put finished', true],
])('an item that is stored without a record, under a rule that erases %s', async (_, recreated) => {
  const world = erasing();
  world.table.put(expiring);
  beforeFirst(world.worker, 'put', location, async () => {
    await world.archive(aDeletion(world));
    if (recreated) world.table.put(expiring);
  });

  expect(await store(world)).toMatchObject(
    recreated
      ? { report: { outcome: 'stored' }, item: expiring }
      : { report: { outcome: 'gone' }, item: undefined },
  );
  const noted = await erasedUpTo(world.objects, location);
  expect(world.sequences(location)).toEqual(recreated ? [noted + 1n] : []);
});

function erasing(): WorldArchive {
  return new WorldArchive({ onDelete: 'erase' });
}

/** An archive that erases, and holds an order. */
async function archived(): Promise<WorldArchive> {
  const world = erasing();
  await world.archived(expiring);
  return world;
}

/** The same, and the records of the order's return to its archived state, not yet processed. */
async function withLateRecord() {
  const world = await archived();
  world.table.put(anOrder());
  world.table.put(expiring);
  return { world, late: world.records() };
}

/** The records of another life of that order, and of its deletion. */
function aDeletion(world: WorldArchive): StreamRecord[] {
  world.table.put(expiring);
  world.table.delete(key);
  return world.records();
}

/** An archive that erases, over an order that was inserted and deleted, and the records of both. */
function insertedAndDeleted() {
  const world = erasing();
  world.table.put(expiring);
  const insert = world.records();
  world.table.delete(key);
  return { world, insert, deletion: world.records() };
}

function store({ worker }: WorldArchive) {
  const rule = bound(defineArchive({ name: 'archive-orders', kinds: [order], onDelete: 'erase' }));
  return archiveState(worker.archiveContext, { rule, kind: boundKind(order), key, sequence: 0n });
}

function erase({ worker }: WorldArchive, upTo: bigint): Promise<void> {
  return eraseUpTo(worker.archive, location, upTo, worker.archiveContext.nonce());
}
