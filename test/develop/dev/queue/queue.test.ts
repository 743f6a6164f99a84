import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { deadLetterFolder } from '../../../../src/develop/dev/queue/dead-letter-folder.ts';
import { type LocalQueueOptions, localQueue } from '../../../../src/develop/dev/queue/queue.ts';
import { FatalError, TransientError } from '../../../../src/model/errors.ts';
import { newFolder } from '../../../suites/new-folder.ts';
import { describeQueuePort } from '../../../suites/queue-port.suite.ts';
import { messages, type QueueLog, queueLog } from './queue-log.ts';

describeQueuePort('The queue of this process', async () => {
  const folder = newFolder();
  const deadLetters = deadLetterFolder(folder);
  const received: unknown[] = [];
  const queue = localQueue({
    async deliver(messages) {
      received.push(...messages.map(({ body }) => JSON.parse(body)));
      return [];
    },
    visibilitySeconds: 30,
    maxReceives: 3,
    batchSize: 10,
    deadLetters,
  });
  return {
    queue,
    async arrived() {
      await queue.idle();
      return received;
    },
    pass: async () => queue.deliverDelayedNow(),
    async deadLettered() {
      const found = (await deadLetters.list()).map(({ deadLetter }) => deadLetter);
      return found.map((deadLetter) =>
        deadLetter?.kind === 'dead-lettered' ? deadLetter.deadLettered : deadLetter,
      );
    },
    close: () => queue.stop(),
  };
});

describe('localQueue', () => {
  let log: QueueLog;

  beforeEach(() => {
    vi.useFakeTimers({ now: 0 });
    log = queueLog();
  });

  afterEach(() => {
    vi.useRealTimers();
  });

  test('delivers messages of one send in batches of the configured size', async () => {
    const queue = log.queueOf({ batchSize: 4 });
    await queue.send(messages(10));
    await queue.idle();

    expect(log.batches.map((batch) => batch.length)).toEqual([4, 4, 2]);
  });

  test('delivers as many batches in parallel as configured', async () => {
    const gate = Promise.withResolvers<void>();
    const queue = log.queueOf({ batchSize: 1, concurrency: 3 }, () => gate.promise.then(() => []));
    await queue.send(messages(7));
    await vi.advanceTimersByTimeAsync(0);

    expect(log.batches).toHaveLength(3);
    expect(queue.waiting()).toBe(4);
    gate.resolve();
    await queue.idle();
    expect(log.batches).toHaveLength(7);
  });

  test('delivers a delayed message when it is due', async () => {
    const queue = log.queueOf();
    await queue.send(messages(1), 900);
    await vi.advanceTimersByTimeAsync(899_999);

    expect(log.batches).toEqual([]);
    expect([queue.delayed(), queue.waiting()]).toEqual([1, 0]);
    await vi.advanceTimersByTimeAsync(1);
    expect(log.batches).toHaveLength(1);
    expect([queue.delayed(), queue.waiting()]).toEqual([0, 0]);
  });

  test('delivers delayed messages at once on request', async () => {
    const queue = log.queueOf();
    await queue.send(messages(2), 60);
    queue.deliverDelayedNow();

    expect([queue.delayed(), queue.waiting()]).toEqual([0, 2]);
    await queue.idle();
    expect(log.batches.flat()).toHaveLength(2);
  });

  test('delivers failed messages again, and no others', async () => {
    const queue = log.queueOf({}, async (batch) =>
      batch
        .filter(({ receiveCount }) => receiveCount === 1)
        .slice(0, 1)
        .map(({ messageId }) => messageId),
    );
    await queue.send(messages(3));
    await vi.runAllTimersAsync();

    expect(log.batches.map((batch) => batch.map(({ receiveCount }) => receiveCount))).toEqual([
      [1, 1, 1],
      [2],
    ]);
    expect(log.batches[1]?.[0]).toEqual({ ...log.batches[0]?.[0], receiveCount: 2 });
  });

  test('waits longer after each failure, and no longer than the visibility timeout', async () => {
    const at: number[] = [];
    const queue = log.queueOf({ maxReceives: 6, visibilitySeconds: 0.5 }, async (batch) => {
      at.push(Date.now());
      return batch.map(({ messageId }) => messageId);
    });
    await queue.send(messages(1));
    await vi.runAllTimersAsync();

    const [first = 0] = at;
    expect(at.map((time) => time - first)).toEqual([0, 100, 300, 700, 1200, 1700]);
  });

  test.each<[string, LocalQueueOptions['deliver']]>([
    ['rejects', () => Promise.reject(new Error('no'))],
    [
      'throws',
      () => {
        throw new Error('no');
      },
    ],
    ['returns a message that is not in the batch', async ([first]) => [first?.messageId ?? '', 'another']],
    ['returns a message with an empty id', async () => ['']],
  ])('treats every message as failed if the delivery %s', async (_, deliver) => {
    const queue = log.queueOf({}, (batch) =>
      batch[0]?.receiveCount === 1 ? deliver(batch) : Promise.resolve([]),
    );
    await queue.send(messages(2));
    await vi.runAllTimersAsync();

    expect(log.batches.map((batch) => batch.map(({ receiveCount }) => receiveCount))).toEqual([
      [1, 1],
      [2, 2],
    ]);
  });

  test('reports the error of a delivery', async () => {
    const error = new Error('no');
    const queue = log.queueOf({ maxReceives: 2 }, () => Promise.reject(error));
    await queue.send(messages(1));
    await vi.runAllTimersAsync();

    expect(log.reported).toEqual([error, error]);
  });

  test('dead-letters a message that has reached the maximum number of receives', async () => {
    const queue = log.queueOf({ maxReceives: 3 }, async (batch) => batch.map(({ messageId }) => messageId));
    await queue.send(messages(1));
    await vi.runAllTimersAsync();

    expect(log.batches).toHaveLength(3);
    expect(log.deadLetters).toEqual([
      {
        kind: 'dead',
        at: expect.stringMatching(/^1970-01-01T00:00:00\.3\d\dZ$/),
        ...log.batches[2]?.[0],
      },
    ]);
    expect([queue.delayed(), queue.waiting()]).toEqual([0, 0]);
  });

  test('keeps a message whose dead letter cannot be written', async () => {
    let full = true;
    const queue = log.queueOf(
      {
        maxReceives: 1,
        deadLetters: {
          ...log.folder,
          add: async (deadLetter) => (full ? refuse() : log.folder.add(deadLetter)),
        },
      },
      async (batch) => batch.map(({ messageId }) => messageId),
    );
    await queue.send(messages(1));
    await vi.advanceTimersByTimeAsync(250);
    expect(log.reported.length).toBeGreaterThan(0);
    expect(queue.waiting()).toBe(1);

    full = false;
    await vi.runAllTimersAsync();
    expect(log.deadLetters).toHaveLength(1);
    expect(queue.waiting()).toBe(0);
  });

  test.each([
    [
      new TransientError('folder.unavailable', 'no space is left'),
      { name: 'TransientError', code: 'queue.refused' },
    ],
    [
      new FatalError('folder.unusable', 'permission is denied'),
      { name: 'FatalError', code: 'folder.unusable' },
    ],
  ])('fails if a dead letter cannot be written', async (error, expected) => {
    const queue = log.queueOf({ deadLetters: { ...log.folder, add: () => Promise.reject(error) } });

    await expect(queue.deadLetter([{ code: 'a.b', reason: 'c' }])).rejects.toMatchObject(expected);
  });

  test.each([{ batchSize: 0 }, { maxReceives: 1.5 }, { concurrency: -1 }])(
    'refuses the options %j',
    (wrong) => {
      expect(() => log.queueOf(wrong)).toThrow(/^Expected `\w+` to be a whole number from 1 up, got /);
    },
  );
});

function refuse(): never {
  throw new TransientError('folder.unavailable', 'no space is left');
}
