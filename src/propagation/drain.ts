import type { DeadLetter, Message } from '../model/message.ts';
import type { PropagationReport } from '../model/report.ts';
import type { ClockPort } from '../ports.ts';
import type { PropagationContext } from './context.ts';
import { fanOutBatch } from './fan-out-batch.ts';
import { InMemoryQueue } from './in-memory-queue.ts';
import { propagateRoot } from './propagate-root.ts';

/** What a propagation and everything that it queued came to. */
export interface Drained {
  readonly reports: readonly PropagationReport[];
  /** What cannot be done at all, with why. Nothing stands in a dead-letter queue: it is for the caller to say. */
  readonly deadLettered: readonly DeadLetter[];
  /** False where it was stopped before its end. */
  readonly finished: boolean;
}

/**
 * Runs a propagation with all that it queues, in this process: the rest of a large fan-out at once, retries when they are due.
 * Where `engine.outOfTime` says so it stops after the page that it is at.
 * @throws FatalError where no item could be worked on
 */
export async function drainPropagation(
  context: Omit<PropagationContext, 'queue'>,
  clock: ClockPort,
  message: Message,
): Promise<Drained> {
  const reports: PropagationReport[] = [];
  const deadLettered: DeadLetter[] = [];
  const queue = new InMemoryQueue(clock, {
    async deadLetter(things) {
      deadLettered.push(...things);
    },
  });
  const whole: PropagationContext = { ...context, queue };
  await queue.send([message]);
  for (;;) {
    if (queue.waitingNow().length === 0) return { reports, deadLettered, finished: true };
    if (context.outOfTime()) return { reports, deadLettered, finished: false };
    for (const due of await queue.takeDue()) reports.push(await propagateRoot(whole, due));
  }
}

/**
 * Runs the propagations that these messages ask for, and those that they ask for in turn, until none is left. Retries are
 * waited for.
 * @param engine one whose queue is the queue at hand
 * @throws what could neither be done nor dead-lettered, and FatalError where nothing could be worked on
 */
export async function drain(
  context: PropagationContext,
  queue: InMemoryQueue,
  messages: readonly Message[],
): Promise<void> {
  for (let due = messages; due.length > 0; due = await queue.takeDue()) {
    const records = due.map((message, index) => ({ id: String(index), body: JSON.stringify(message) }));
    for (const failure of (await fanOutBatch(context, records)).values()) throw failure;
  }
}
