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
import * as z from 'zod';
import { TransientError } from '../../model/basics/errors.ts';
import type { DeadLetter, Message } from '../../model/work/message.ts';
import type { DeadLetterFolder } from './dead-letter-folder.ts';

export const queuedSchema = z.object({
  body: z.string(),
  messageId: z.string(),
  /** How often it was received. */
  receiveCount: z.int().min(0),
  /** Epoch milliseconds. */
  dueAt: z.number(),
  /** Whether it was sent with a delay, rather than received and failed. */
  delayed: z.boolean(),
});
export type QueuedMessage = Readonly<z.output<typeof queuedSchema>>;
/** A message as it is delivered. `receiveCount` is 1 the first time. */
export type Delivery = Pick<QueuedMessage, 'body' | 'messageId' | 'receiveCount'>;

export interface LocalQueueOptions {
  /**
   * Handles a batch and returns the messages that failed. As for Lambda, all failed if it rejects or names a message that
   * is not in the batch. Source: AWS, "Implementing partial batch responses".
   */
  readonly deliver: (messages: readonly Delivery[]) => Promise<readonly string[]>;
  /** Maximum wait between two deliveries of a message. */
  readonly visibilitySeconds: number;
  /** Number of deliveries before a message becomes a dead letter, 1 or more. */
  readonly maxReceives: number;
  /** Maximum number of messages in a delivery, 1 or more. */
  readonly batchSize: number;
  readonly deadLetters: Pick<DeadLetterFolder, 'add' | 'deadLetter'>;
  /** Messages of an earlier process, as `messages` of the queue returned them. */
  readonly messages: readonly QueuedMessage[];
  /** Called for deliveries that rejected and dead letters that could not be written. */
  readonly failed: (error: unknown) => void;
}

/** Back-off after the first failure. It doubles with each failure, up to the visibility timeout. */
const firstBackOffMs = 100;

/** Deliveries at a time: the minimum concurrency limit of an event source mapping. */
const concurrency = 2;

export type LocalQueue = ReturnType<typeof localQueue>;

export function localQueue(options: LocalQueueOptions) {
  const deliveries = new Map<Promise<void>, readonly QueuedMessage[]>();
  const idleCallers = new Set<() => void>();
  let entries = options.messages;
  let timer: NodeJS.Timeout | undefined;
  let state: 'open' | 'stopping' | 'stopped' = 'open';
  resetTimer();

  function isIdle(): boolean {
    const isDelayed = ({ delayed, dueAt }: QueuedMessage) => delayed && dueAt > Date.now();
    return deliveries.size === 0 && entries.every(isDelayed);
  }

  function deliverDue(): void {
    while (state === 'open' && deliveries.size < concurrency) {
      const due = entries.filter(({ dueAt }) => dueAt <= Date.now());
      const batch = due.slice(0, options.batchSize);
      if (batch.length === 0) break;
      entries = entries.filter((entry) => !batch.includes(entry));
      const delivery = deliver(batch).then(() => {
        deliveries.delete(delivery);
        deliverDue();
      });
      deliveries.set(delivery, batch);
    }
    tellIdleCallers();
    resetTimer();
  }

  async function deliver(batch: readonly QueuedMessage[]): Promise<void> {
    const received = batch.map(({ body, messageId, receiveCount }) => ({
      body,
      messageId,
      receiveCount: receiveCount + 1,
    }));
    for (const message of await failuresAmong(received)) {
      if (message.receiveCount >= options.maxReceives && (await isDeadLettered(message))) continue;
      const backOff = firstBackOffMs * 2 ** (message.receiveCount - 1);
      const dueAt = Date.now() + Math.min(options.visibilitySeconds * 1000, backOff);
      entries = [...entries, { ...message, dueAt, delayed: false }];
    }
  }

  async function failuresAmong(batch: readonly Delivery[]): Promise<readonly Delivery[]> {
    try {
      const failures = await options.deliver(batch);
      const known = failures.every((id) => batch.some(({ messageId }) => messageId === id));
      return known ? batch.filter(({ messageId }) => failures.includes(messageId)) : batch;
    } catch (error) {
      options.failed(error);
      return batch;
    }
  }

  /** If a dead letter cannot be written, the message stays in the queue and is delivered again. */
  async function isDeadLettered({ body }: Delivery): Promise<boolean> {
    try {
      await options.deadLetters.add(body);
      return true;
    } catch (error) {
      options.failed(error);
      return false;
    }
  }

  function tellIdleCallers(): void {
    if (!isIdle() && state !== 'stopped') return;
    for (const resolve of idleCallers) resolve();
    idleCallers.clear();
  }

  function resetTimer(): void {
    clearTimeout(timer);
    if (state !== 'open' || deliveries.size >= concurrency || entries.length === 0) return;
    const next = Math.min(...entries.map(({ dueAt }) => dueAt));
    timer = setTimeout(deliverDue, Math.max(0, next - Date.now()));
  }

  return {
    isIdle,

    async send(messages: readonly Message[], delaySeconds = 0): Promise<void> {
      if (state === 'stopped')
        throw new TransientError('queue.refused', 'The queue of this process has stopped');
      const sent = messages.map((message) => ({
        body: JSON.stringify(message),
        messageId: randomUUID(),
        receiveCount: 0,
        dueAt: Date.now() + delaySeconds * 1000,
        delayed: delaySeconds > 0,
      }));
      entries = [...entries, ...sent];
      resetTimer();
    },

    deadLetter: (deadLettered: readonly DeadLetter[]) => options.deadLetters.deadLetter(deadLettered),

    /** Resolves when the queue is idle, or has stopped. Delayed messages are not awaited. */
    idle: () =>
      new Promise<void>((resolve) => {
        idleCallers.add(resolve);
        deliverDue();
      }),

    deliverDelayedNow(): void {
      entries = entries.map((entry) => (entry.delayed ? { ...entry, dueAt: 0 } : entry));
      resetTimer();
    },

    /** All messages that are left, those in delivery included. */
    messages: (): readonly QueuedMessage[] => [...[...deliveries.values()].flat(), ...entries],

    /** Starts no further delivery, and resolves when deliveries in flight have ended. Messages are left. */
    async stop(): Promise<void> {
      if (state === 'open') state = 'stopping';
      clearTimeout(timer);
      await Promise.all(deliveries.keys());
      state = 'stopped';
      tellIdleCallers();
    },
  };
}
