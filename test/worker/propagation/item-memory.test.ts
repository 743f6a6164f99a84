import { describe, expect, test } from 'vitest';
import { TransientError } from '../../../src/model/basics/errors.ts';
import type { Item } from '../../../src/model/items/item.ts';
import { itemSize, itemSizeAtMost, maxItem } from '../../../src/model/items/item-size.ts';
import type { Message } from '../../../src/model/work/message.ts';
import type { ModelWorker } from '../../../src/testing/table-model/model-worker.ts';
import { readKeys } from '../../../src/worker/propagation/copy-pages.ts';
import { fanOutBatch } from '../../../src/worker/propagation/fan-out-batch.ts';
import {
  areLarge,
  bytesOf,
  holding,
  keysAtOnce,
  Memory,
  mostBytes,
  queryBytes,
} from '../../../src/worker/propagation/item-memory.ts';
import { propagate } from '../../../src/worker/propagation/propagate.ts';
import { aMembership, anIncident, aParticipation, aUser } from '../../fixtures/world/items.ts';
import { about, keyed, keyIn, oneBatch } from '../../fixtures/world/worker.ts';
import { workerOver } from '../../fixtures/world/world.ts';

describe('room', () => {
  test('goes to those that wait in their order, as it becomes free', async () => {
    const memory = new Memory(10);
    const order: string[] = [];
    const hold = async (name: string, bytes: number) => {
      const held = await memory.hold(bytes);
      order.push(name);
      return held;
    };
    const first = await hold('first', 8);
    const all = hold('more than all', 100);
    const small = hold('small', 1);

    first.keep(1);
    await Promise.resolve();
    expect(order).toEqual(['first']);
    first.release();
    (await all).release();
    await small;

    expect(order).toEqual(['first', 'more than all', 'small']);
  });

  test('is given back once, whatever is kept', async () => {
    const memory = new Memory(10);
    const first = await memory.hold(10);
    first.keep(20);
    first.keep(4);
    first.release();
    first.release();
    const second = await memory.hold(10);
    let started = false;
    void memory.hold(1).then(() => {
      started = true;
    });
    await Promise.resolve();

    expect([second.waited, started]).toEqual([false, false]);
  });
});

describe('bytes', () => {
  const MB = 1024 ** 2;

  test.each([
    [0, 0],
    [1, maxItem],
    [99, 17 * MB],
    [100, 17 * MB],
    [301, 51 * MB + maxItem],
  ])('of %i keys are what their requests return at most, and a root', (keys, bytes) => {
    expect(mostBytes(keys)).toBe(bytes + maxItem);
  });

  const keyless = (item: Item) => ({ key: { pk: '', sk: '' }, item });
  const text = (length: number) => ({ Text: { S: 'x'.repeat(length) } });

  test.each([
    ['small items are estimated', [text(100), text(100)], 2 * itemSizeAtMost(text(100))],
    ['up to 1 MB of them', [{ B: { B: new Uint8Array(MB - 3) } }], MB],
    ['large items are counted', [text(400_000), text(5)], itemSize(text(400_000)) + itemSize(text(5))],
  ])('of items: %s', (_, items, bytes) => {
    expect(bytesOf(items.map(keyless))).toBe(bytes);
  });

  test.each([
    [16 * MB, false],
    [16 * MB + 1, true],
  ])('of %i are too many for a second reading: %s', (bytes, large) => {
    expect(areLarge([keyless({ B: { B: new Uint8Array(bytes - 1) } })])).toBe(large);
  });
});

describe('room for several', () => {
  test('is taken by as many as fit, and given back when their work ends or fails', async () => {
    const memory = new Memory(10);
    const order: string[] = [];
    const ends = new Map<string, () => void>();
    const work = (name: string) =>
      holding(memory, 5, () => {
        order.push(name);
        return new Promise<void>((done, fail) =>
          ends.set(name, name === 'a' ? () => fail(new Error(name)) : done),
        );
      });
    const all = ['a', 'b', 'c', 'd', 'e'].map(work);
    const settled = Promise.allSettled(all);
    const tick = () => new Promise((done) => setImmediate(done));

    await tick();
    expect(order).toEqual(['a', 'b']);
    ends.get('a')?.();
    await tick();
    expect(order).toEqual(['a', 'b', 'c']);
    ends.get('c')?.();
    await tick();
    expect(order).toEqual(['a', 'b', 'c', 'd']);
    for (const name of ['b', 'd', 'e']) {
      ends.get(name)?.();
      await tick();
    }
    expect((await settled).map(({ status }) => status)).toEqual([
      'rejected',
      ...['fulfilled', 'fulfilled', 'fulfilled', 'fulfilled'],
    ]);
  });
});

/** From now on, the table reads two of the keys at once, or so many, and leaves the others. */
function readsTwo({ port }: ModelWorker, atOnce = 2): { readonly sizes: number[] } {
  const getMany = port.getMany.bind(port);
  const sizes: number[] = [];
  port.getMany = (keys, { onUnread } = {}) => {
    sizes.push(keys.length);
    if (onUnread === undefined || keys.length <= atOnce) return getMany(keys);
    onUnread(keys.slice(atOnce));
    return getMany(keys.slice(0, atOnce));
  };
  return { sizes };
}

describe('large copies', () => {
  const names = ['a', 'b', 'c', 'd', 'e'];

  test('that an index finds are written as they are read, and the page is rechecked', async () => {
    const worker = workerOver([aUser(), ...names.map((name) => aMembership(name))], { pageLimit: 6 });
    worker.table.put(aUser({ Name: 'Johannes' }));
    const { sizes } = readsTwo(worker);

    await oneBatch(worker);

    expect(sizes.slice(0, 3)).toEqual([5, 3, 1]);
    for (const name of names)
      expect(worker.table.read(keyIn(aMembership(name)))).toMatchObject({ Name: { S: 'Johannes' } });
    expect(worker.queue.sent).toMatchObject([{ message: { recheck: true } }]);
  });

  test('of a page that was not finished in time begin with that page again', async () => {
    const worker = workerOver([aUser(), ...names.map((name) => aMembership(name))]);
    worker.table.put(aUser({ Name: 'Johannes' }));
    readsTwo(worker);
    worker.outOfTime = false;
    worker.port.before = ({ kind }) => {
      if (kind === 'update') worker.outOfTime = true;
    };

    await oneBatch(worker);
    expect(worker.queue.sent).toMatchObject([{ message: { locations: [{ in: 'index' }], attempts: 0 } }]);
    worker.port.before = () => {};
    worker.outOfTime = false;
    await worker.rest();

    for (const name of names)
      expect(worker.table.read(keyIn(aMembership(name)))).toMatchObject({ Name: { S: 'Johannes' } });
  });

  test('are all written before the recheck: what follows a part begins with its page', async () => {
    const worker = workerOver([aUser(), ...names.map((name) => aMembership(name))], { pageLimit: 3 });
    worker.table.put(aUser({ Name: 'Johannes' }));
    readsTwo(worker, 1);
    // Each invocation ends after its first write.
    worker.port.before = ({ kind }) => {
      if (kind === 'update') worker.outOfTime = true;
    };

    await oneBatch(worker);
    const cursors: unknown[] = [];
    const last = () => worker.queue.sent.at(-1)?.message;
    while (last()?.recheck !== true && cursors.length < 10) {
      worker.outOfTime = false;
      cursors.push(last()?.cursor?.['Part']);
      await fanOutBatch(worker.context, worker.queue.take());
    }

    expect(cursors).toEqual([undefined, undefined, 'SERVER#c', 'SERVER#c']);
    for (const name of names)
      expect(worker.table.read(keyIn(aMembership(name)))).toMatchObject({ Name: { S: 'Johannes' } });
  });

  test('of a page of which the table gives only a part do not make a message younger', async () => {
    const worker = workerOver([aUser(), ...names.map((name) => aMembership(name))]);
    readsTwo(worker);
    let reads = 0;
    worker.port.before = ({ kind }) => {
      if (kind === 'getMany') reads += 1;
      if (reads > 1) throw new TransientError('aws.throttled', 'was throttled');
    };
    const limits = { attempts: 3, unavailableSince: worker.time - 5_000 };

    await propagate(worker.context, about('username-on-memberships', aUser(), limits));

    expect(worker.queue.sent).toMatchObject([{ delaySeconds: 5, message: limits }]);
  });

  test('that a message names are requeued with the others', async () => {
    const worker = workerOver([
      anIncident({ State: 'CLOSED' }),
      ...names.map((name) => aParticipation(name)),
    ]);
    const copies = names.map((name) => keyIn(aParticipation(name)));
    readsTwo(worker);
    worker.port.before = ({ kind }) => {
      if (kind === 'update') worker.outOfTime = true;
    };

    await propagate(worker.context, {
      rule: 'incident-on-participations',
      root: keyIn(anIncident()),
      cause: 'check',
      copies,
      attempts: 0,
    });

    expect(worker.queue.sent).toMatchObject([{ message: { copies: copies.slice(2) } }]);
  });

  test('that a recheck has to read are requeued by name if they do not fit', async () => {
    const worker = workerOver([aUser({ Name: 'Johannes' }), ...names.map((name) => aMembership(name))]);
    readsTwo(worker);
    const recheck = about('username-on-memberships', aUser(), { recheck: true });

    await propagate({ ...worker.context, memory: new Memory() }, recheck);

    const copies = names.slice(2).map((name) => keyIn(aMembership(name)));
    expect(worker.queue.sent).toMatchObject([{ message: { copies } }]);
    expect(worker.port.counts.itemsWritten).toBe(2);
  });

  test('have their roots read in parts when they are checked', async () => {
    const incidents = names.map((name) => `incident_${name}`);
    const worker = workerOver(incidents.map((IncidentId) => anIncident({ Sort: IncidentId, IncidentId })));
    for (const IncidentId of incidents)
      worker.table.put(
        aParticipation('g', { Part: `acct_1#${IncidentId}#participations`, IncidentId, State: 'stale' }),
      );
    const { sizes } = readsTwo(worker);

    await oneBatch(worker);

    expect(sizes.slice(0, 3)).toEqual([5, 3, 1]);
    expect(worker.telemetry.checks).toMatchObject([{ copies: 5, differing: 5 }]);
  });

  const participations = names.map((name) => aParticipation(name));
  const memberships = names.map((name) => aMembership(name));
  const ofIncident = about('incident-on-participations', anIncident());
  const recheck = about('username-on-memberships', aUser(), { recheck: true });

  test.each<[string, Message, number]>([
    ['twice their size, and another item', ofIncident, 2 * bytesOf(participations.map(keyed)) + mostBytes(0)],
    ['what their entries and they can take, in a recheck', recheck, queryBytes + mostBytes(names.length)],
  ])('leave room for all but %s: a byte more waits', async (_, message, taken) => {
    const roots = [anIncident({ State: 'CLOSED' }), aUser({ Name: 'Johannes' })];
    const worker = workerOver([...roots, ...participations, ...memberships]);
    const memory = new Memory();
    const waited: boolean[] = [];
    worker.port.before = async ({ kind }) => {
      if (kind !== 'update') return;
      for (const more of [0, 1]) {
        const hold = await memory.hold(mostBytes(keysAtOnce) - taken + more);
        waited.push(hold.waited);
        hold.release();
      }
    };

    await propagate({ ...worker.context, memory }, message);

    expect(waited).toEqual([false, true]);
  });

  test('are read 300 at a time, and the others after them', async () => {
    const users = Array.from({ length: 301 }, (_, index) => aParticipation(String(index)));
    const worker = workerOver([anIncident({ State: 'CLOSED' }), ...users], { pageLimit: 301 });
    const { sizes } = readsTwo(worker, 300);
    const message = about('incident-on-participations', anIncident(), { copies: users.map(keyIn) });

    await propagate({ ...worker.context, memory: new Memory() }, message);

    expect(sizes).toEqual([300, 1]);
    // Where nobody bounds the memory, all at once.
    expect((await readKeys({ table: worker.port }, users.map(keyIn))).copies).toHaveLength(301);
    expect(sizes).toEqual([300, 1, 301]);
    expect(worker.telemetry.propagations).toMatchObject([{ written: 301, requeued: 0 }]);
  });

  test.each<[string, boolean, number, Partial<Message>]>([
    ['are written then', false, 1, {}],
    ['are requeued if the invocation is about to end by then', true, 0, {}],
    ['are requeued, if they are named, as well', true, 0, { copies: [keyIn(aParticipation('a'))] }],
  ])('wait for those of another propagation, and %s', async (_, outOfTime, written, more) => {
    const worker = workerOver([anIncident({ State: 'CLOSED' }), aParticipation('a')]);
    const memory = new Memory();
    const page = 'copies' in more ? mostBytes(1) : queryBytes + mostBytes(0);
    const hold = await memory.hold(mostBytes(keysAtOnce) - page + 1);
    const done = propagate(
      { ...worker.context, memory },
      about('incident-on-participations', anIncident(), more),
    );
    await new Promise((resolve) => setImmediate(resolve));
    expect(worker.port.counts.queryPartition).toBe(0);

    worker.outOfTime = outOfTime;
    hold.release();
    await done;

    expect(worker.port.counts.queryPartition).toBe(written);
    expect(worker.telemetry.propagations).toMatchObject([{ written, requeued: 1 - written }]);
  });
});
