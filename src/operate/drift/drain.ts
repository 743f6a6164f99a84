import type { DeadLetter, Message } from '../../model/work/message.ts';
import { BatchWork } from '../../worker/batch/batch-work.ts';
import type { ClockPort, DeadLetterPort, QueuePort } from '../../worker/ports.ts';
import type { PropagationContext } from '../../worker/propagation/context.ts';
import { propagate } from '../../worker/propagation/propagate.ts';

/** Between two looks whether to stop. */
const maxWaitMs = 1000;

/** Messages are lost when the process ends. That is safe: verify finds the copies that still differ. */
export class InMemoryQueue implements QueuePort {
  private readonly clock: ClockPort;
  private readonly deadLetters: DeadLetterPort;
  private waiting: { readonly message: Message; readonly dueAt: number }[] = [];

  constructor(clock: ClockPort, deadLetters: DeadLetterPort) {
    this.clock = clock;
    this.deadLetters = deadLetters;
  }

  get isEmpty(): boolean {
    return this.waiting.length === 0;
  }

  async send(messages: readonly Message[], delaySeconds = 0): Promise<void> {
    const dueAt = this.clock.now() + delaySeconds * 1000;
    this.waiting.push(...messages.map((message) => ({ message, dueAt })));
  }

  deadLetter(deadLettered: readonly DeadLetter[]): Promise<void> {
    return this.deadLetters.deadLetter(deadLettered);
  }

  /** Waits until at least one message is due, or `stop`, and takes out all that are due. Returns at once if the queue is empty. */
  async takeDue(stop = () => false): Promise<readonly Message[]> {
    const dueAt = this.waiting.length === 0 ? 0 : Math.min(...this.waiting.map((one) => one.dueAt));
    for (let wait = dueAt - this.clock.now(); wait > 0 && !stop(); wait = dueAt - this.clock.now())
      await this.clock.sleep(Math.min(wait, maxWaitMs));
    const now = this.clock.now();
    const due = this.waiting.filter(({ dueAt }) => dueAt <= now);
    this.waiting = this.waiting.filter(({ dueAt }) => dueAt > now);
    return due.map(({ message }) => message);
  }
}

/**
 * Runs the propagations of these messages and all that they queue, in this process, until the queue is empty or
 * `context.outOfTime` says so. Retries run when they are due.
 * @param context its queue is `queue`, or sends to it
 * @returns whether the queue was empty before the time was up
 * @throws the error of the first propagation that failed
 */
export async function drain(
  context: PropagationContext,
  queue: InMemoryQueue,
  messages: readonly Message[],
): Promise<boolean> {
  await queue.send(messages);
  while (!queue.isEmpty) {
    if (context.outOfTime()) return false;
    const work = new BatchWork(context.settings.concurrency, context.telemetry);
    const due = await queue.takeDue(context.outOfTime);
    await Promise.all(
      due.map((message, index) =>
        work.run([String(index)], async () => void (await propagate(context, message))),
      ),
    );
    for (const failure of work.outcome().values()) throw failure;
  }
  return true;
}
