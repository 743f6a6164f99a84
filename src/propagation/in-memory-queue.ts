import type { DeadLetter, Message } from '../model/message.ts';
import type { ClockPort, DeadLetterPort, QueuePort } from '../ports.ts';

/** A message, and how many seconds after it was sent it is due. */
export interface DelayedMessage {
  readonly message: Message;
  readonly delaySeconds: number;
}

/**
 * The queue of a process that takes its own messages: the rest of a propagation and its retries are done by whoever began it.
 * It is gone with the process, so what is in it must be found again by other means: a copy that differs is.
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

  /** Takes out what was sent without delay. What was delayed stays, whatever the time. */
  takeUndelayed(): readonly Message[] {
    const taken = this.waiting.filter(({ delaySeconds }) => delaySeconds === 0);
    this.waiting = this.waiting.filter(({ delaySeconds }) => delaySeconds > 0);
    return taken.map(({ message }) => message);
  }

  /** What waits, due or not, in the order in which it was sent. */
  waitingNow(): readonly DelayedMessage[] {
    return this.waiting.map(({ message, delaySeconds }) => ({ message, delaySeconds }));
  }

  /** Waits until at least one message is due, and takes out all that are; nothing where none is waiting. */
  async takeDue(): Promise<readonly Message[]> {
    const wait = Math.min(...this.waiting.map(({ dueAt }) => dueAt)) - this.clock.now();
    if (wait > 0 && wait !== Number.POSITIVE_INFINITY) await this.clock.sleep(wait);
    const now = this.clock.now();
    const due = this.waiting.filter(({ dueAt }) => dueAt <= now);
    this.waiting = this.waiting.filter(({ dueAt }) => dueAt > now);
    return due.map(({ message }) => message);
  }
}
