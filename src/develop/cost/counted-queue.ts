import type { DeadLetter, Message } from '../../model/message.ts';
import type { ClockPort, QueuePort } from '../../worker/ports.ts';
import type { QueueRecord } from '../../worker/propagation/fan-out-batch.ts';
import type { Counts } from './counts.ts';

/** A request of SQS takes so many messages. Source: AWS, "SendMessageBatch". */
const messagesPerRequest = 10;

/** The fan-out queue: counts what SQS charges for, sending, receiving and deleting. */
export class CountedQueue implements QueuePort {
  /** What no counted change should bring about. */
  readonly deadLettered: DeadLetter[] = [];
  private readonly clock: ClockPort;
  private readonly counts: Counts;
  private waiting: { readonly due: number; readonly record: QueueRecord }[] = [];
  private sent = 0;

  constructor(clock: ClockPort, counts: Counts) {
    this.clock = clock;
    this.counts = counts;
  }

  get isEmpty(): boolean {
    return this.waiting.length === 0;
  }

  async send(messages: readonly Message[], delaySeconds = 0): Promise<void> {
    for (const message of messages) {
      this.sent += 1;
      const record = { id: String(this.sent), body: JSON.stringify(message) };
      this.waiting.push({ due: this.clock.now() + delaySeconds * 1000, record });
    }
    this.counts.sqsRequests += Math.ceil(messages.length / messagesPerRequest);
  }

  async deadLetter(deadLettered: readonly DeadLetter[]): Promise<void> {
    this.deadLettered.push(...deadLettered);
  }

  /** The messages whose delay is over, as one delivery each brings them: received and deleted by a request each. */
  due(batchSize: number): QueueRecord[][] {
    const now = this.clock.now();
    const due = this.waiting.filter((one) => one.due <= now).map(({ record }) => record);
    this.waiting = this.waiting.filter((one) => one.due > now);
    const batches: QueueRecord[][] = [];
    for (let start = 0; start < due.length; start += batchSize)
      batches.push(due.slice(start, start + batchSize));
    this.counts.sqsRequests += 2 * batches.length;
    return batches;
  }
}
