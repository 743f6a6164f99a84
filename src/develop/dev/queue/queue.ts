/**
 * The fan-out queue in this process, which behaves like SQS with a Lambda function:
 *
 *   sent ──delay over──> waiting ──> in delivery ──> gone
 *                          ^              │ ├─failed──> backing off ──> waiting
 *                          └──────────────┴─┴─failed for the last time──> dead letters
 *
 * There is one difference: a failed message is delivered again after a back-off that starts at 0.1 s, not after the
 * visibility timeout. SQS must wait because it cannot know whether the function is still running. Here the function's
 * promise has settled. For the same reason, a long delivery does not cause a second one.
 */

import { randomUUID } from 'node:crypto';
import { DenormError, TransientError } from '../../../model/errors.ts';
import type { QueuePort } from '../../../worker/ports.ts';
import type { DeadLetterFolder } from './dead-letter-folder.ts';

/** A message as it is delivered. `receiveCount` is 1 the first time. */
export interface Delivery {
  readonly body: string;
  readonly messageId: string;
  readonly receiveCount: number;
}

export interface LocalQueueOptions {
  /**
   * Handles a batch and returns the messages that failed. As for Lambda, all failed if it rejects or names a message that
   * is not in the batch. Source: AWS, "Implementing partial batch responses".
   */
  readonly deliver: (messages: Delivery[]) => Promise<readonly string[]>;
  /** Maximum wait between two deliveries of a message, in seconds. */
  readonly visibilitySeconds: number;
  /** Number of deliveries before a message becomes a dead letter, 1 or more. */
  readonly maxReceives: number;
  /** Maximum number of messages in a delivery, 1 or more. */
  readonly batchSize: number;
  /**
   * Maximum number of concurrent deliveries, 1 or more. Default: 2, the minimum concurrency limit of an event
   * source mapping.
   */
  readonly concurrency?: number;
  readonly deadLetters: DeadLetterFolder;
  /** Messages of an earlier process, as {@link LocalQueue.messages} returned them. Default: none. */
  readonly messages?: readonly QueuedMessage[];
  /** Called for deliveries that rejected and dead letters that could not be written. Default: nothing. */
  readonly failed?: (error: unknown) => void;
  /** The clock, in epoch milliseconds. Default: the system's. */
  readonly now?: () => number;
}

export interface LocalQueue extends QueuePort {
  /**
   * Resolves when no message is waiting, backing off or in delivery, and, with `includeDelayed`, none is
   * delayed either. The queue keeps the process alive only while a caller waits for this.
   */
  idle(options?: { readonly includeDelayed?: boolean }): Promise<void>;
  /** Makes all delayed messages due. */
  deliverDelayedNow(): void;
  /** Number of messages that are due, or backing off after a failure. */
  waiting(): number;
  /** Number of delayed messages that are not due yet. */
  delayed(): number;
  /** All messages that are left, those in delivery included. */
  messages(): readonly QueuedMessage[];
  /**
   * Starts no further delivery, and resolves when deliveries in flight have ended. The remaining messages are
   * those of {@link LocalQueue.messages}.
   */
  stop(): Promise<void>;
}

/** @throws DenormError `queue.options` for an invalid count */
export function checkCounts(counts: Readonly<Record<string, number>>): void {
  for (const [name, count] of Object.entries(counts))
    if (!Number.isInteger(count) || count < 1)
      throw new DenormError(
        'queue.options',
        `Expected \`${name}\` to be a whole number from 1 up, got ${count}`,
      );
}

/** Maximum delay in seconds. Source: AWS, "Amazon SQS message quotas", message timer. */
const maxDelay = 900;

/**
 * Back-off after the first failure, in milliseconds. It doubles with each failure, up to the visibility
 * timeout.
 */
const firstBackOff = 100;

/** A message that is left. */
export interface QueuedMessage extends Delivery {
  /** Epoch milliseconds. */
  readonly dueAt: number;
  /** Whether it was sent with a delay, rather than received and failed. */
  readonly delayed: boolean;
}

/** @throws DenormError `queue.options` for an invalid count */
export function localQueue(options: LocalQueueOptions): LocalQueue {
  const { deliver, deadLetters, failed = () => {}, now = Date.now, concurrency = 2 } = options;
  checkCounts({ batchSize: options.batchSize, maxReceives: options.maxReceives, concurrency });
  const deliveries = new Map<Promise<void>, readonly QueuedMessage[]>();
  const waiters = new Set<{ readonly includeDelayed: boolean; readonly resolve: () => void }>();
  let entries = options.messages ?? [];
  let timer: NodeJS.Timeout | undefined;
  let state: 'open' | 'stopping' | 'stopped' = 'open';

  const delayed = () => entries.filter((entry) => entry.delayed && entry.dueAt > now()).length;
  const waiting = () => entries.length - delayed();

  function deliverDue(): void {
    while (state === 'open' && deliveries.size < concurrency) {
      const batch = entries.filter(({ dueAt }) => dueAt <= now()).slice(0, options.batchSize);
      if (batch.length === 0) break;
      entries = entries.filter((entry) => !batch.includes(entry));
      const delivery = deliverBatch(batch).then(() => {
        deliveries.delete(delivery);
        deliverDue();
      });
      deliveries.set(delivery, batch);
    }
    tellWaiters();
    setTimer();
  }

  async function deliverBatch(batch: readonly QueuedMessage[]): Promise<void> {
    const received = batch.map(({ body, messageId, receiveCount }) => ({
      body,
      messageId,
      receiveCount: receiveCount + 1,
    }));
    for (const message of await failuresAmong(received)) await comeAgain(message);
  }

  async function failuresAmong(batch: readonly Delivery[]): Promise<readonly Delivery[]> {
    try {
      const failures = await deliver([...batch]);
      const known = failures.every((id) => batch.some(({ messageId }) => messageId === id));
      return known ? batch.filter(({ messageId }) => failures.includes(messageId)) : batch;
    } catch (error) {
      failed(error);
      return batch;
    }
  }

  async function comeAgain(message: Delivery): Promise<void> {
    if (message.receiveCount >= options.maxReceives && (await deadLettered(message))) return;
    const backOff = Math.min(
      options.visibilitySeconds * 1000,
      firstBackOff * 2 ** (message.receiveCount - 1),
    );
    entries = [...entries, { ...message, dueAt: now() + backOff, delayed: false }];
  }

  /** If a dead letter cannot be written, the message stays in the queue and is delivered again. */
  async function deadLettered(message: Delivery): Promise<boolean> {
    try {
      await deadLetters.add({ kind: 'dead', at: new Date(now()).toISOString(), ...message });
      return true;
    } catch (error) {
      failed(error);
      return false;
    }
  }

  function tellWaiters(): void {
    for (const waiter of waiters) {
      const left = waiter.includeDelayed ? entries.length : waiting();
      if (deliveries.size > 0 || (left > 0 && state === 'open')) continue;
      waiters.delete(waiter);
      waiter.resolve();
    }
  }

  function setTimer(): void {
    clearTimeout(timer);
    if (state !== 'open' || deliveries.size >= concurrency || entries.length === 0) return;
    const next = entries.reduce((earliest, { dueAt }) => Math.min(earliest, dueAt), Number.POSITIVE_INFINITY);
    timer = setTimeout(deliverDue, Math.max(0, next - now()));
    if (waiters.size === 0) timer.unref();
  }

  setTimer();
  return {
    async send(messages, delaySeconds = 0) {
      if (!(Number.isInteger(delaySeconds) && delaySeconds >= 0 && delaySeconds <= maxDelay))
        throw new DenormError(
          'queue.delay',
          `Expected a delay of 0 to ${maxDelay} whole seconds, got ${delaySeconds}`,
        );
      if (state === 'stopped')
        throw new TransientError('queue.refused', 'The queue of this process has stopped');
      const dueAt = now() + delaySeconds * 1000;
      const sent = messages.map((message) => ({
        body: JSON.stringify(message),
        messageId: randomUUID(),
        receiveCount: 0,
        dueAt,
        delayed: delaySeconds > 0,
      }));
      entries = [...entries, ...sent];
      setTimer();
    },
    async deadLetter(deadLettered) {
      try {
        for (const thing of deadLettered)
          await deadLetters.add({
            kind: 'dead-lettered',
            at: new Date(now()).toISOString(),
            deadLettered: thing,
          });
      } catch (error) {
        if (!(error instanceof TransientError)) throw error;
        throw new TransientError('queue.refused', error.message, { cause: error });
      }
    },
    idle({ includeDelayed = false } = {}) {
      return new Promise((resolve) => {
        waiters.add({ includeDelayed, resolve });
        deliverDue();
      });
    },
    deliverDelayedNow() {
      entries = entries.map((entry) =>
        entry.delayed ? { ...entry, dueAt: Math.min(entry.dueAt, now()) } : entry,
      );
      setTimer();
    },
    waiting,
    delayed,
    messages: () => [...[...deliveries.values()].flat(), ...entries],
    async stop() {
      if (state === 'open') state = 'stopping';
      clearTimeout(timer);
      await Promise.all(deliveries.keys());
      state = 'stopped';
      tellWaiters();
    },
  };
}
