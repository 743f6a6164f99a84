import { describe, expect, test } from 'vitest';
import type { Item } from '../../../src/model/items/item.ts';
import { type ArchiveRuleSpec, defineArchive } from '../../../src/model/rules/archive-rule.ts';
import { archiveState } from '../../../src/worker/archive/archive-item.ts';
import { digestOf, objectKeyOf } from '../../../src/worker/archive/object.ts';
import { bound, boundKind } from '../../fixtures/model/bound.ts';
import { statesOf, WorldArchive } from '../../fixtures/world/archive.ts';
import { anOrder, aParticipation } from '../../fixtures/world/items.ts';
import { order, participation } from '../../fixtures/world/kinds.ts';
import { watchArchive } from '../../fixtures/world/watched-archive.ts';
import { keyIn } from '../../fixtures/world/worker.ts';

const expiring = anOrder({ EndsAt: 1_000 });
const dearer = anOrder({ EndsAt: 1_000, Total: 1 });
const anew = anOrder({ EndsAt: 2_000, Total: 1 });
const closing = aParticipation('g', { EndsAt: 1_000 });
const key = keyIn(expiring);
const location = objectKeyOf('Order', key);
const report = { kind: 'Order', key, objectKey: location };

describe('an item that is going to expire', () => {
  test('is archived by the record of its latest state, not by an older one', async () => {
    const [world, older] = inserted();
    world.table.put(dearer);

    await world.archive(older);
    expect(world.objects.keys()).toEqual([]);
    await world.archive();
    expect(world.items()).toEqual([dearer]);
  });

  const participations = { kinds: [participation] };
  test.each<[string, Partial<ArchiveRuleSpec>, Item, Item]>([
    ['alone', {}, expiring, { ...expiring, StatePart: { S: 'STATUS#CREATED' } }],
    ['beside all others', participations, closing, { ...closing, OwnerSort: { S: 'CLOSED#100' } }],
  ])('is stored with the keys that the worker derived %s since, once', async (_, spec, before, derived) => {
    const world = new WorldArchive(spec);
    world.table.put(before);
    const insert = world.records();
    world.table.put(derived);
    for (const records of [insert, insert]) await world.archive(records);

    expect(world.items()).toEqual([derived]);
    expect(world.objects.keys().map((at) => world.objects.versions(at).length)).toEqual([1]);
    expect(world.outcomes()).toEqual(['stored', 'unchanged']);
  });

  test('is stored without an attribute that a read loses, and with it at its end', async () => {
    const world = new WorldArchive();
    const whole: Item = { ...expiring, ...Object.fromEntries([['__proto__', { S: 'x' }]]) };
    const wholeRecords = () =>
      world.records().map(({ id, parsed }) => {
        if ('unreadable' in parsed) throw new Error('Expected a change');
        const { before, after } = parsed;
        return { id, parsed: { ...parsed, before: before && whole, after: after && whole } };
      });
    world.table.put(expiring);
    await world.archive(wholeRecords());
    expect(world.items()).toEqual([expiring]);

    world.table.expire(key);
    await world.archive(wholeRecords());
    expect(Object.entries(world.items()[1] ?? {})).toContainEqual(['__proto__', { S: 'x' }]);
  });

  test('is stored again when it returns to its archived state', async () => {
    const world = await archived();
    world.table.put(anOrder());
    world.table.put(expiring);
    const [again, returned] = [world.records(), world.youngest()];
    world.table.expire(key);
    for (const records of [again, again]) await world.archive(records);

    expect(world.sequences(location)).toEqual([world.table.history[0]?.sequence, returned]);
  });

  test.each([
    ['is put on top of what other workers put seven times in between', 7, ['stored'], []],
    ['fails its record if they put it eight times', 8, [], [{ code: 'archive.contended', key }]],
  ])('%s', async (_, times, outcomes, errors) => {
    const [world, insert] = inserted();
    let puts = 0;
    world.worker.port.before = ({ kind }) => {
      if (kind !== 'get' || puts === times) return;
      puts += 1;
      const other = { body: `${puts}`, digest: `${puts}` };
      world.objects.store(location, other, world.objects.current(location)?.etag);
    };

    const failed = await world.archive(insert);

    expect([...failed.keys()]).toEqual(errors.length > 0 ? insert.map(({ id }) => id) : []);
    expect([...failed.values()]).toMatchObject(errors);
    expect(world.outcomes()).toEqual(outcomes);
    expect(puts).toBe(times);
  });

  test('is read after the object: no put replaces a newer state by an older one', async () => {
    const [world, insert] = inserted();
    const asked: string[] = [];
    world.worker.port.before = ({ kind }) => asked.push(kind);
    watchArchive(world.worker, (request) => asked.push(request));
    await world.archive(insert);

    expect(asked).toEqual(['head', 'get', 'put']);
  });
});

test('an item that is not going to expire is not archived, and nothing is read for it', async () => {
  const world = over(anOrder({ EndsAt: 1 }), aParticipation('g'));
  world.table.put(anOrder());
  world.table.put(closing);
  world.table.expire(keyIn(closing));
  world.table.delete(key);

  expect([...(await world.archive())]).toEqual([]);
  expect(world.objects.keys()).toEqual([]);
  expect(world.worker.port.counts.requests()).toBe(0);
  expect(world.worker.telemetry.failures).toEqual([]);
});

describe('an item that has expired', () => {
  test('is still archived as it was, however its records are repeated', async () => {
    const [world, insert] = inserted();
    await world.archive(insert);
    world.table.expire(key);
    const end = world.records();
    for (const records of [end, [...insert, ...end, ...end]]) await world.archive(records);

    expect(world.objects.versions(location)).toHaveLength(1);
    expect(world.items()).toEqual([expiring]);
    expect(world.outcomes()).toEqual(['stored', 'unchanged', 'unchanged', 'unchanged']);
  });

  test('has its last state beside the older one, under a separate key', async () => {
    const world = await archived();
    world.table.put(dearer);
    world.records();
    world.table.expire(key);
    await world.archive();

    const finalKey = `${location}.${world.youngest()}`;
    expect(world.objects.keys()).toEqual([location, finalKey]);
    expect(world.items()).toEqual([expiring, dearer]);
    expect(world.worker.telemetry.archivings.at(-1)).toEqual({
      ...report,
      objectKey: finalKey,
      outcome: 'final',
    });
  });

  test.each([
    ['was recreated under its key', [anew]],
    ['was recreated in the same state', [expiring]],
    ['was recreated and has changed since', [anew, anOrder({ EndsAt: 2_000, Total: 2 })]],
  ])('is not hidden by an item that %s, and is listed once', async (_, later) => {
    const world = await archived();
    world.table.expire(key);
    const end = world.records();
    for (const item of later) await world.archived(item);
    for (const records of [end, end]) await world.archive(records);

    const states = await statesOf(world.reader(), 'Order', key);
    expect(states.map(({ digest }) => digest)).toEqual([expiring, ...later].map(digestOf));
    expect(states.map(({ final }) => final)).toEqual([true, ...later.map(() => false)]);
    expect(world.outcomes().slice(-2)).toEqual(['final', 'unchanged']);
  });

  test('is archived apart from an identical earlier life whose records come with it', async () => {
    const [world, insert] = inserted();
    await world.archive(insert);
    world.table.expire(key);
    world.table.put(expiring);
    world.table.expire(key);
    await world.archive([...insert, ...world.records()]);

    expect(world.items()).toEqual([expiring, expiring]);
  });

  test('has a last state with the storage class of its rule', async () => {
    const world = new WorldArchive({ storageClass: 'DEEP_ARCHIVE' });
    const long = anOrder({ Part: `ORDER#${'t'.repeat(1_000)}`, EndsAt: 1_000 });
    world.table.put(long);
    world.table.expire(keyIn(long));
    await world.archive();

    const [objectKey = ''] = world.objects.keys();
    expect(await world.reader().details(objectKey)).toMatchObject({
      storageClass: 'DEEP_ARCHIVE',
      of: keyIn(long),
    });
  });
});

describe('an item that is archived without a record', () => {
  test('is put in its current state, once, and reads no note if its rule erases nothing', async () => {
    const world = over(anOrder());
    const asked: string[] = [];
    watchArchive(world.worker, (request, objectKey) => asked.push(`${request} ${objectKey}`));

    expect(await store(world)).toEqual({ report: { ...report, outcome: 'stored' }, item: anOrder() });
    expect(await store(world)).toEqual({ report: { ...report, outcome: 'unchanged' }, item: anOrder() });
    expect(asked).toEqual([`head ${location}`, `put ${location}`, `head ${location}`]);
    expect(world.sequences(location)).toEqual([0n]);
  });

  test('is not stored if it no longer exists', async () => {
    const world = over();

    expect(await store(world)).toEqual({ report: { ...report, outcome: 'gone' }, item: undefined });
    expect(world.objects.keys()).toEqual([]);
  });

  test.each<[string, number, (world: WorldArchive, put: number) => void, Item | undefined]>([
    ['is deleted during the put, and is returned as missing', 1, ({ table }) => table.delete(key), undefined],
    ['changes seven times', 7, ({ table }, Total) => table.put(anOrder({ Total })), anOrder({ Total: 7 })],
  ])('is stored if it %s', async (_, times, act, item) => {
    const world = over(anOrder());
    afterPuts(world, times, (put) => act(world, put));

    expect(await store(world)).toEqual({ report: { ...report, outcome: 'stored' }, item });
    expect(world.objects.versions(location)).toHaveLength(item === undefined ? 1 : times + 1);
  });

  test('is contended if it keeps changing, with the reads and the key', async () => {
    const world = over(anOrder());
    afterPuts(world, 8, (Total) => world.table.put(anOrder({ Total })));

    await expect(store(world)).rejects.toMatchObject({
      code: 'archive.contended',
      message: 'The item changed 8 times while it was being archived',
      key,
    });
  });
});

/** An archive whose table holds these items, none of which is news. */
function over(...items: Item[]): WorldArchive {
  return new WorldArchive({}, items);
}

/** An archive in whose table an item was inserted, and the record of that. */
function inserted() {
  const world = new WorldArchive();
  world.table.put(expiring);
  return [world, world.records()] as const;
}

/** An archive that holds an item that is going to expire. */
async function archived(): Promise<WorldArchive> {
  const world = new WorldArchive();
  await world.archived(expiring);
  return world;
}

function store({ worker }: WorldArchive) {
  const rule = bound(defineArchive({ name: 'archive-orders', kinds: [order] }));
  return archiveState(worker.archiveContext, { rule, kind: boundKind(order), key, sequence: 0n });
}

/** Runs an action after each of the first puts into the archive. */
function afterPuts({ objects }: WorldArchive, times: number, act: (put: number) => void): void {
  const put = objects.put.bind(objects);
  let puts = 0;
  objects.put = async (...args) => {
    const done = await put(...args);
    puts += 1;
    if (puts <= times) act(puts);
    return done;
  };
}
