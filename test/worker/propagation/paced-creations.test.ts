import { describe, expect, test } from 'vitest';
import type { ModelWorker } from '../../../src/develop/testing/table-model/model-worker.ts';
import type { Item } from '../../../src/model/item.ts';
import type { TablePort } from '../../../src/worker/ports.ts';
import type { PropagationContext } from '../../../src/worker/propagation/context.ts';
import { propagateBatch } from '../../../src/worker/propagation/propagate-batch.ts';
import { propagateRoot } from '../../../src/worker/propagation/propagate-root.ts';
import { keyIn, workerOver } from '../../fixtures/cruises/cruise-worker.ts';
import { aPost, posts, titleOnTags } from '../../fixtures/posts/posts.ts';

/** A worker whose stream has a new post with so many tags. */
function publishing(tags: number, fanOutWriteUnits = 100): ModelWorker {
  const worker = workerOver([], { fanOutWriteUnits }, posts(titleOnTags));
  worker.table.put(aPost(Array.from({ length: tags }, (_, index) => `t${index}`)));
  return worker;
}

/** A context whose table throttles whole transactions. @param isThrottled by their number, from 0, and size */
function throttling(worker: ModelWorker, isThrottled: (request: number, creations: number) => boolean) {
  const requests: { readonly creations: number; readonly at: number; readonly paced: boolean }[] = [];
  const began = worker.time;
  const table: TablePort = {
    get: (key) => worker.port.get(key),
    getMany: (keys) => worker.port.getMany(keys),
    query: (...asked) => worker.port.query(...asked),
    update: (updates) => worker.port.update(updates),
    async transact(root, creations, onSpent) {
      const refuses = isThrottled(requests.length, creations.length);
      requests.push({
        creations: creations.length,
        at: worker.time - began,
        paced: onSpent !== undefined,
      });
      if (refuses) return creations.map(() => (onSpent === undefined ? 'unavailable' : 'throttled'));
      const outcomes = await worker.port.transact(root, creations);
      // A put costs two units in a transaction, and so does the condition on the root.
      onSpent?.(2 * creations.length + 2);
      return outcomes;
    },
  };
  return { context: { ...worker.context, table }, requests };
}

/** The propagation of the post as FanOut runs it. Propagate waits for no pace. */
async function fromQueue(context: PropagationContext, worker: ModelWorker): Promise<void> {
  worker.stream.take();
  const [root] = worker.table.items().map(keyIn);
  if (root === undefined) throw new Error('Expected a post');
  await propagateRoot(context, titleOnTags, { rule: titleOnTags.name, root, cause: 'changed', attempts: 0 });
}

function copies(worker: ModelWorker): readonly Item[] {
  return worker.table.items().filter((item) => keyIn(item).sk !== 'POST');
}

function timesMade(worker: ModelWorker): number {
  return worker.table.history.filter(({ by }) => by === 'worker').length;
}

describe('a propagation that creates', () => {
  test('25 copies keeps to no pace', async () => {
    const worker = publishing(25);
    const { context, requests } = throttling(worker, () => false);

    await propagateBatch(context, worker.stream.take());

    expect(requests).toEqual([{ creations: 25, at: 0, paced: false }]);
  });

  test('a hundred copies sends one transaction after another, each when the one before is paid for', async () => {
    const worker = publishing(100);
    const { context, requests } = throttling(worker, () => false);

    await fromQueue(context, worker);

    // The first has a second's worth to spend. Each costs two units more, for the condition on the root.
    expect(requests).toEqual([
      { creations: 50, at: 0, paced: true },
      { creations: 25, at: 520, paced: true },
      { creations: 25, at: 1040, paced: true },
    ]);
    expect(worker.telemetry.propagations).toMatchObject([{ written: 100, pace: { throttled: 0 } }]);
  });

  test('sends a throttled transaction again, at half the pace, and makes each copy once', async () => {
    const worker = publishing(60);
    const { context, requests } = throttling(worker, (request) => request === 0);

    await fromQueue(context, worker);

    expect(requests.map(({ creations }) => creations)).toEqual([50, 25, 25, 10]);
    expect((requests[1]?.at ?? 0) - (requests[0]?.at ?? 0)).toBe((50 / 50) * 1000);
    expect([copies(worker).length, timesMade(worker)]).toEqual([60, 60]);
    expect(worker.telemetry.propagations).toMatchObject([{ written: 60, lost: 0, pace: { throttled: 50 } }]);
  });

  test('sends smaller transactions to a partition that takes no large ones', async () => {
    const worker = publishing(99, 800);
    const { context, requests } = throttling(worker, (_, creations) => creations > 25);

    await fromQueue(context, worker);

    expect(requests.map(({ creations }) => creations)).toEqual([99, 25, 25, 25, 24]);
    expect([copies(worker).length, timesMade(worker)]).toEqual([99, 99]);
  });

  test('requeues what is throttled six times, and creates it when the table takes it', async () => {
    const worker = publishing(60, 800);
    const { context, requests } = throttling(worker, () => true);

    await fromQueue(context, worker);

    expect([requests.length, copies(worker).length]).toEqual([6, 0]);
    expect(worker.queue.sent).toMatchObject([
      {
        message: {
          copies: { length: 60 },
          unavailableSince: expect.any(Number),
          pace: { unitsPerSecond: 25 },
        },
      },
    ]);
    await worker.workOff(60);
    expect([copies(worker).length, timesMade(worker)]).toEqual([60, 60]);
    expect(worker.queue.deadLettered).toEqual([]);
  });

  test('sends no more transactions once the condition on the root has failed', async () => {
    const worker = publishing(100);
    // The first is throttled. When the second is sent, the root has gone, and one copy is left.
    const { context, requests } = throttling(worker, (request) => {
      if (request === 1) worker.table.delete(keyIn(aPost([])));
      return request === 0;
    });

    await fromQueue(context, worker);

    expect(requests.map(({ creations }) => creations)).toEqual([50, 25]);
    expect(copies(worker)).toEqual([]);
    expect(worker.telemetry.propagations).toMatchObject([{ written: 0, lost: 100, requeued: 0 }]);
  });

  test('creates nothing more if its root goes while it waits', async () => {
    const worker = publishing(100);
    const { context, requests } = throttling(worker, (request) => {
      if (request === 1) worker.table.delete(keyIn(aPost([])));
      return false;
    });

    await fromQueue(context, worker);
    expect([requests.length, copies(worker).length]).toEqual([2, 50]);
    await worker.rest();

    expect(copies(worker)).toEqual([]);
    expect(worker.queue.deadLettered).toEqual([]);
  });
});
