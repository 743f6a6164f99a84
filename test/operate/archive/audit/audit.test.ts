import { describe, expect, test } from 'vitest';
import type { ArchiveRuleSpec } from '../../../../src/model/rules/archive-rule.ts';
import { archivedAs } from '../../../../src/model/rules/registry.ts';
import { archiveState } from '../../../../src/worker/archive/archive-item.ts';
import { manifestPrefixOf } from '../../../../src/worker/archive/batch-object.ts';
import { erasureNoteKeyOf, objectKeyOf } from '../../../../src/worker/archive/object.ts';
import type { ArchiveReader } from '../../../../src/worker/archive/ports.ts';
import { layouts, WorldArchive } from '../../../fixtures/world/archive.ts';
import { audit, copied, wrongs } from '../../../fixtures/world/audit.ts';
import { anIncident, anOrder, anOrderItem, aParticipation } from '../../../fixtures/world/items.ts';
import { keyIn } from '../../../fixtures/world/worker.ts';

const order = anOrder({ EndsAt: 1_000 });
const changed = anOrder({ EndsAt: 1_000, Total: 1 });

describe.each(layouts)('in the layout %s', (layout) => {
  test('a table whose current and last states are archived is in order', async () => {
    const world = new WorldArchive({ layout });
    await world.expired(anOrder({ Part: 'ORDER#u', EndsAt: 1 }), anOrderItem({ Part: 'ORDER#u', EndsAt: 1 }));
    await world.archived(order, anOrderItem({ EndsAt: 1_000 }), anIncident({ EndsAt: 1_000 }));
    world.table.put(anOrder({ Part: 'ORDER#v' }));
    world.table.put(aParticipation('g', { EndsAt: 1 }));
    world.table.expire(keyIn(aParticipation('g')));
    world.table.put(aParticipation('h', { EndsAt: 1 }));

    expect(await audit(world, { read: true })).toEqual({
      findings: [],
      counts: { exists: 3, ended: 2, erased: 0, findings: 0, read: 5, unread: 0 },
    });
  });

  test('an item whose TTL attribute is no number does not expire, and is not missing', async () => {
    const world = new WorldArchive({ layout });
    await world.archived({ ...order, EndsAt: { S: '1000' } }, { ...anOrderItem(), EndsAt: { NULL: true } });

    const { findings, counts } = await audit(world);
    expect([findings, counts.exists, world.objects.keys()]).toEqual([[], 0, []]);
  });

  test('an expiring item that is not archived is missing', async () => {
    const world = new WorldArchive({ layout });
    await world.archived(anOrder({ Part: 'ORDER#u', EndsAt: 1_000 }));
    world.table.put(order);

    const { findings } = await audit(world);

    expect(findings).toEqual([
      {
        wrong: 'missing',
        rule: 'archive-orders',
        kind: 'Order',
        key: keyIn(order),
        objectKey: layout === 'object' ? objectKeyOf('Order', keyIn(order)) : manifestPrefixOf('Order'),
        sequence: undefined,
      },
    ]);
  });

  test('an item that has changed since it was archived is outdated', async () => {
    const world = new WorldArchive({ layout });
    await world.archived(order);
    await world.archived(changed);
    world.table.put(order);

    expect(wrongs(await audit(world))).toEqual([['outdated', 'Order', 'ORDER']]);
  });

  test('an item that ended twice is lost if its second end is not archived', async () => {
    const world = new WorldArchive({ layout });
    await world.expired(order);
    await world.archived(changed);
    world.table.put(order);
    world.table.expire(keyIn(order));

    expect(wrongs(await audit(world))).toEqual([['lost', 'Order', 'ORDER']]);
  });

  test('an item that has ended is lost if its last state is not archived', async () => {
    const world = new WorldArchive({ layout });
    await world.archived(order);
    world.table.put(changed);
    world.table.expire(keyIn(order));
    const removal = world.table.history.at(-1)?.sequence;

    const { findings } = await audit(world);

    expect(findings).toMatchObject([
      {
        ...{ wrong: 'lost', kind: 'Order', key: keyIn(order), sequence: removal },
        objectKey:
          layout === 'object'
            ? `${objectKeyOf('Order', keyIn(order))}.${removal}`
            : manifestPrefixOf('Order'),
      },
    ]);
  });

  test('a last state is found even if the item was recreated and archived again', async () => {
    const world = new WorldArchive({ layout });
    await world.expired(order);
    await world.archived(changed);
    await world.archived(anOrder({ EndsAt: 1_000, Total: 2 }));

    expect(wrongs(await audit(world))).toEqual([]);
  });

  test('an item that is gone or has lost its expiry after the grace period is dismissed', async () => {
    const world = new WorldArchive({ layout });
    world.table.put(order);
    world.table.put(anOrderItem({ EndsAt: 1_000 }));
    world.worker.port.before = ({ kind }) => {
      if (kind !== 'getMany') return;
      world.table.delete(keyIn(order));
      world.table.put(anOrderItem());
    };

    expect(wrongs(await audit(world))).toEqual([]);
    expect(world.worker.port.counts.getMany).toBe(1);
  });

  test('a body that differs from what was put is damaged, if bodies are read', async () => {
    const world = new WorldArchive({ layout });
    await world.archived(order);
    const { archive } = world.worker;
    const [objectKey = ''] = archive.keys();
    const reader = world.reader();
    const damaging: ArchiveReader = {
      ...reader,
      read: async (key, version) =>
        key === objectKey ? Buffer.from('{"Item":{}}') : reader.read(key, version),
    };

    expect(wrongs(await audit(world, { reader: damaging }))).toEqual([]);
    expect(wrongs(await audit(world, { reader: damaging, read: true }))).toEqual([
      ['damaged', 'Order', 'ORDER'],
    ]);
  });

  test('a body in Glacier is counted, and not read', async () => {
    const world = new WorldArchive({ layout, storageClass: 'GLACIER' });
    await world.archived(order);

    expect(await audit(world, { read: true })).toMatchObject({
      findings: [],
      counts: { read: 0, unread: 1 },
    });
  });

  test('states in the other layout count too: the rule may have changed', async () => {
    const world = new WorldArchive({ layout });
    await world.archived(order);
    const other = new WorldArchive({ layout: layout === 'object' ? 'batch' : 'object' });
    other.table.put(order);

    expect(wrongs(await audit(other, { reader: world.reader() }))).toEqual([]);
    other.table.put(changed);
    expect(wrongs(await audit(other, { reader: world.reader() }))).toEqual([['outdated', 'Order', 'ORDER']]);
  });

  test('states in the other layout count beside older ones in the rule’s own', async () => {
    const world = new WorldArchive({ layout });
    await world.archived(changed);
    const other = new WorldArchive({ layout: layout === 'object' ? 'batch' : 'object' });
    await other.archived(order);
    copied(other, world);
    world.table.put(order);

    expect(wrongs(await audit(world))).toEqual([]);
  });

  test('a user’s deletion requires a last state only if the rule archives', async () => {
    for (const [onDelete, expected] of [
      ['keep', []],
      ['archive', [['lost', 'Order', 'ORDER']]],
    ] as const) {
      const world = new WorldArchive({ layout, onDelete });
      await world.archived(order);
      world.table.put(anOrder());
      world.table.delete(keyIn(order));

      expect(wrongs(await audit(world))).toEqual(expected);
    }
  });

  test('many problems are all reported, once each', async () => {
    const world = new WorldArchive({ layout });
    for (let number = 0; number < 2_500; number += 1)
      world.table.put(anOrderItem({ Sort: `ITEM#${number}`, EndsAt: 1_000 }));

    const { findings, counts } = await audit(world);

    expect(findings).toHaveLength(2_500);
    expect(new Set(findings.map(({ key }) => key?.sk)).size).toBe(2_500);
    expect(counts).toMatchObject({ exists: 2_500, findings: 2_500 });
  });
});

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
