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
import type { QueuePort } from '../../worker/ports.ts';
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
  /** Messages of an earlier process, as {@link LocalQueue.messages} returned them. */
  readonly messages: readonly QueuedMessage[];
  /** Called for deliveries that rejected and dead letters that could not be written. */
  readonly failed: (error: unknown) => void;
}

/** Back-off after the first failure. It doubles with each failure, up to the visibility timeout. */
const firstBackOffMs = 100;

/** Deliveries at a time: the minimum concurrency limit of an event source mapping. */
const concurrency = 2;

export class LocalQueue implements QueuePort {
  readonly #options: LocalQueueOptions;
  readonly #deliveries = new Map<Promise<void>, readonly QueuedMessage[]>();
  readonly #idleCallers = new Set<() => void>();
  #entries: readonly QueuedMessage[];
  #timer: NodeJS.Timeout | undefined;
  #state: 'open' | 'stopping' | 'stopped' = 'open';

  constructor(options: LocalQueueOptions) {
    this.#options = options;
    this.#entries = options.messages;
    this.#setTimer();
  }

  async send(messages: readonly Message[], delaySeconds = 0): Promise<void> {
    if (this.#state === 'stopped')
      throw new TransientError('queue.refused', 'The queue of this process has stopped');
    const sent = messages.map((message) => ({
      body: JSON.stringify(message),
      messageId: randomUUID(),
      receiveCount: 0,
      dueAt: Date.now() + delaySeconds * 1000,
      delayed: delaySeconds > 0,
    }));
    this.#entries = [...this.#entries, ...sent];
    this.#setTimer();
  }

  deadLetter(deadLettered: readonly DeadLetter[]): Promise<void> {
    return this.#options.deadLetters.deadLetter(deadLettered);
  }

  /** Resolves when the queue {@link isIdle}, or has stopped. Delayed messages are not awaited. */
  idle(): Promise<void> {
    return new Promise((resolve) => {
      this.#idleCallers.add(resolve);
      this.#deliverDue();
    });
  }

  deliverDelayedNow(): void {
    this.#entries = this.#entries.map((entry) => (entry.delayed ? { ...entry, dueAt: 0 } : entry));
    this.#setTimer();
  }

  get isIdle(): boolean {
    const isDelayed = ({ delayed, dueAt }: QueuedMessage) => delayed && dueAt > Date.now();
    return this.#deliveries.size === 0 && this.#entries.every(isDelayed);
  }

  /** All messages that are left, those in delivery included. */
  messages(): readonly QueuedMessage[] {
    return [...[...this.#deliveries.values()].flat(), ...this.#entries];
  }

  /** Starts no further delivery, and resolves when deliveries in flight have ended. {@link messages} are left. */
  async stop(): Promise<void> {
    if (this.#state === 'open') this.#state = 'stopping';
    clearTimeout(this.#timer);
    await Promise.all(this.#deliveries.keys());
    this.#state = 'stopped';
    this.#tellIdleCallers();
  }

  #deliverDue(): void {
    while (this.#state === 'open' && this.#deliveries.size < concurrency) {
      const due = this.#entries.filter(({ dueAt }) => dueAt <= Date.now());
      const batch = due.slice(0, this.#options.batchSize);
      if (batch.length === 0) break;
      this.#entries = this.#entries.filter((entry) => !batch.includes(entry));
      const delivery = this.#deliver(batch).then(() => {
        this.#deliveries.delete(delivery);
        this.#deliverDue();
      });
      this.#deliveries.set(delivery, batch);
    }
    this.#tellIdleCallers();
    this.#setTimer();
  }

  async #deliver(batch: readonly QueuedMessage[]): Promise<void> {
    const received = batch.map(({ body, messageId, receiveCount }) => ({
      body,
      messageId,
      receiveCount: receiveCount + 1,
    }));
    for (const message of await this.#failuresAmong(received)) {
      if (message.receiveCount >= this.#options.maxReceives && (await this.#isDeadLettered(message)))
        continue;
      const backOff = firstBackOffMs * 2 ** (message.receiveCount - 1);
      const dueAt = Date.now() + Math.min(this.#options.visibilitySeconds * 1000, backOff);
      this.#entries = [...this.#entries, { ...message, dueAt, delayed: false }];
    }
  }

  async #failuresAmong(batch: readonly Delivery[]): Promise<readonly Delivery[]> {
    try {
      const failures = await this.#options.deliver(batch);
      const known = failures.every((id) => batch.some(({ messageId }) => messageId === id));
      return known ? batch.filter(({ messageId }) => failures.includes(messageId)) : batch;
    } catch (error) {
      this.#options.failed(error);
      return batch;
    }
  }

  /** If a dead letter cannot be written, the message stays in the queue and is delivered again. */
  async #isDeadLettered({ body }: Delivery): Promise<boolean> {
    try {
      await this.#options.deadLetters.add(body);
      return true;
    } catch (error) {
      this.#options.failed(error);
      return false;
    }
  }

  #tellIdleCallers(): void {
    if (!this.isIdle && this.#state !== 'stopped') return;
    for (const resolve of this.#idleCallers) resolve();
    this.#idleCallers.clear();
  }

  #setTimer(): void {
    clearTimeout(this.#timer);
    if (this.#state !== 'open' || this.#deliveries.size >= concurrency || this.#entries.length === 0) return;
    const next = Math.min(...this.#entries.map(({ dueAt }) => dueAt));
    this.#timer = setTimeout(() => this.#deliverDue(), Math.max(0, next - Date.now()));
  }
}
