import { FatalError, TransientError } from '../../../../model/errors.ts';
import type { DeadLetter, Message } from '../../../../model/message.ts';
import type { QueuePort } from '../../../../worker/ports.ts';
import type { Fault, Invocation } from './invocation.ts';
import type { SimulatedQueue } from './simulated-queue.ts';

/** The queue as one invocation sees it. */
export class RequestedQueue implements QueuePort {
  private readonly queue: SimulatedQueue;
  private readonly invocation: Invocation;

  constructor(queue: SimulatedQueue, invocation: Invocation) {
    this.queue = queue;
    this.invocation = invocation;
  }

  send(messages: readonly Message[], delaySeconds = 0): Promise<void> {
    const [first] = messages;
    const about =
      first === undefined ? '' : `${first.rule} ${first.cause}${first.recheck === true ? ' settle' : ''}`;
    const before = this.invocation.progress();
    return this.invocation.request(`send ${about}`, (fault) => {
      for (const message of messages)
        this.invocation.handedOn.push({ message, delaySeconds, refused: fault !== undefined, before });
      this.take(fault, messages, (some) => this.queue.send(some, delaySeconds));
    });
  }

  deadLetter(deadLettered: readonly DeadLetter[]): Promise<void> {
    return this.invocation.request(`dead-letter ${deadLettered[0]?.code ?? ''}`, (fault) =>
      this.take(fault, deadLettered, (some) => this.queue.deadLetter(some, this.invocation.task)),
    );
  }

  private take<T>(fault: Fault | undefined, all: readonly T[], effect: (some: readonly T[]) => void): void {
    if (fault === 'denied') {
      this.invocation.denied = true;
      throw new FatalError('queue.denied', 'The simulated queue denies access');
    }
    if (fault === 'partial') effect(all.slice(0, all.length - 1));
    else if (fault !== 'throttled') effect(all);
    if (fault !== undefined) {
      this.invocation.owes = true;
      throw new TransientError('queue.refused', 'The simulated queue refuses');
    }
    this.invocation.owes = false;
  }
}
