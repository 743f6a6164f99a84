import { describe, expect, test } from 'vitest';
import { jsValue } from '../../../src/model/items/attribute-value.ts';
import { keyAttributes, keyIn } from '../../../src/model/items/item.ts';
import { entryKey, headKey } from '../../../src/model/rules/ledger.ts';
import { makeRegistry } from '../../../src/model/rules/registry.ts';
import type { WriteOutcome } from '../../../src/model/work/guarded-write.ts';
import type { Message } from '../../../src/model/work/message.ts';
import { table } from '../../../src/table.ts';
import { itemOf } from '../../../src/testing/plain-values.ts';
import { ModelWorker } from '../../../src/testing/table-model/model-worker.ts';
import type { Settings } from '../../../src/worker/ports.ts';
import { fanOutBatch } from '../../../src/worker/propagation/fan-out-batch.ts';
import { propagate } from '../../../src/worker/propagation/propagate.ts';
import { propagateBatch } from '../../../src/worker/propagation/propagate-batch.ts';
import { tableWith } from '../../fixtures/world/table-faults.ts';
import { workerAfter, workerOver } from '../../fixtures/world/world.ts';
import { likes, likesOfPost } from '../../simulation/likes-rules.ts';

const { pk, sk, type } = table;

const post = (id: string) => itemOf({ [pk]: `POST#${id}`, [sk]: 'POST', [type]: 'Post', Title: 'x' });

const postKey = (id: string) => ({ pk: `POST#${id}`, sk: 'POST' });

const like = (id: number, Post: string | undefined, Weight?: number) =>
  itemOf({ [pk]: `LIKE#${id}`, [sk]: 'LIKE', [type]: 'Like', Post, Weight });

async function workerWith(shards: number, ...items: readonly ReturnType<typeof post>[]) {
  const worker = await workerAfter(items, likes(shards));
  return worker;
}

function totals(worker: ModelWorker, id: string) {
  const item = worker.table.read(postKey(id)) ?? {};
  return ['Likes', 'Weight', 'Mean'].map((name) => item[name] && jsValue(item[name]));
}

describe.each([1, 8])('a ledger of %s shards', (shards) => {
  test('asks as much for a change of a thousand members as of ten', async () => {
    const requests = async (members: number) => {
      const all = Array.from({ length: members }, (_, id) => like(id, 'a', 1));
      const worker = await workerWith(shards, post('a'), ...all);
      expect(totals(worker, 'a')).toEqual([members, members, 1]);
      const before = requestsOf(worker);
      worker.table.put(like(0, 'a', 5));
      await worker.rest();
      expect(totals(worker, 'a')).toEqual([
        members,
        members + 4,
        Math.round(((members + 4) / members) * 100) / 100,
      ]);
      return requestsOf(worker) - before;
    };

    // A post is two reads and a write, and its check two reads more; so are totals, however many heads there are.
    expect([await requests(10), await requests(1000)]).toEqual([10, 10]);
  });
});

function requestsOf({ port: { counts } }: ModelWorker): number {
  return counts.get + counts.getMany + counts.queryPartition + counts.update + counts.create + counts.remove;
}

test('a period delays the totals, and not the posts of members', async () => {
  const worker = new ModelWorker(makeRegistry(table, [], [], [], [{ ...likesOfPost(1), every: 60 }]));
  for (const one of [post('a'), like(1, 'a')]) worker.table.put(one);
  await propagateBatch(worker.context, worker.stream.take());
  await propagateBatch(worker.context, worker.stream.take());

  expect(worker.queue.sent.map(({ message }) => message.copies)).toEqual([undefined, undefined]);
  await worker.workOff(60);
  expect(totals(worker, 'a')[0]).toBe(1);
});

test('a limit is no limit of shards', async () => {
  const few = { ...likesOfPost(8), limit: 2 };
  const worker = new ModelWorker(makeRegistry(table, [], [], [], [few]));
  worker.table.put(post('a'));
  for (let id = 0; id < 30; id += 1) worker.table.put(like(id, 'a'));
  await worker.rest();

  expect(totals(worker, 'a')[0]).toBe(30);
});

test('sums fit into 38 digits if invalid members are skipped, whatever the limit', async () => {
  const skipping = { ...likesOfPost(1), invalid: 'skip', limit: 1 } as const;
  const worker = new ModelWorker(makeRegistry(table, [], [], [], [skipping]));
  worker.table.put(post('a'));
  const weights = ['0.00000000000000000001', '2', ...Array.from({ length: 30 }, () => '999999999999999999')];
  for (const [id, N] of weights.entries()) worker.table.put({ ...like(id, 'a'), Weight: { N } });
  await worker.rest();

  expect(worker.queue.deadLettered).toEqual([]);
  expect(totals(worker, 'a')).toEqual([1, 2, 2]);
});

test('another number of shards counts no member twice', async () => {
  const before = await workerWith(1, post('a'), ...Array.from({ length: 30 }, (_, id) => like(id, 'a', 1)));
  const worker = await workerWith(8, ...before.table.items());

  expect(totals(worker, 'a')).toEqual([30, 30, 1]);
});

test.each(['target', 'member'])("items of a ledger are in no index whose key is '%s'", async (key) => {
  const names = { ...table, indexes: { ...table.indexes, GSI1: { ...table.indexes.GSI1, pk: key } } };
  const worker = await workerAfter(
    [post('a'), like(1, 'a', 1)],
    makeRegistry(names, [], [], [], [likesOfPost(1)]),
  );

  expect(totals(worker, 'a')).toEqual([1, 1, 1]);
});

describe('a message that names members', () => {
  const members = (count: number) => Array.from({ length: count }, (_, id) => like(id, 'a', 1));
  const keys = members(198).map((one) => keyIn(table, one));
  const message: Message = { rule: 'likes-of-post', root: postKey('a'), cause: 'changed', attempts: 3 };

  /** Their likes have been put, and nobody has read of it. */
  function unposted(count: number, settings: Partial<Settings> = {}) {
    const worker = workerOver([post('a'), ...members(count)], settings, likes(1));
    return worker;
  }

  test('has 99 of them posted at a time, until all are', async () => {
    const worker = unposted(198, { pageLimit: 99 });
    await propagate(worker.context, { ...message, copies: keys });

    const rest = { ...message, copies: keys.slice(99), attempts: 0 };
    expect(worker.queue.sent).toMatchObject([{ message: rest }]);
    await propagate(worker.context, rest);
    expect(worker.queue.sent).toHaveLength(1);
    await worker.rest();
    expect(totals(worker, 'a')).toEqual([198, 198, 1]);
  });

  test.each<[WriteOutcome, string, object]>([
    ['unavailable', 'waits', { attempts: 0, unavailableSince: Date.UTC(2026, 0, 1) }],
    ['refused', 'is dead-lettered', { attempts: 0 }],
  ])('says of one whose entry is %s, and that %s, nothing of the others', async (outcome, _, limits) => {
    const worker = unposted(3);
    const copies = keys.slice(1, 2);
    worker.port.answer = (key, answer) => (key.sk.includes('LIKE#1') ? outcome : answer);
    await propagate(worker.context, { ...message, copies: keys.slice(0, 3), unavailableSince: 0 });

    const left = [...worker.queue.sent, ...worker.queue.deadLettered].map((one) => one.message);
    expect(left).toEqual([{ ...message, ...limits, copies }]);
  });

  test('waits as long as it has waited if it names one that cannot be written', async () => {
    const worker = unposted(1);
    worker.port.answer = () => 'unavailable';
    const waiting = { ...message, copies: keys.slice(0, 1), unavailableSince: worker.time - 9000 };
    await propagate(worker.context, waiting);

    expect(worker.queue.sent).toMatchObject([{ message: waiting, delaySeconds: 9 }]);
  });
});

test('messages of one target that are received together post all of their members', async () => {
  const worker = await workerWith(3, post('a'), post('b'));
  const ids = Array.from({ length: 250 }, (_, id) => id);
  for (const id of ids) worker.table.put(like(id, 'a', 1));
  worker.outOfTime = true;
  for (let records = worker.stream.take(60); records.length > 0; records = worker.stream.take(60))
    await propagateBatch(worker.context, records);
  worker.outOfTime = false;
  await worker.rest();

  expect(totals(worker, 'a')).toEqual([250, 250, 1]);
  expect(worker.queue.deadLettered).toEqual([]);
});

describe('an entry is checked by its own record', () => {
  const key = { pk: 'LIKE#1', sk: 'LIKE' };
  const entry = (Post: string) => entryKey(likesOfPost(1), postKey(Post), key);

  test('if an invocation that was given the same batch writes it late, and dies', async () => {
    const worker = await workerWith(1, post('a'));
    worker.table.put(like(1, 'a', 1));
    const batch = worker.stream.take();
    const stalled = tableWith(worker, {
      async transact(...asked) {
        // Another invocation answers for the batch; the like goes, and nothing of it is posted.
        worker.table.delete(key);
        await propagateBatch(worker.context, batch);
        await worker.rest();
        await worker.port.transact(...asked);
        throw new Error('the invocation dies');
      },
    });
    await propagateBatch({ ...worker.context, table: stalled }, batch).catch(() => {});
    expect(worker.table.read(entry('a'))).toBeDefined();
    await worker.rest();

    expect(worker.table.read(entry('a'))).toBeUndefined();
    expect(totals(worker, 'a')).toEqual([0, 0, undefined]);
  });

  test('if its transaction takes effect when the member has changed back', async () => {
    const worker = await workerWith(1, post('a'), like(1, 'a', 1));
    let late = async () => {};
    const timedOut = tableWith(worker, {
      async transact(root, actions) {
        late = async () => void (await worker.port.transact(root, actions));
        return actions.map(() => 'unavailable');
      },
    });
    worker.table.put(like(1, 'a', 5));
    await propagateBatch({ ...worker.context, table: timedOut }, worker.stream.take());
    worker.table.put(like(1, 'a', 1));
    await worker.rest();
    await late();
    expect(worker.table.read(entry('a'))).toMatchObject({ '+Weight': { N: '5' } });
    await worker.rest();

    expect(totals(worker, 'a')).toEqual([1, 1, 1]);
    expect(worker.queue.deadLettered).toEqual([]);
  });

  test.each<[string, (worker: ModelWorker) => void]>([
    ['deletes it', ({ table: items }) => items.delete(entry('a'))],
    ['takes its names', ({ table: items }) => items.put(keyAttributes(table, entry('a')))],
  ])('if somebody %s', async (_, spoil) => {
    const worker = await workerWith(1, post('a'), like(1, 'a', 1));
    const before = worker.table.read(entry('a'));
    spoil(worker);
    await worker.rest();

    expect(worker.table.read(entry('a'))).toMatchObject({ '+Weight': before?.['+Weight'] });
  });
});

describe('messages of one target that are received together', () => {
  const message: Message = { rule: 'likes-of-post', root: postKey('a'), cause: 'changed', attempts: 0 };
  const records = (...messages: readonly Message[]) =>
    messages.map((one, id) => ({ id: `${id}`, body: JSON.stringify(one) }));

  test('are not given up together: a member that was tried once is tried again', async () => {
    const worker = await workerWith(1, post('a'));
    for (const id of [1, 2]) worker.table.put(like(id, 'a'));
    worker.stream.take();
    worker.port.answer = () => 'unavailable';
    const [old, young] = [1, 2].map((id) => [keyIn(table, like(id, 'a'))]);
    await fanOutBatch(
      worker.context,
      records({ ...message, copies: old, unavailableSince: 0 }, { ...message, copies: young }),
    );

    expect(worker.queue.deadLettered).toEqual([]);
    expect(worker.queue.sent.flatMap((one) => one.message.copies)).toEqual([old, young].flat());
  });

  test('repair the target beside posts of its members', async () => {
    const worker = await workerWith(1, post('a'), like(1, 'a', 1));
    worker.table.update(postKey('a'), { set: { Likes: { N: '7' } } });
    worker.stream.take();
    await fanOutBatch(
      worker.context,
      records({ ...message, copies: [keyIn(table, like(1, 'a'))] }, { ...message, cause: 'repair' }),
    );

    expect(totals(worker, 'a')).toEqual([1, 1, 1]);
  });
});

test('a head is repaired only if nothing was posted since it was read', async () => {
  const worker = await workerWith(1, post('a'), like(1, 'a', 1), like(3, 'a', 1));
  const head = headKey(likesOfPost(1), postKey('a'), 0);
  let queries = 0;
  const port = tableWith(worker, {
    // Members come and go while entries are read: the sum is what it was.
    async query(...asked) {
      queries += 1;
      if (queries > 1) return await worker.port.query(...asked);
      worker.table.delete({ pk: 'LIKE#3', sk: 'LIKE' });
      await worker.rest();
      const page = await worker.port.query(...asked);
      worker.table.put(like(2, 'a', 1));
      await worker.rest();
      return page;
    },
  });
  await fanOutBatch({ ...worker.context, table: port }, [
    {
      id: '1',
      body: JSON.stringify({ rule: 'likes-of-post', root: head, cause: 'repair', attempts: 0 }),
    },
  ]);
  await worker.rest();

  expect(queries).toBeGreaterThan(1);
  expect(worker.table.read(head)).toMatchObject({ '+Likes': { N: '2' } });
  expect(totals(worker, 'a')).toEqual([2, 2, 1]);
});
