import { expect, test } from 'vitest';
import type { ArchiveRuleSpec } from '../../../../src/model/rules/archive-rule.ts';
import { archivedAs } from '../../../../src/model/rules/registry.ts';
import { archiveState } from '../../../../src/worker/archive/archive-item.ts';
import { erasureNoteKeyOf, objectKeyOf } from '../../../../src/worker/archive/object.ts';
import { layouts, WorldArchive } from '../../../fixtures/world/archive.ts';
import { audit, wrongs } from '../../../fixtures/world/audit.ts';
import { anOrder } from '../../../fixtures/world/items.ts';
import { keyIn } from '../../../fixtures/world/worker.ts';

const order = anOrder({ EndsAt: 1_000 });
const changed = anOrder({ EndsAt: 1_000, Total: 1 });
const key = keyIn(order);
const objectKey = objectKeyOf('Order', key);
const lost = [['lost', 'Order', 'ORDER']];

test.each(layouts)('a last state that was archived at its end is found, in the layout %s', async (layout) => {
  const world = new WorldArchive({ layout });
  await world.archived(order);
  world.table.put(changed);
  world.worker.archiveStream.take();
  world.table.expire(key);
  await world.archived(anOrder({ EndsAt: 1_000, Total: 2 }));

  expect(wrongs(await audit(world))).toEqual([]);
});

test('a last state is not mistaken for the last state of an earlier life', async () => {
  const world = new WorldArchive({ onDelete: 'archive' });
  world.table.put(anOrder());
  world.table.delete(key);
  await world.worker.archiveRest();
  world.table.put(anOrder());
  world.table.delete(key);

  expect(wrongs(await audit(world))).toEqual(lost);
});

test('a last state is found below a state of a later life that a sweep put', async () => {
  const world = new WorldArchive();
  await world.expired(order);
  world.table.put(anOrder({ Total: 1 }));
  await swept(world);

  expect(wrongs(await audit(world))).toEqual([]);
});

test('a last state that a sweep had put is found below a later life', async () => {
  const world = new WorldArchive({ onDelete: 'archive' });
  world.table.put(anOrder());
  await world.worker.archiveRest();
  await swept(world);
  world.table.delete(key);
  await world.worker.archiveRest();
  await world.archived(changed);

  expect(wrongs(await audit(world))).toEqual([]);
});

test('a last state that a later deletion erased is in order under another rule', async () => {
  const world = new WorldArchive({ onDelete: 'erase' });
  await world.expired(order);
  await world.archived(changed);
  world.table.delete(key);
  await world.worker.archiveRest();

  expect(wrongs(await audit(world))).toEqual([]);
  expect(wrongs(await audit(world, under({ onDelete: 'keep' })))).toEqual([]);
});

test('a last state that is missing is lost even if an earlier deletion erased', async () => {
  const world = new WorldArchive({ onDelete: 'erase' });
  await world.archived(order);
  world.table.delete(key);
  await world.worker.archiveRest();
  world.table.put(changed);
  world.table.expire(key);

  expect(wrongs(await audit(world))).toEqual(lost);
});

test('an expiry that was taken for a deletion, and erased everything, is in order', async () => {
  const world = new WorldArchive({ onDelete: 'erase' });
  world.table.put(order);
  world.table.expire(key);
  const { sequence } = world.table.history.at(-1) ?? {};
  const note = { body: '', digest: '', ...(sequence !== undefined && { sequence }) };
  world.worker.archive.store(erasureNoteKeyOf(objectKey), note, undefined);

  expect(wrongs(await audit(world))).toEqual([]);
});

test('a state that is erased while it is looked at is not left', async () => {
  const world = new WorldArchive({ onDelete: 'erase' });
  await world.archived(order);
  world.table.delete(key);
  const reader = world.reader();

  const { findings } = await audit(world, {
    reader: {
      ...reader,
      details: async (of, version) => (version === undefined ? reader.details(of) : undefined),
    },
  });

  expect(findings).toEqual([]);
});

/** Puts the item in its current state, without a record. */
async function swept({ worker }: WorldArchive): Promise<void> {
  const archived = archivedAs(worker.context.registry, anOrder()) ?? expect.fail('no rule for orders');
  await archiveState(worker.archiveContext, { ...archived, key, sequence: 0n });
}

/** An audit under other rules than those of the archive. */
function under(spec: Partial<ArchiveRuleSpec>) {
  return { registry: new WorldArchive(spec).worker.context.registry };
}
