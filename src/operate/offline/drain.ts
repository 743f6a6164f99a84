import type { Message } from '../../model/message.ts';
import type { PropagationReport } from '../../model/report.ts';
import { BatchWork } from '../../worker/batch/batch-work.ts';
import type { PropagationContext } from '../../worker/propagation/context.ts';
import { propagate } from '../../worker/propagation/propagate.ts';
import type { InMemoryQueue } from './in-memory-queue.ts';

export interface Drained {
  readonly reports: readonly PropagationReport[];
  /** False if the time was up before the queue was empty. */
  readonly finished: boolean;
}

/**
 * Runs the propagations of these messages and all that they queue, in this process, until the queue is empty or
 * `context.outOfTime` says so. Retries run when they are due.
 * @param context its queue is `queue`, or sends to it
 * @throws the error of the first propagation that failed
 */
export async function drain(
  context: PropagationContext,
  queue: InMemoryQueue,
  messages: readonly Message[],
): Promise<Drained> {
  const reports: PropagationReport[] = [];
  await queue.send(messages);
  while (queue.waitingNow().length > 0) {
    if (context.outOfTime()) return { reports, finished: false };
    const work = new BatchWork(context.settings.concurrency, context.telemetry);
    const due = await queue.takeDue();
    await Promise.all(
      due.map((message, index) =>
        work.run([String(index)], async () => {
          reports.push(await propagate(context, message));
        }),
      ),
    );
    for (const failure of work.outcome().values()) throw failure;
  }
  return { reports, finished: true };
}
