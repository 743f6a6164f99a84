import { describe, expect, test } from 'vitest';
import type { ModelWorker } from '../../../src/develop/testing/table-model/model-worker.ts';
import { distinctKeys } from '../../../src/model/copy-location.ts';
import type { WriteOutcome } from '../../../src/model/guarded-write.ts';
import { type Item, type ItemKey, text } from '../../../src/model/item.ts';
import type { Message } from '../../../src/model/message.ts';
import { fanOutBatch, propagateMessage } from '../../../src/worker/propagation/fan-out-batch.ts';
import { keyIn, oneBatch, spent, workerOver as workerOf } from '../../fixtures/cruises/cruise-worker.ts';
import { aPost, aTagged, posts, titleOnTagsThat } from '../../fixtures/posts/posts.ts';

const many = Array.from({ length: 101 }, (_, index) => `t${index}`);

describe('copies at several keys', () => {
  test('follow their root, in one read and one write request', async () => {
    const worker = workerOver([aPost(['a', 'b']), aTagged('a'), aTagged('b')]);
    worker.table.put(aPost(['a', 'b'], 'two'));

    await oneBatch(worker);

    expect(tagged(worker)).toEqual({ a: 'two', b: 'two' });
    expect(spent(worker)).toMatchObject({ getMany: 1, get: 1, update: 1 });
  });

  test.each([
    ['delete', undefined],
    ['keep', 'one'],
  ] as const)('that leave the list follow onDelete %s', async (onDelete, left) => {
    const worker = workerOver(
      [aPost(['a', 'b']), aTagged('a'), aTagged('b')],
      posts(titleOnTagsThat(onDelete)),
    );
    worker.table.put(aPost(['a', 'c'], 'two'));

    await worker.rest();

    expect(tagged(worker)).toEqual({ a: 'two', ...(left && { b: left }) });
  });

  test('that leave a list which becomes empty are deleted', async () => {
    const worker = workerOver([aPost(['a', 'b']), aTagged('a'), aTagged('b')]);
    worker.table.put(aPost([]));

    await worker.rest();

    expect(tagged(worker)).toEqual({});
  });

  test('are deleted with their root, and stay if it is put again meanwhile', async () => {
    const worker = workerOver([aPost(['a', 'b']), aTagged('a'), aTagged('b')]);
    worker.table.delete(keyIn(aPost([])));
    worker.port.before = (request) => {
      if (request.kind === 'remove' && worker.table.read(keyIn(aPost([]))) === undefined)
        worker.table.put(aPost(['b'], 'two'));
    };

    await worker.rest();

    expect(tagged(worker)).toEqual({ b: 'two' });
  });

  test('are found by a message without locations, from the root as it is', async () => {
    const worker = workerOver([aPost(['a', 'a', 'b'], 'two'), aTagged('a'), aTagged('b')]);

    await propagateMessage(worker.context, about({ cause: 'repair' }));

    expect(tagged(worker)).toEqual({ a: 'two', b: 'two' });
  });

  test('are not looked for where the list has none', async () => {
    const worker = workerOver([aPost([])]);
    worker.table.put(aPost([], 'two'));

    await oneBatch(worker);

    expect(spent(worker)).toEqual({ get: 1, itemsRead: 1 });
  });

  test('may be a hundred, whether the list names one twice', async () => {
    const tags = many.slice(0, 100);
    const worker = workerOver([aPost(tags), ...tags.map((tag) => aTagged(tag))]);
    worker.table.put(aPost([...tags, ...tags], 'two'));

    await worker.rest();

    expect(new Set(Object.values(tagged(worker)))).toEqual(new Set(['two']));
    expect(worker.queue.deadLettered).toEqual([]);
  });

  test.each([[[]], [['t0']]])(
    'that are more than a hundred are dead-lettered with a reason, after %j',
    async (before) => {
      const worker = workerOver([aPost(before), aTagged('t0')]);
      worker.table.put(aPost(many, 'two'));

      await worker.rest();

      expect(worker.queue.deadLettered).toMatchObject([
        { code: 'root.too-many-keys', reason: expect.stringContaining('101 keys: expected at most 100') },
      ]);
      expect(tagged(worker)).toEqual({ t0: 'one' });
    },
  );

  test('of a deleted root that had none need no dead letter', async () => {
    const worker = workerOver([aPost([])]);
    worker.table.delete(keyIn(aPost([])));

    await worker.rest();

    expect(worker.queue.deadLettered).toEqual([]);
  });

  test('of other posts, and other items at these keys, are left alone', async () => {
    const stranger: Item = { ...aTagged('a'), Kind: { S: 'Stranger' } };
    const worker = workerOver([aPost(['a', 'b']), stranger, aTagged('b', 'one', '2')]);
    worker.table.put(aPost(['c'], 'two'));

    await worker.rest();

    expect(worker.table.read(keyIn(stranger))).toEqual(stranger);
    expect(worker.table.read(keyIn(aTagged('b', 'one', '2')))).toEqual(aTagged('b', 'one', '2'));
  });
});

describe('the root of copies at several keys', () => {
  const removed = (worker: ModelWorker) => worker.table.delete(keyIn(aTagged('a')));

  test('is not read for a message whose copies are gone', async () => {
    const worker = workerOver([aPost(['a'])]);

    await propagateMessage(worker.context, about({ copies: [keyIn(aTagged('a'))] }));

    expect(spent(worker)).toEqual({ getMany: 1 });
  });

  test('is not read again after a copy that has gone meanwhile', async () => {
    const worker = workerOver([aPost(['a'], 'two'), aTagged('a')]);
    worker.port.before = ({ kind }) => {
      if (kind === 'update') removed(worker);
    };

    await propagateMessage(
      worker.context,
      about({ locations: [{ in: 'keys', keys: [keyIn(aTagged('a'))] }] }),
    );

    expect(spent(worker)).toMatchObject({ getMany: 2, get: 1, update: 1 });
  });
});

describe('a message with long keys', () => {
  const tags = many.slice(0, 100).map((tag) => `${tag}${'x'.repeat(1900)}`);
  const others = tags.slice(50).concat(many.slice(0, 50).map((tag) => `u${tag}${'x'.repeat(1900)}`));
  const before = [aPost(tags), ...tags.map((tag) => aTagged(tag))];

  test('is split, and each part does its own', async () => {
    const worker = workerOver(before);
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
      const worker = workerOf(items, { rounds: 1 }, posts());
      const [{ pk, sk } = expect.fail('no copy')] = others.map((tag) => keyIn(aTagged(tag)));
      worker.port.answer = (key, answer) => (key.pk === pk ? outcome : answer);
      for (const [title, list] of [tags, others, tags, others].entries())
        worker.table.put(aPost(list, `title ${title}`));

      await oneBatch(worker);

      const left = [...worker.queue.sent, ...worker.queue.deadLettered].map(({ message }) => message);
      expect(left).toMatchObject([{ copies: [{ pk, sk }] }]);
      expect(Buffer.byteLength(JSON.stringify(left))).toBeLessThan(10_000);
    },
  );

  test('becomes several dead letters', async () => {
    const worker = workerOver(before);
    worker.table.put({ ...aPost(others), Tags: { L: Array(101).fill({ N: '1' }) } });
    await worker.rest();

    expect(worker.queue.deadLettered.length).toBeGreaterThan(1);
    const named = worker.queue.deadLettered.flatMap(({ message }) => message?.copies ?? []);
    expect(distinctKeys(named)).toHaveLength(100);
    for (const one of worker.queue.deadLettered)
      expect(Buffer.byteLength(JSON.stringify(one))).toBeLessThan(104_857);
  });
});

function workerOver(items: readonly Item[], registry = posts()): ModelWorker {
  return workerOf(items, {}, registry);
}

function about(more: Partial<Message>): Message {
  return { rule: 'title-on-tags', root: keyIn(aPost([])), cause: 'changed', attempts: 0, ...more };
}

/** The titles by tag. */
function tagged({ table }: ModelWorker): Record<string, unknown> {
  const copies = table.items().flatMap((item) => {
    const key: ItemKey = keyIn(item);
    return key.pk.startsWith('TAG#') ? [[key.pk.slice('TAG#'.length), text(item['Title'])]] : [];
  });
  return Object.fromEntries(copies);
}
