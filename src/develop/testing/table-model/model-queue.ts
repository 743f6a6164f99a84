import { TransientError } from '../../../model/errors.ts';
import type { DeadLetter, Message } from '../../../model/message.ts';
import type { QueuePort } from '../../../worker/ports.ts';
import type { QueueRecord } from '../../../worker/propagation/fan-out-batch.ts';

export interface Waiting {
  readonly id: string;
  readonly message: Message;
  readonly delaySeconds: number;
}

/** The fan-out queue and its dead letters in memory. Messages travel as text, as they do in SQS. */
export class ModelQueue implements QueuePort {
  /** Oldest first. */
  readonly sent: Waiting[] = [];
  readonly deadLettered: DeadLetter[] = [];
  refusing = false;
  private waiting: (Waiting & { readonly body: string })[] = [];

  async send(messages: readonly Message[], delaySeconds = 0): Promise<void> {
    this.refuse();
    for (const message of messages) {
      const one = { id: `message-${this.sent.length + 1}`, message, delaySeconds };
      this.sent.push(one);
      this.waiting.push({ ...one, body: JSON.stringify(message) });
    }
  }

  async deadLetter(deadLettered: readonly DeadLetter[]): Promise<void> {
    this.refuse();
    this.deadLettered.push(...deadLettered);
  }

  /** Takes the messages out whose delay is at most this, in seconds; all of them by default. */
  take(delayAtMost = 900): QueueRecord[] {
    const taken = this.waiting.filter(({ delaySeconds }) => delaySeconds <= delayAtMost);
    this.waiting = this.waiting.filter(({ delaySeconds }) => delaySeconds > delayAtMost);
    return taken.map(({ id, body }) => ({ id, body }));
  }

  /** In seconds. */
  shortestDelay(): number | undefined {
    return this.waiting.length === 0
      ? undefined
      : Math.min(...this.waiting.map(({ delaySeconds }) => delaySeconds));
  }

  /** @returns the messages that are due then */
  pass(seconds: number): QueueRecord[] {
    const due = this.take(seconds);
    this.waiting = this.waiting.map((one) => ({ ...one, delaySeconds: one.delaySeconds - seconds }));
    return due;
  }

  private refuse(): void {
    if (this.refusing) throw new TransientError('queue.refused', 'The model queue refuses');
  }
}
