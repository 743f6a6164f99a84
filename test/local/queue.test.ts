import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { Unavailable, Unworkable } from '../../src/domain/errors.ts';
import {
  type DeadLetter,
  type DeadLetterFolder,
  deadLetterFolder,
} from '../../src/local/dead-letter-folder.ts';
import { localQueue } from '../../src/local/queue.ts';
import type { Delivery, LocalQueue, LocalQueueOptions } from '../../src/local/queue-options.ts';
import { describeQueuePort, message } from '../suites/queue-port.suite.ts';

describeQueuePort('The queue of this process', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'queue-'));
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
    async parked() {
      const letters = (await deadLetters.list()).map(({ letter }) => letter);
      return letters.map((letter) => (letter?.kind === 'parked' ? letter.parked : letter));
    },
    async close() {
      await queue.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
});

describe('localQueue', () => {
  let letters: DeadLetter[];
  let batches: Delivery[][];
  let reported: unknown[];

  beforeEach(() => {
    vi.useFakeTimers({ now: 0 });
    letters = [];
    batches = [];
    reported = [];
  });

  afterEach(() => {
    vi.useRealTimers();
  });

  test('delivers what was sent together in batches of the size that it is given', async () => {
    const queue = queueOf({ batchSize: 4 });
    await queue.send(messages(10));
    await queue.idle();

    expect(batches.map((batch) => batch.length)).toEqual([4, 4, 2]);
  });

  test('delivers as many batches side by side as it is told to', async () => {
    const gate = Promise.withResolvers<void>();
    const queue = queueOf({ batchSize: 1, concurrency: 3 }, () => gate.promise.then(() => []));
    await queue.send(messages(7));
    await vi.advanceTimersByTimeAsync(0);

    expect(batches).toHaveLength(3);
    expect(queue.waiting()).toBe(4);
    gate.resolve();
    await queue.idle();
    expect(batches).toHaveLength(7);
  });

  test('delivers a delayed message when it is due', async () => {
    const queue = queueOf();
    await queue.send(messages(1), 900);
    await vi.advanceTimersByTimeAsync(899_999);

    expect(batches).toEqual([]);
    expect([queue.delayed(), queue.waiting()]).toEqual([1, 0]);
    await vi.advanceTimersByTimeAsync(1);
    expect(batches).toHaveLength(1);
    expect([queue.delayed(), queue.waiting()]).toEqual([0, 0]);
  });

  test('delivers delayed messages at once when it is told to', async () => {
    const queue = queueOf();
    await queue.send(messages(2), 60);
    queue.deliverDelayedNow();

    expect([queue.delayed(), queue.waiting()]).toEqual([0, 2]);
    await queue.idle();
    expect(batches.flat()).toHaveLength(2);
  });

  test('delivers the messages that failed again, and no others', async () => {
    const queue = queueOf({}, async (batch) =>
      batch
        .filter(({ receiveCount }) => receiveCount === 1)
        .slice(0, 1)
        .map(({ messageId }) => messageId),
    );
    await queue.send(messages(3));
    await vi.runAllTimersAsync();

    expect(batches.map((batch) => batch.map(({ receiveCount }) => receiveCount))).toEqual([[1, 1, 1], [2]]);
    expect(batches[1]?.[0]).toEqual({ ...batches[0]?.[0], receiveCount: 2 });
  });

  test('waits longer from failure to failure, and no longer than the visibility time-out', async () => {
    const at: number[] = [];
    const queue = queueOf({ maxReceives: 6, visibilitySeconds: 0.5 }, async (batch) => {
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
    ['names a message that is not in the batch', async ([first]) => [first?.messageId ?? '', 'another']],
    ['names no message with an empty id', async () => ['']],
  ])('takes all for failed where the delivery %s', async (_, deliver) => {
    const queue = queueOf({}, (batch) =>
      batch[0]?.receiveCount === 1 ? deliver(batch) : Promise.resolve([]),
    );
    await queue.send(messages(2));
    await vi.runAllTimersAsync();

    expect(batches.map((batch) => batch.map(({ receiveCount }) => receiveCount))).toEqual([
      [1, 1],
      [2, 2],
    ]);
  });

  test('tells what a delivery rejected with', async () => {
    const error = new Error('no');
    const queue = queueOf({ maxReceives: 2 }, () => Promise.reject(error));
    await queue.send(messages(1));
    await vi.runAllTimersAsync();

    expect(reported).toEqual([error, error]);
  });

  test('makes a message a dead letter when it has failed as often as it may', async () => {
    const queue = queueOf({ maxReceives: 3 }, async (batch) => batch.map(({ messageId }) => messageId));
    await queue.send(messages(1));
    await vi.runAllTimersAsync();

    expect(batches).toHaveLength(3);
    expect(letters).toEqual([
      {
        kind: 'dead',
        at: expect.stringMatching(/^1970-01-01T00:00:00\.3\d\dZ$/),
        ...batches[2]?.[0],
      },
    ]);
    expect([queue.delayed(), queue.waiting()]).toEqual([0, 0]);
  });

  test('keeps a message whose dead letter cannot be written', async () => {
    let full = true;
    const queue = queueOf(
      {
        maxReceives: 1,
        deadLetters: { ...folderOf(), add: async (letter) => (full ? refuse() : folderOf().add(letter)) },
      },
      async (batch) => batch.map(({ messageId }) => messageId),
    );
    await queue.send(messages(1));
    await vi.advanceTimersByTimeAsync(250);
    expect(reported.length).toBeGreaterThan(0);
    expect(queue.waiting()).toBe(1);

    full = false;
    await vi.runAllTimersAsync();
    expect(letters).toHaveLength(1);
    expect(queue.waiting()).toBe(0);
  });

  test.each([
    [
      new Unavailable('folder.unavailable', 'no space is left'),
      { name: 'Unavailable', code: 'queue.refused' },
    ],
    [
      new Unworkable('folder.unusable', 'permission is denied'),
      { name: 'Unworkable', code: 'folder.unusable' },
    ],
  ])('does not take as parked what could not be written', async (error, expected) => {
    const queue = queueOf({ deadLetters: { ...folderOf(), add: () => Promise.reject(error) } });

    await expect(queue.park([{ code: 'a.b', reason: 'c' }])).rejects.toMatchObject(expected);
  });

  test('is idle at once where nothing waits', async () => {
    await queueOf().idle();
    await queueOf().idle({ includeDelayed: true });
  });

  test('is not idle while a delivery is under way, or one that failed is to come again', async () => {
    const gate = Promise.withResolvers<void>();
    const queue = queueOf({}, async (batch) => {
      await gate.promise;
      return batch[0]?.receiveCount === 1 ? [batch[0].messageId] : [];
    });
    const idle = seen(queue.idle());
    await queue.send(messages(1));
    const later = seen(queue.idle());
    await vi.advanceTimersByTimeAsync(1000);
    expect([idle.done, later.done]).toEqual([true, false]);

    gate.resolve();
    await vi.advanceTimersByTimeAsync(99);
    expect(later.done).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(later.done).toBe(true);
  });

  test('is idle before delayed messages are due, unless they are included', async () => {
    const queue = queueOf();
    await queue.send(messages(1), 2);
    const idle = seen(queue.idle());
    const all = seen(queue.idle({ includeDelayed: true }));
    await vi.advanceTimersByTimeAsync(1999);
    expect([idle.done, all.done]).toEqual([true, false]);

    await vi.advanceTimersByTimeAsync(1);
    expect(all.done).toBe(true);
  });

  test('is not idle before what a delivery sent has been delivered too', async () => {
    const queue: LocalQueue = queueOf({}, async (batch) => {
      if (batches.length < 4) await queue.send(messages(1));
      return batch.slice(1).map(({ messageId }) => messageId);
    });
    await queue.send(messages(1));
    await queue.idle();

    expect(batches).toHaveLength(4);
  });

  test('ends what is in delivery when it stops, and begins nothing more', async () => {
    const gate = Promise.withResolvers<void>();
    const queue = queueOf({ batchSize: 1, concurrency: 1 }, () => gate.promise.then(() => []));
    await queue.send(messages(2));
    await queue.send(messages(1), 1);
    await vi.advanceTimersByTimeAsync(0);
    const stopped = seen(queue.stop());
    await vi.advanceTimersByTimeAsync(10_000);
    expect(stopped.done).toBe(false);

    gate.resolve();
    await vi.runAllTimersAsync();
    expect(stopped.done).toBe(true);
    expect(batches).toHaveLength(1);
    await queue.idle();
    await queue.stop();
  });

  test('refuses what is sent after it has stopped', async () => {
    const queue = queueOf();
    await queue.stop();

    await expect(queue.send(messages(1))).rejects.toMatchObject({
      name: 'Unavailable',
      code: 'queue.refused',
    });
  });

  test.each([{ batchSize: 0 }, { maxReceives: 1.5 }, { concurrency: -1 }])(
    'refuses the options %j',
    (wrong) => {
      expect(() => queueOf(wrong)).toThrow(/^Expected `\w+` to be a whole number from 1 up, got /);
    },
  );

  function queueOf(
    options: Partial<LocalQueueOptions> = {},
    deliver: LocalQueueOptions['deliver'] = async () => [],
  ): LocalQueue {
    return localQueue({
      deliver(batch) {
        batches.push(batch);
        return deliver(batch);
      },
      visibilitySeconds: 30,
      maxReceives: 5,
      batchSize: 10,
      deadLetters: folderOf(),
      failed: (error) => reported.push(error),
      ...options,
    });
  }

  function folderOf(): DeadLetterFolder {
    return { add: async (letter) => void letters.push(letter), list: async () => [] };
  }
});

describe('the process of a local queue', () => {
  const source = fileURLToPath(new URL('../../src/local/queue.ts', import.meta.url));
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'queue-process-'));
  });

  afterEach(() => rm(folder, { recursive: true, force: true }));

  test('ends although messages wait, are delayed or back off', async () => {
    expect(await ended(`await queue.send([{}]); await queue.send([{}], 900); console.log('sent');`)).toEqual([
      0,
      'sent\n',
    ]);
  });

  test('goes on for as long as somebody waits for the queue to be idle', async () => {
    expect(await ended(`await queue.send([{}]); await queue.idle(); console.log('idle');`)).toEqual([
      0,
      '1\n2\nidle\n',
    ]);
  });

  /** Runs a script with a queue whose first delivery fails, to the end: exit code and output. */
  async function ended(script: string): Promise<[unknown, string]> {
    const file = join(folder, 'script.ts');
    const making = `const queue = localQueue({ visibilitySeconds: 1, maxReceives: 3, batchSize: 10, deadLetters: {},
      async deliver([first]) { console.log(first.receiveCount); return first.receiveCount === 1 ? [first.messageId] : []; } });`;
    await writeFile(file, `import { localQueue } from ${JSON.stringify(source)};\n${making}\n${script}`);
    const child = spawn(process.execPath, [file], { stdio: ['ignore', 'pipe', 'inherit'] });
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      output += chunk;
    });
    const [code] = await once(child, 'close');
    return [code, output];
  }
});

function messages(count: number) {
  return Array.from({ length: count }, (_, index) => message(`USER#${index}`));
}

/** Whether a promise has resolved by now. */
function seen(promise: Promise<void>): { done: boolean } {
  const state = { done: false };
  promise.then(() => {
    state.done = true;
  });
  return state;
}

function refuse(): never {
  throw new Unavailable('folder.unavailable', 'no space is left');
}
