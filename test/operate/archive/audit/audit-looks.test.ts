import { describe, expect, test } from 'vitest';
import { FatalError, TransientError } from '../../../../src/model/basics/errors.ts';
import { claimsOfItems } from '../../../../src/operate/archive/audit/claim.ts';
import { VirtualClock } from '../../../fixtures/virtual-clock.ts';
import { layouts, WorldArchive, watchedReader } from '../../../fixtures/world/archive.ts';
import { audit, auditing, wrongs } from '../../../fixtures/world/audit.ts';
import { anOrder, anOrderItem } from '../../../fixtures/world/items.ts';
import { keyed, keyIn } from '../../../fixtures/world/worker.ts';

const order = anOrder({ EndsAt: 1_000 });

describe.each(layouts)('in the layout %s', (layout) => {
  test('a claim that holds at the first check needs no wait and no read of the table', async () => {
    const world = new WorldArchive({ layout });
    await world.archived(order);
    const clock = new VirtualClock();
    const began = clock.now();

    await audit(world, { clock });

    expect(world.worker.port.counts.getMany).toBe(0);
    expect(clock.now()).toBe(began);
  });

  test('an unchanged item that is wrong is reported after one grace period', async () => {
    const world = new WorldArchive({ layout });
    world.table.put(order);
    world.table.put(anOrderItem({ EndsAt: 1_000 }));
    world.table.expire(keyIn(anOrderItem()));
    const clock = new VirtualClock();
    const began = clock.now();

    expect(wrongs(await audit(world, { clock })).toSorted()).toEqual([
      ['lost', 'OrderItem', 'ITEM#1'],
      ['missing', 'Order', 'ORDER'],
    ]);
    expect(clock.now() - began).toBe(10_000);
  });

  test('an item that keeps changing is reported after five more checks', async () => {
    const world = new WorldArchive({ layout });
    world.table.put(order);
    let total = 0;
    world.worker.port.before = ({ kind }) => {
      if (kind !== 'getMany' || total === 100) return;
      total += 1;
      world.table.put(anOrder({ EndsAt: 1_000, Total: total }));
    };
    const clock = new VirtualClock();
    const began = clock.now();

    expect(wrongs(await audit(world, { clock }))).toEqual([['missing', 'Order', 'ORDER']]);
    expect(clock.now() - began).toBe(50_000);
  });

  test('a stop ends the grace period; what was found once is not reported', async () => {
    const world = new WorldArchive({ layout });
    world.table.put(order);
    const clock = new VirtualClock();
    const began = clock.now();

    const { findings } = await audit(world, { clock, stop: () => clock.now() - began > 1_000 });

    expect(findings).toEqual([]);
    expect(clock.now() - began).toBeLessThan(3_000);
  });

  test('a body that is compared is read once, and its metadata is read once', async () => {
    const world = new WorldArchive({ layout });
    await world.archived(order);
    const { reader, asked } = watchedReader(world.reader());

    await audit(world, { reader, read: true });

    const [objectKey] = world.worker.archive.keys();
    const ofObject = asked.filter((request) => request.includes(' archive/'));
    expect(ofObject).toEqual([`details ${objectKey}`, `read ${objectKey}`]);
  });

  test('a body that is unavailable is read again; one that is denied is no damage', async () => {
    const world = new WorldArchive({ layout });
    await world.archived(order);
    let failures: Error[] = [];
    const { reader: failing } = watchedReader(world.reader(), (request) => {
      const failure = request.startsWith('read archive/') ? failures.shift() : undefined;
      if (failure !== undefined) throw failure;
    });

    failures = [new TransientError('aws.throttled', 'GetObject was throttled')];
    expect(await audit(world, { reader: failing, read: true })).toMatchObject({
      findings: [],
      counts: { read: 1 },
    });
    failures = [new FatalError('aws.denied', 'GetObject was denied')];
    await expect(audit(world, { reader: failing, read: true })).rejects.toThrow('GetObject was denied');
  });
});

test('the grace period is exact to the millisecond', async () => {
  const world = new WorldArchive();
  world.table.put(order);
  const clock = new VirtualClock();
  const began = clock.now();

  await audit(world, { clock, graceMs: 300 });

  expect(clock.now() - began).toBe(300);
});

test('a thousand suspects are checked again before more are taken up', async () => {
  const world = new WorldArchive();
  for (let number = 0; number < 1_000; number += 1)
    world.table.put(anOrderItem({ Sort: `ITEM#${number}`, EndsAt: 1_000 }));
  const { running, work, findings } = auditing(world);
  const [first, ...others] = claimsOfItems(work.registry, world.table.items().map(keyed));

  await running.look(others);
  expect(findings).toHaveLength(0);
  await running.look(first === undefined ? [] : [first]);
  expect(findings).toHaveLength(1_000);
});

test('the second check reads only existing items from the table', async () => {
  const world = new WorldArchive();
  world.table.put(order);
  world.table.put(anOrderItem({ EndsAt: 1_000 }));
  world.table.expire(keyIn(anOrderItem()));
  const asked: unknown[] = [];
  world.worker.port.before = (request) => {
    if (request.kind === 'getMany') asked.push(...request.keys);
  };

  await audit(world);

  expect(asked).toEqual([keyIn(order)]);
});

test('an item that ended twice, with neither last state archived, is reported twice', async () => {
  const world = new WorldArchive();
  for (const total of [1, 2]) {
    world.table.put(anOrder({ EndsAt: 1_000, Total: total }));
    world.table.expire(keyIn(order));
  }

  expect(wrongs(await audit(world))).toEqual([
    ['lost', 'Order', 'ORDER'],
    ['lost', 'Order', 'ORDER'],
  ]);
});
