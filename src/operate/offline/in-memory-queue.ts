import type { DeadLetter, Message } from '../../model/message.ts';
import type { ClockPort, DeadLetterPort, QueuePort } from '../../worker/ports.ts';

export interface DelayedMessage {
  readonly message: Message;
  /** How many seconds after it was sent the message is due. */
  readonly delaySeconds: number;
}

/**
 * The queue of a command that processes its own messages. Messages are lost when the process ends; that is safe for
 * propagations, because verify finds the copies that still differ.
 */
export class InMemoryQueue implements QueuePort {
  private readonly clock: ClockPort;
  private readonly deadLetters: DeadLetterPort;
  private waiting: (DelayedMessage & { readonly dueAt: number })[] = [];

  constructor(clock: ClockPort, deadLetters: DeadLetterPort) {
    this.clock = clock;
    this.deadLetters = deadLetters;
  }

  async send(messages: readonly Message[], delaySeconds = 0): Promise<void> {
    const dueAt = this.clock.now() + delaySeconds * 1000;
    this.waiting.push(...messages.map((message) => ({ message, delaySeconds, dueAt })));
  }

  deadLetter(deadLettered: readonly DeadLetter[]): Promise<void> {
    return this.deadLetters.deadLetter(deadLettered);
  }

  /** Takes out the messages that were sent without delay. Delayed messages stay, even if they are due. */
  takeUndelayed(): readonly Message[] {
    const taken = this.waiting.filter(({ delaySeconds }) => delaySeconds === 0);
    this.waiting = this.waiting.filter(({ delaySeconds }) => delaySeconds > 0);
    return taken.map(({ message }) => message);
  }

  /** All messages, due or not, in the order in which they were sent. */
  waitingNow(): readonly DelayedMessage[] {
    return this.waiting.map(({ message, delaySeconds }) => ({ message, delaySeconds }));
  }

  /** Waits until at least one message is due, and takes out all that are due. Returns at once if the queue is empty. */
  async takeDue(): Promise<readonly Message[]> {
    const wait = Math.min(...this.waiting.map(({ dueAt }) => dueAt)) - this.clock.now();
    if (wait > 0 && wait !== Number.POSITIVE_INFINITY) await this.clock.sleep(wait);
    const now = this.clock.now();
    const due = this.waiting.filter(({ dueAt }) => dueAt <= now);
    this.waiting = this.waiting.filter(({ dueAt }) => dueAt > now);
    return due.map(({ message }) => message);
  }
}
