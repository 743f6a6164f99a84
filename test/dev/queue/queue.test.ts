import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { deadLetterFolder } from '../../../src/dev/queue/dead-letter-folder.ts';
import {
  type Delivery,
  type LocalQueue,
  type LocalQueueOptions,
  localQueue,
} from '../../../src/dev/queue/queue.ts';
import { TransientError } from '../../../src/model/basics/errors.ts';
import { lookAt } from '../../suites/dead-letter-reader.suite.ts';
import { newFolder } from '../../suites/new-folder.ts';
import { describeQueuePort, message } from '../../suites/queue-port.suite.ts';

type Deliver = LocalQueueOptions['deliver'];

const defaults = {
  ...{ visibilitySeconds: 30, maxReceives: 5, batchSize: 10, messages: [] },
  failed: () => {},
};

describeQueuePort('The queue of this process', async () => {
  const deadLetters = deadLetterFolder(newFolder());
  const received: unknown[] = [];
  const deliver: Deliver = async (messages) => {
    received.push(...messages.map(({ body }) => JSON.parse(body)));
    return [];
  };
  const queue = localQueue({ ...defaults, deliver, deadLetters });
  return {
    queue,
    async arrived() {
      await queue.idle();
      return received;
    },
    pass: async () => queue.deliverDelayedNow(),
    async deadLettered() {
      const { deadLetters: found } = await lookAt(deadLetters);
      return found.map(({ id: _, at: __, ...deadLettered }) => deadLettered);
    },
    close: () => queue.stop(),
  };
});

describe('the queue of this process', () => {
  let batches: (readonly Delivery[])[];
  let buried: string[];
  let reported: unknown[];

  beforeEach(() => {
    vi.useFakeTimers({ now: 0 });
    [batches, buried, reported] = [[], [], []];
  });

  afterEach(() => {
    vi.useRealTimers();
  });

  /** A queue whose deliveries succeed by default. */
  function queueOf(options: Partial<LocalQueueOptions> = {}, deliver: Deliver = async () => []): LocalQueue {
    return localQueue({
      ...defaults,
      deliver(batch) {
        batches.push(batch);
        return deliver(batch);
      },
      deadLetters: { add: async (body) => void buried.push(body), deadLetter: async () => {} },
      failed: (error) => reported.push(error),
      ...options,
    });
  }

  const messages = (count: number) => Array.from({ length: count }, (_, index) => message(`USER#${index}`));
  const failing: Deliver = async (batch) => batch.map(({ messageId }) => messageId);
  const failingOnce: Deliver = async (batch) => (batch[0]?.receiveCount === 1 ? failing(batch) : []);
  const counts = () => batches.map((batch) => batch.map(({ receiveCount }) => receiveCount));

  /** Whether a promise has resolved by now. */
  function seen(promise: Promise<void>): { done: boolean } {
    const state = { done: false };
    promise.then(() => {
      state.done = true;
    });
    return state;
  }

  test('delivers messages in batches of the configured size, two at a time', async () => {
    const gate = Promise.withResolvers<readonly string[]>();
    const queue = queueOf({ batchSize: 4 }, () => gate.promise);
    await queue.send(messages(10));
    await vi.advanceTimersByTimeAsync(0);
    expect([batches.length, queue.isIdle()]).toEqual([2, false]);

    gate.resolve([]);
    await queue.idle();
    expect(batches.map((batch) => batch.length)).toEqual([4, 4, 2]);
  });

  test('delivers a delayed message when it is due', async () => {
    const queue = queueOf();
    await queue.send(messages(1), 900);
    await vi.advanceTimersByTimeAsync(899_999);
    expect([batches.length, queue.isIdle()]).toEqual([0, true]);

    await vi.advanceTimersByTimeAsync(1);
    expect(batches).toHaveLength(1);
  });

  test('delivers failed messages again, and no others', async () => {
    const queue = queueOf({}, async ([first]) => (first?.receiveCount === 1 ? [first.messageId] : []));
    await queue.send(messages(3));
    await vi.runAllTimersAsync();

    expect(counts()).toEqual([[1, 1, 1], [2]]);
    expect(batches[1]?.[0]).toEqual({ ...batches[0]?.[0], receiveCount: 2 });
  });

  test('waits longer after each failure, and no longer than the visibility timeout', async () => {
    const at: number[] = [];
    const queue = queueOf({ maxReceives: 6, visibilitySeconds: 0.5 }, (batch) => {
      at.push(Date.now());
      return failing(batch);
    });
    await queue.send(messages(1));
    await vi.runAllTimersAsync();

    const [first = 0] = at;
    expect(at.map((time) => time - first)).toEqual([0, 100, 300, 700, 1200, 1700]);
  });

  test.each<[string, Deliver]>([
    ['rejects', () => Promise.reject(new Error('no'))],
    ['returns a message that is not in the batch', async ([first]) => [first?.messageId ?? '', 'another']],
    ['returns a message with an empty id', async () => ['']],
  ])('treats every message as failed if the delivery %s', async (_, deliver) => {
    const queue = queueOf({}, (batch) =>
      batch[0]?.receiveCount === 1 ? deliver(batch) : Promise.resolve([]),
    );
    await queue.send(messages(2));
    await vi.runAllTimersAsync();

    expect(counts()).toEqual([
      [1, 1],
      [2, 2],
    ]);
  });

  test('reports the error of a delivery', async () => {
    const error = new Error('no');
    await queueOf({ maxReceives: 2 }, () => Promise.reject(error)).send(messages(1));
    await vi.runAllTimersAsync();

    expect(reported).toEqual([error, error]);
  });

  test('dead-letters a message, as it was sent, after its last receive', async () => {
    const queue = queueOf({ maxReceives: 3 }, failing);
    await queue.send(messages(1));
    await vi.runAllTimersAsync();

    expect(batches).toHaveLength(3);
    expect(buried.map((body) => JSON.parse(body))).toEqual(messages(1));
    expect(queue.messages()).toEqual([]);
  });

  test('keeps a message whose dead letter cannot be written', async () => {
    let full = true;
    const add = async (body: string) => {
      if (full) throw new TransientError('folder.unavailable', 'no space is left');
      buried.push(body);
    };
    const queue = queueOf({ maxReceives: 1, deadLetters: { add, deadLetter: async () => {} } }, failing);
    await queue.send(messages(1));
    await vi.advanceTimersByTimeAsync(250);
    expect(reported.length).toBeGreaterThan(0);
    expect(queue.messages()).toHaveLength(1);

    full = false;
    await vi.runAllTimersAsync();
    expect(buried).toHaveLength(1);
    expect(queue.messages()).toEqual([]);
  });

  test('is not idle while a delivery is running, or a failed one is due again', async () => {
    const gate = Promise.withResolvers<void>();
    const queue = queueOf({}, async (batch) => {
      await gate.promise;
      return failingOnce(batch);
    });
    await queue.send(messages(1));
    await queue.send(messages(1), 60);
    const idle = seen(queue.idle());
    await vi.advanceTimersByTimeAsync(1000);
    expect(idle.done).toBe(false);

    gate.resolve();
    await vi.advanceTimersByTimeAsync(99);
    expect(idle.done).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(idle.done).toBe(true);
  });

  test('is not idle until the messages that a delivery sent are delivered too', async () => {
    const queue: LocalQueue = queueOf({}, async () => {
      if (batches.length < 4) await queue.send(messages(1));
      return [];
    });
    await queue.send(messages(1));
    await queue.idle();

    expect(batches).toHaveLength(4);
  });

  test('finishes running deliveries when it stops, starts no more and takes no more', async () => {
    const gate = Promise.withResolvers<readonly string[]>();
    const queue = queueOf({ batchSize: 1 }, () => gate.promise);
    await queue.send(messages(3));
    await vi.advanceTimersByTimeAsync(0);
    const stopped = seen(queue.stop());
    await vi.advanceTimersByTimeAsync(10_000);
    expect(stopped.done).toBe(false);

    gate.resolve([]);
    await vi.runAllTimersAsync();
    expect(stopped.done).toBe(true);
    expect(batches).toHaveLength(2);
    await queue.idle();
    await expect(queue.send(messages(1))).rejects.toMatchObject({ code: 'queue.refused' });
  });

  test('leaves its messages to the next queue, also those in delivery', async () => {
    const first = queueOf({ batchSize: 1 }, () => new Promise(() => {}));
    await first.send(messages(3));
    await first.send(messages(1), 60);
    await vi.advanceTimersByTimeAsync(1);
    expect(first.messages()).toHaveLength(4);

    batches = [];
    const second = queueOf({ messages: first.messages() });
    await vi.advanceTimersByTimeAsync(59_000);
    expect(batches.flat()).toHaveLength(3);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(batches.flat()).toHaveLength(4);
    expect(second.messages()).toEqual([]);
  });
});
