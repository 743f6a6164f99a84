import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { LocalQueue } from '../../../../src/develop/dev/queue/queue.ts';
import { newFolder } from '../../../suites/new-folder.ts';
import { messages, type QueueLog, queueLog, seen } from './queue-log.ts';

describe('the end of a local queue', () => {
  let log: QueueLog;

  beforeEach(() => {
    vi.useFakeTimers({ now: 0 });
    log = queueLog();
  });

  afterEach(() => {
    vi.useRealTimers();
  });

  test('is idle at once if no message waits', async () => {
    await log.queueOf().idle();
    await log.queueOf().idle({ includeDelayed: true });
  });

  test('is not idle while a delivery is running, or a failed one is due again', async () => {
    const gate = Promise.withResolvers<void>();
    const queue = log.queueOf({}, async (batch) => {
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
    const queue = log.queueOf();
    await queue.send(messages(1), 2);
    const idle = seen(queue.idle());
    const all = seen(queue.idle({ includeDelayed: true }));
    await vi.advanceTimersByTimeAsync(1999);
    expect([idle.done, all.done]).toEqual([true, false]);

    await vi.advanceTimersByTimeAsync(1);
    expect(all.done).toBe(true);
  });

  test('is not idle until the messages that a delivery sent are delivered too', async () => {
    const queue: LocalQueue = log.queueOf({}, async (batch) => {
      if (log.batches.length < 4) await queue.send(messages(1));
      return batch.slice(1).map(({ messageId }) => messageId);
    });
    await queue.send(messages(1));
    await queue.idle();

    expect(log.batches).toHaveLength(4);
  });

  test('finishes running deliveries when it stops, and starts no more', async () => {
    const gate = Promise.withResolvers<void>();
    const queue = log.queueOf({ batchSize: 1, concurrency: 1 }, () => gate.promise.then(() => []));
    await queue.send(messages(2));
    await queue.send(messages(1), 1);
    await vi.advanceTimersByTimeAsync(0);
    const stopped = seen(queue.stop());
    await vi.advanceTimersByTimeAsync(10_000);
    expect(stopped.done).toBe(false);

    gate.resolve();
    await vi.runAllTimersAsync();
    expect(stopped.done).toBe(true);
    expect(log.batches).toHaveLength(1);
    await queue.idle();
    await queue.stop();
  });

  test('refuses messages after it has stopped', async () => {
    const queue = log.queueOf();
    await queue.stop();

    await expect(queue.send(messages(1))).rejects.toMatchObject({
      name: 'TransientError',
      code: 'queue.refused',
    });
  });
});

describe('the messages that a local queue leaves', () => {
  beforeEach(() => {
    vi.useFakeTimers({ now: 0 });
  });

  afterEach(() => {
    vi.useRealTimers();
  });

  test('include those in delivery, and are delivered by the next queue when they are due', async () => {
    const log = queueLog();
    const first = log.queueOf({ batchSize: 1, concurrency: 1 }, () => new Promise(() => {}));
    await first.send(messages(2));
    await first.send(messages(1), 60);
    await vi.advanceTimersByTimeAsync(1);
    expect(first.messages()).toHaveLength(3);

    const next = queueLog();
    const second = next.queueOf({ messages: first.messages() });
    await vi.advanceTimersByTimeAsync(59_000);
    expect(next.batches.flat()).toHaveLength(2);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(next.batches.flat()).toHaveLength(3);
    expect(second.messages()).toEqual([]);
  });
});

describe('the process of a local queue', () => {
  const source = fileURLToPath(new URL('../../../../src/develop/dev/queue/queue.ts', import.meta.url));

  test('ends even if messages wait, are delayed or back off', async () => {
    expect(await ended(`await queue.send([{}]); await queue.send([{}], 900); console.log('sent');`)).toEqual([
      0,
      'sent\n',
    ]);
  });

  test('continues for as long as a caller waits for the queue to be idle', async () => {
    expect(await ended(`await queue.send([{}]); await queue.idle(); console.log('idle');`)).toEqual([
      0,
      '1\n2\nidle\n',
    ]);
  });

  /** Runs a script to its end, with a queue whose first delivery fails: exit code and output. */
  async function ended(script: string): Promise<[unknown, string]> {
    const file = join(newFolder(), 'script.ts');
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
