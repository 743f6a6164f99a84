import { describe, expect, test } from 'vitest';
import { type ArchiveRuleSpec, predicate } from '../../../../src/model/rules/archive-rule.ts';
import { auditErasures } from '../../../../src/operate/archive/audit/audit-erasures.ts';
import { digestOf, erasureNoteKeyOf, objectKeyOf } from '../../../../src/worker/archive/object.ts';
import { VirtualClock } from '../../../fixtures/virtual-clock.ts';
import { WorldArchive } from '../../../fixtures/world/archive.ts';
import { audit, auditing, erasedInVain, graceFor, wrongs } from '../../../fixtures/world/audit.ts';
import { anIncident, anOrder, anOrderItem } from '../../../fixtures/world/items.ts';
import { orderItem } from '../../../fixtures/world/kinds.ts';
import { keyIn } from '../../../fixtures/world/worker.ts';

const order = anOrder({ EndsAt: 1_000 });
const changed = anOrder({ EndsAt: 1_000, Total: 1 });
const key = keyIn(order);
const objectKey = objectKeyOf('Order', key);
const erasing: Partial<ArchiveRuleSpec> = { onDelete: 'erase' };
const left = [['left', 'Order', 'ORDER']];

describe('under a rule that erases', () => {
  test('a deletion that erased everything is in order, and so is a life after it', async () => {
    const world = new WorldArchive(erasing);
    await world.archived(anOrder({ Part: 'ORDER#u', EndsAt: 1_000 }));
    await world.expired(order);
    await world.archived(changed);
    world.table.delete(key);
    await world.worker.archiveRest();
    await world.archived(anOrder({ EndsAt: 1_000, Total: 2 }));

    expect(await audit(world, { read: true })).toMatchObject({
      findings: [],
      counts: { exists: 2, ended: 1, erased: 1, read: 2 },
    });
  });

  test('states that a deletion should have erased are left, and reported once', async () => {
    const world = new WorldArchive(erasing);
    await world.archived(order);
    world.table.delete(key);

    expect(wrongs(await audit(world))).toEqual(left);
  });

  test('states that an erasure left behind are reported, however long ago it was', async () => {
    const world = new WorldArchive({
      ...erasing,
      when: [predicate(orderItem, { reads: [], item: () => true })],
    });
    await world.archived(order, anOrderItem({ EndsAt: 1_000 }));
    await erasedInVain(world, key);
    await erasedInVain(world, keyIn(anOrderItem()));
    world.table.history.length = 0;

    expect(wrongs(await audit(world))).toEqual([...left, ['left', 'OrderItem', 'ITEM#1']]);
  });

  test('states without a final one are left, whatever when says of another kind', async () => {
    const world = new WorldArchive({
      ...erasing,
      when: [predicate(orderItem, { reads: [], item: () => true })],
    });
    await world.archived(order, anOrderItem({ EndsAt: 1_000 }));
    for (const one of [order, anOrderItem()]) world.table.delete(keyIn(one));
    world.table.history.length = 0;

    expect(wrongs(await audit(world))).toEqual(left);
  });

  test('a last state that a later erasure left behind is reported', async () => {
    const world = new WorldArchive(erasing);
    await world.expired(order);
    await world.archived(changed);
    await erasedInVain(world, key);
    world.table.history.length = 0;

    expect(wrongs(await audit(world))).toEqual(left);
  });

  test('an item that has expired must not be erased', async () => {
    const world = new WorldArchive(erasing);
    const other = anOrder({ Part: 'ORDER#u', EndsAt: 1_000 });
    await world.archived(other);
    world.table.put({ ...other, Total: { N: '1' } });
    world.table.expire(keyIn(other));
    await world.expired(order);
    world.table.history.length = 0;

    expect(wrongs(await audit(world))).toEqual([]);
  });

  test('a deletion in progress is not a failed one', async () => {
    const world = new WorldArchive(erasing);
    await world.archived(order);
    world.table.delete(key);

    expect(wrongs(await audit(world, { clock: graceFor(() => world.worker.archiveRest()) }))).toEqual([]);
  });

  test.each<[string, (world: WorldArchive) => Promise<unknown>]>([
    ['is put again', async ({ table }) => table.put(anOrder())],
    ['turns out to have expired', (world) => world.archive()],
  ])('an item without a last state that %s within the grace period is in order', async (_, act) => {
    const world = new WorldArchive(erasing);
    await world.archived(order);
    world.table.expire(key);
    const end = world.records();
    world.table.history.length = 0;
    world.records = () => end;

    expect(wrongs(await audit(world))).toEqual(left);
    const clock = graceFor(async () => void (await act(world)));
    expect(wrongs(await audit(world, { clock }))).toEqual([]);
  });

  test('states that an erasure left behind are reported even below a later life', async () => {
    const world = new WorldArchive(erasing);
    await world.archived(order);
    await erasedInVain(world, key);
    world.table.put(changed);
    // Put as by a worker that has not read the note.
    const { archive } = world.worker;
    const sequence = world.table.history.at(-1)?.sequence ?? 0n;
    archive.store(
      objectKey,
      { body: '', digest: digestOf(changed), sequence },
      archive.current(objectKey)?.etag,
    );

    expect(wrongs(await audit(world))).toEqual(left);
  });

  test('states that an erasure left behind are erased when a later life is archived', async () => {
    const world = new WorldArchive(erasing);
    await world.archived(order);
    await erasedInVain(world, key);
    await world.archived(changed);

    expect(wrongs(await audit(world))).toEqual([]);
    expect(world.worker.archive.versions(objectKey)).toHaveLength(1);
  });

  test('states that an erasure left are reported below a later life that expired', async () => {
    const world = new WorldArchive(erasing);
    await world.archived(order);
    await erasedInVain(world, key);
    world.table.put(changed);
    world.worker.archiveStream.take();
    world.table.expire(key);
    await world.worker.archiveRest();
    world.table.history.length = 0;

    expect(wrongs(await audit(world))).toEqual(left);
  });

  test('a last state is left if a rule that did not erase kept it at that very deletion', async () => {
    const world = new WorldArchive({ onDelete: 'archive' });
    world.table.put(anOrder());
    world.table.delete(key);
    await world.worker.archiveRest();
    const sequence = world.table.history.at(-1)?.sequence ?? 0n;
    const { registry } = new WorldArchive(erasing).worker.context;

    expect(wrongs(await audit(world, { registry }))).toEqual(left);
    world.table.history.length = 0;
    expect(wrongs(await audit(world, { registry }))).toEqual([]);
    world.worker.archive.store(erasureNoteKeyOf(objectKey), { body: '', digest: '', sequence }, undefined);
    expect(wrongs(await audit(world, { registry }))).toEqual(left);
  });

  test('items of a rule that keeps them are not searched', async () => {
    const world = new WorldArchive(erasing);
    await world.archived(anIncident({ EndsAt: 1_000 }));
    world.table.delete(keyIn(anIncident()));

    expect(wrongs(await audit(world))).toEqual([]);
  });

  test('an object in Glacier without metadata of its item is attributed to no item', async () => {
    const world = new WorldArchive({ ...erasing, storageClass: 'GLACIER' });
    const long = anOrder({ Part: `ORDER#${'t'.repeat(1_200)}`, EndsAt: 1_000 });
    await world.archived(long);
    world.table.delete(keyIn(long));
    world.table.history.length = 0;
    const reader = world.reader();

    const { findings } = await audit(world, {
      reader: {
        ...reader,
        async details(of, version) {
          const details = await reader.details(of, version);
          return details && { ...details, of: undefined };
        },
      },
    });

    expect(wrongs({ findings })).toEqual([]);
    expect(wrongs(await audit(world))).toEqual(left);
  });
});

describe('the search for states that should have been erased', () => {
  /** Deletes 150 orders and erases none yet. @returns the number reported after each group, and the time it took */
  async function lookedThrough(world: WorldArchive, stop: (clock: VirtualClock, told: number) => boolean) {
    const clock = new VirtualClock();
    const began = clock.now();
    const told: number[] = [];
    const { running, findings } = auditing(world, { clock, stop: () => stop(clock, told.length) });
    await auditErasures(running, (items) => told.push(items));
    await running.finish();
    return { told, took: clock.now() - began, findings: findings.length };
  }

  async function manyDeleted(): Promise<WorldArchive> {
    const world = new WorldArchive(erasing);
    const orders = Array.from({ length: 150 }, (_, at) => anOrder({ Part: `ORDER#${at}`, EndsAt: 1_000 }));
    await world.archived(...orders);
    for (const each of orders) world.table.delete(keyIn(each));
    return world;
  }

  test('looks up a hundred items at a time, and reports after one grace period', async () => {
    expect(await lookedThrough(await manyDeleted(), () => false)).toEqual({
      told: [100, 150],
      took: 10_000,
      findings: 150,
    });
  });

  test('does not wait if nothing is left behind', async () => {
    const world = new WorldArchive(erasing);
    await world.archived(order);

    expect(await lookedThrough(world, () => false)).toEqual({ told: [1], took: 0, findings: 0 });
  });

  test('stops between two groups', async () => {
    expect(await lookedThrough(await manyDeleted(), (_, told) => told === 1)).toEqual({
      told: [100],
      took: 0,
      findings: 0,
    });
  });

  test('stops within its grace period, and reports no state that was found only once', async () => {
    const { took, findings } = await lookedThrough(
      await manyDeleted(),
      (clock) => clock.now() > Date.UTC(2026, 0, 1) + 1_000,
    );

    expect(findings).toBe(0);
    expect(took).toBeLessThan(3_000);
  });
});
