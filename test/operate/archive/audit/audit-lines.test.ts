import { expect, test } from 'vitest';
import { defineArchive } from '../../../../src/model/rules/archive-rule.ts';
import { claimsOfItems } from '../../../../src/operate/archive/audit/claim.ts';
import { archiveLines } from '../../../../src/worker/archive/archive-lines.ts';
import { objectKeyOf } from '../../../../src/worker/archive/object.ts';
import { WorldArchive, watchedReader } from '../../../fixtures/world/archive.ts';
import { audit, auditing, wrongs } from '../../../fixtures/world/audit.ts';
import { anOrder, anOrderItem } from '../../../fixtures/world/items.ts';
import { order as orderKind } from '../../../fixtures/world/kinds.ts';
import { keyed, keyIn } from '../../../fixtures/world/worker.ts';

const order = anOrder({ EndsAt: 1_000 });
const rule = defineArchive({ name: 'archive-orders', kinds: [orderKind], layout: 'batch' });

test('an item with another state archived by a sweep is outdated, not missing', async () => {
  const world = new WorldArchive({ layout: 'batch' });
  const swept = { key: keyIn(order), item: anOrder(), sequence: 0n, final: false, at: undefined };
  await archiveLines(world.worker, rule, orderKind, [swept]);
  world.table.put(order);

  expect(wrongs(await audit(world))).toEqual([['outdated', 'Order', 'ORDER']]);
});

test('an item without a manifest is looked up only by its object’s key', async () => {
  const world = new WorldArchive({ layout: 'batch' });
  world.table.put(order);
  const { reader, asked } = watchedReader(world.reader());

  await audit(world, { reader });

  expect(asked.filter((request) => request.startsWith('details'))).toEqual([
    `details ${objectKeyOf('Order', keyIn(order))}`,
  ]);
});

test('a batch that is gone while its manifest remains is damaged', async () => {
  const world = new WorldArchive({ layout: 'batch' });
  await world.archived(order);
  const { archive } = world.worker;
  const [objectKey = ''] = archive.keys();
  for (const { etag } of archive.versions(objectKey)) archive.eraseVersion(objectKey, etag);

  expect(wrongs(await audit(world))).toEqual([['damaged', 'Order', 'ORDER']]);
});

test('a batch that was replaced by something else is damaged', async () => {
  const world = new WorldArchive({ layout: 'batch' });
  await world.archived(order);
  const { archive } = world.worker;
  const [objectKey = ''] = archive.keys();
  archive.store(objectKey, { body: 'something else', digest: 'e1' }, archive.current(objectKey)?.etag);

  expect((await audit(world)).findings).toMatchObject([{ wrong: 'damaged', objectKey }]);
});

test('a last state in a line of an earlier rule does not excuse states to erase', async () => {
  const world = new WorldArchive();
  await world.archived(order);
  world.table.delete(keyIn(order));
  const removal = world.table.history.at(-1)?.sequence ?? 0n;
  const last = { key: keyIn(order), item: order, sequence: removal, final: true, at: undefined };
  await archiveLines(world.worker, rule, orderKind, [last]);
  const { registry } = new WorldArchive({ onDelete: 'erase' }).worker.context;

  expect(wrongs(await audit(world, { registry }))).toEqual([['left', 'Order', 'ORDER']]);
});

test('manifests are listed once for all expiring items', async () => {
  const world = new WorldArchive({ layout: 'batch' });
  const orderItems = Array.from({ length: 300 }, (_, at) =>
    anOrderItem({ Sort: `ITEM#${at}`, EndsAt: 1_000 }),
  );
  await world.archived(...orderItems);
  const { reader, asked } = watchedReader(world.reader());

  await audit(world, { reader });

  expect(asked.filter((request) => request.startsWith('list'))).toEqual(['list manifests/OrderItem/']);
});

test('a batch is read once for all its lines, in whatever order their items are found', async () => {
  const world = new WorldArchive({ layout: 'batch' });
  for (let batch = 0; batch < 6; batch += 1)
    await world.archived(...[0, 1, 2].map((at) => anOrder({ Part: `ORDER#${at}-${batch}`, EndsAt: 1_000 })));
  const { reader, asked } = watchedReader(world.reader());

  const { counts } = await audit(world, { reader, read: true });

  expect(counts.read).toBe(18);
  expect(asked.filter((request) => request.startsWith('read archive/'))).toHaveLength(6);
});

test('a hundred thousand items are checked together, and no more are held in memory', async () => {
  const world = new WorldArchive({ layout: 'batch' });
  await world.archived(order);
  const { reader, asked } = watchedReader(world.reader());
  const { running, work } = auditing(world, { reader });
  const listed = () => asked.filter((request) => request.startsWith('list')).length;
  const claims = claimsOfItems(work.registry, [keyed(order)]);

  await running.look(Array.from({ length: 99_999 }, () => claims).flat());
  expect(listed()).toBe(0);
  await running.look(claims);
  expect(listed()).toBe(1);
  await running.look(claims);
  await running.finish();
  expect(listed()).toBe(2);
});
