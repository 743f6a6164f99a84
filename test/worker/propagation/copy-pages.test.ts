import { describe, expect, test } from 'vitest';
import type { CopyLocation } from '../../../src/model/items/copy-location.ts';
import { type Item, text } from '../../../src/model/items/item.ts';
import type { WriteOutcome } from '../../../src/model/work/guarded-write.ts';
import type { Message } from '../../../src/model/work/message.ts';
import type { ModelWorker } from '../../../src/testing/table-model/model-worker.ts';
import { pagesOf } from '../../../src/worker/propagation/copy-pages.ts';
import { fanOutBatch } from '../../../src/worker/propagation/fan-out-batch.ts';
import { propagate } from '../../../src/worker/propagation/propagate.ts';
import { bound } from '../../fixtures/model/bound.ts';
import { anIncident, anOrder, anOrderItem, aParticipation, aUserOrder } from '../../fixtures/world/items.ts';
import { aPost, aTagged, titleOnTagsThat } from '../../fixtures/world/posts.ts';
import { incidentOnParticipations } from '../../fixtures/world/rules.ts';
import { justBefore, requestsOf } from '../../fixtures/world/table-faults.ts';
import { about, keyIn, oneBatch, spent } from '../../fixtures/world/worker.ts';
import { registryOf, workerOver } from '../../fixtures/world/world.ts';

const participations = ['a', 'b', 'c', 'd', 'e'].map((user) => aParticipation(user));
const named = participations.map(keyIn);
const closed = anIncident({ State: 'CLOSED' });

function aboutIncident(more: Partial<Message> = {}): Message {
  return about('incident-on-participations', closed, more);
}

function participationsOf(incident: string) {
  return { in: 'partition', pk: `acct_1#${incident}#participations` } as const;
}

/** The cursors of a worker's queries from now on, in order. */
async function cursorsOf(worker: ModelWorker, work: () => Promise<unknown>) {
  const requests = requestsOf(worker);
  await work();
  return requests.flatMap((request) => (request.kind === 'queryPartition' ? [request.from] : []));
}

describe('named copies', () => {
  test('are read at most a page at a time', async () => {
    const worker = workerOver([closed, ...participations], { pageLimit: 2 });

    await propagate(worker.context, aboutIncident({ copies: named }));

    expect(spent(worker)).toEqual({ getMany: 1, get: 1, update: 1, itemsRead: 3, itemsWritten: 2 });
    expect(worker.queue.sent).toMatchObject([{ message: { copies: named.slice(2) } }]);
  });

  test('are read page by page', async () => {
    const { context } = workerOver([closed, ...participations], { pageLimit: 2 });

    const pages: (readonly string[])[] = [];
    for await (const { copies } of pagesOf(
      context,
      bound(incidentOnParticipations),
      aboutIncident({ copies: named }),
    ))
      pages.push(copies.map(({ key }) => key.sk));

    expect(pages).toEqual([['a', 'b'], ['c', 'd'], ['e']]);
  });
});

describe('copies at a key', () => {
  const owned = { OwnerPart: 'USER#42', OwnerSort: 'ORDER' };
  const older: [CopyLocation['in'], CopyLocation][] = [
    ['partition', { in: 'partition', pk: 'USER#42' }],
    ['index', { in: 'index', index: 'ByOwner', pk: 'USER#42' }],
  ];

  test.each(older)('are updated by an older message that has them in a %s', async (_, location) => {
    const worker = workerOver([anOrder({ Total: 1 }), aUserOrder(owned)]);

    await propagate(worker.context, about('order-on-user-order', anOrder(), { locations: [location] }));

    expect(worker.table.read(keyIn(aUserOrder()))).toEqual(aUserOrder({ ...owned, Total: 1 }));
  });

  test.each(older)(
    'elsewhere are left alone by an older message that has them in a %s',
    async (_, location) => {
      const elsewhere = aUserOrder({ ...owned, Sort: 'ORDER#2026-01-01', Total: 2 });
      const worker = workerOver([anOrder(), elsewhere]);

      await propagate(worker.context, about('order-on-user-order', anOrder(), { locations: [location] }));

      expect(worker.table.read(keyIn(elsewhere))).toEqual(elsewhere);
      expect(worker.telemetry.propagations).toMatchObject([{ foreign: 1 }]);
    },
  );

  test.each(older)('go with their root by an older message that has them in a %s', async (_, location) => {
    const copies = ['1', '2', '3'].map((day) => aUserOrder({ ...owned, Sort: `ORDER#2026-01-0${day}` }));
    const worker = workerOver(copies, { pageLimit: 2 });
    const message = about('order-on-user-order', anOrder(), { locations: [location] });

    await propagate(worker.context, { ...message, cause: 'deleted' });
    await worker.rest();

    expect(worker.table.items()).toEqual([]);
    const rechecks = worker.telemetry.propagations.filter(({ recheck }) => recheck);
    expect(rechecks).toHaveLength(location.in === 'index' ? 1 : 0);
  });
});

describe('an item that is its own copy', () => {
  const state = { StatePart: 'x' };
  const ofKeys = (more: Partial<Message>) => about('order-state-keys', anOrder(), more);

  test('is found among others that a message names', async () => {
    const other = anOrder({ Part: 'ORDER#a', Status: 'OTHER' });
    const worker = workerOver([other, anOrder(state)]);

    await propagate(worker.context, ofKeys({ copies: [keyIn(other), keyIn(anOrder())] }));

    expect(worker.table.read(keyIn(anOrder()))).toEqual(anOrder());
  });

  test('is not what an older message with copies elsewhere is about', async () => {
    const worker = workerOver([anOrder(state), anOrderItem()]);
    const message = ofKeys({ cause: 'deleted', locations: [{ in: 'partition', pk: 'ORDER#t' }] });

    await propagate(worker.context, message);

    expect(worker.queue.deadLettered).toMatchObject([
      { code: 'rule.unknown', reason: expect.stringContaining('order-state-keys'), message },
    ]);
    expect(spent(worker)).toEqual({});
  });
});

describe('copies in a partition', () => {
  test('are found by an older message with a key as location', async () => {
    const worker = workerOver([closed, ...participations]);

    await propagate(
      worker.context,
      aboutIncident({ locations: [{ in: 'key', pk: named[0]?.pk ?? '', sk: 'a' }] }),
    );

    expect(spent(worker)).toEqual({ getMany: 1, get: 1, update: 1, itemsRead: 2, itemsWritten: 1 });
  });

  test('need no reading of their root if there are none', async () => {
    const worker = workerOver([closed]);

    await propagate(worker.context, aboutIncident({ locations: [participationsOf('incident_a')] }));

    expect(spent(worker)).toEqual({ queryPartition: 1 });
    await propagate(worker.context, aboutIncident({ locations: [] }));
    expect([spent(worker), worker.queue.sent]).toEqual([{}, []]);
  });

  test('are queried without a cursor from the start, even if the message names the start', async () => {
    const worker = workerOver([closed, ...participations], { pageLimit: 2 });

    const cursors = await cursorsOf(worker, async () => {
      await propagate(
        worker.context,
        aboutIncident({ locations: [participationsOf('incident_a')], cursor: {} }),
      );
      await fanOutBatch(worker.context, worker.queue.take());
    });

    expect(cursors).toEqual([undefined, { Part: 'acct_1#incident_a#participations', Sort: 'b' }]);
  });

  test('of the next location are requeued from its start', async () => {
    const worker = workerOver([closed, ...participations]);
    const locations = [participationsOf('incident_a'), participationsOf('incident_b')];
    worker.outOfTime = true;

    await propagate(
      worker.context,
      aboutIncident({ locations, cursor: { Part: named[0]?.pk ?? '', Sort: 'b' } }),
    );

    expect(worker.queue.sent).toMatchObject([{ message: { locations, at: 1 } }]);
    expect(worker.queue.sent[0]?.message.cursor).toBeUndefined();
  });
});

const many = Array.from({ length: 101 }, (_, index) => `t${index}`);
const underA = keyIn(aTagged('a'));

function aboutPost(more: Partial<Message> = {}): Message {
  return about('title-on-tags', aPost([]), more);
}

function postsOver(items: readonly Item[], registry = registryOf(titleOnTagsThat('delete'))): ModelWorker {
  return workerOver(items, {}, registry);
}

/** The titles by tag. */
function tagged({ table }: ModelWorker): Record<string, unknown> {
  const copies = table.items().filter((item) => keyIn(item).pk.startsWith('TAG#'));
  return Object.fromEntries(copies.map((copy) => [keyIn(copy).pk.slice('TAG#'.length), text(copy['Title'])]));
}

describe('copies at several keys', () => {
  test('are not looked for where the list has none', async () => {
    const worker = postsOver([aPost([])]);
    worker.table.put(aPost([], 'two'));

    await oneBatch(worker);

    expect(spent(worker)).toEqual({ get: 1, itemsRead: 1 });
  });

  test.each([[[]], [['t0']]])(
    'that are more than a hundred are dead-lettered with a reason, after %j',
    async (before) => {
      const worker = postsOver([aPost(before), aTagged('t0')]);
      worker.table.put(aPost(many, 'two'));

      await worker.rest();

      const reason = expect.stringContaining('101 keys: expected at most 100');
      expect(worker.queue.deadLettered).toMatchObject([{ code: 'root.too-many-keys', reason }]);
      expect(tagged(worker)).toEqual({ t0: 'one' });
    },
  );

  test('of a deleted root that had none need no dead letter', async () => {
    const worker = postsOver([aPost([])]);
    worker.table.delete(keyIn(aPost([])));

    await worker.rest();

    expect(worker.queue.deadLettered).toEqual([]);
  });

  test('do not have their root read if they are gone, nor again if they go meanwhile', async () => {
    const gone = postsOver([aPost(['a'])]);
    await propagate(gone.context, aboutPost({ copies: [underA] }));
    expect(spent(gone)).toEqual({ getMany: 1 });

    const going = postsOver([aPost(['a'], 'two'), aTagged('a')]);
    justBefore(going, 'update', () => going.table.delete(underA));
    await propagate(going.context, aboutPost({ locations: [{ in: 'keys', keys: [underA] }] }));
    expect(spent(going)).toMatchObject({ getMany: 2, get: 1, update: 1 });
  });
});

describe('a message with long keys', () => {
  const longTags = (prefix: string, from: number) =>
    many.slice(from, from + 50).map((tag) => `${prefix}${tag}${'x'.repeat(1900)}`);
  const tags = [...longTags('', 0), ...longTags('', 50)];
  const others = [...tags.slice(50), ...longTags('u', 0)];
  const before = [aPost(tags), ...tags.map((tag) => aTagged(tag))];

  test('is split, and each part does its own', async () => {
    const worker = postsOver(before);
    worker.table.put(aPost(others, 'two'));
    worker.outOfTime = true;
    await oneBatch(worker);
    const sent = worker.queue.take();
    worker.outOfTime = false;

    expect(sent.length).toBeGreaterThan(4);
    for (const { body } of sent) expect(Buffer.byteLength(body)).toBeLessThan(104_857);
    await fanOutBatch(worker.context, sent);
    expect(tagged(worker)).toEqual(Object.fromEntries(tags.slice(50).map((tag) => [tag, 'two'])));
  });

  test.each<WriteOutcome>(['lost', 'unavailable', 'refused'])(
    'says of a copy that is %s nothing of the others',
    async (outcome) => {
      const items = [...before, ...others.slice(50).map((tag) => aTagged(tag))];
      const worker = workerOver(items, { rounds: 1 }, titleOnTagsThat('delete'));
      const one = keyIn(aTagged(others[0] ?? ''));
      worker.port.answer = (key, answer) => (key.pk === one.pk ? outcome : answer);
      for (const [title, list] of [tags, others, tags, others].entries())
        worker.table.put(aPost(list, `title ${title}`));

      await oneBatch(worker);

      const left = [...worker.queue.sent, ...worker.queue.deadLettered].map(({ message }) => message);
      expect(left).toMatchObject([{ copies: [one] }]);
      expect(Buffer.byteLength(JSON.stringify(left))).toBeLessThan(10_000);
    },
  );
});
