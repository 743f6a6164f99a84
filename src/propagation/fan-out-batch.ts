import { BatchWork } from '../batch/batch-work.ts';
import { type Message, messageSchema } from '../model/message.ts';
import type { PropagationContext } from './context.ts';
import { propagateRoot } from './propagate-root.ts';
import { deadLetter, requeue } from './requeue.ts';

/** A message of the queue as it came: its id, and its body as text. */
export interface QueueRecord {
  readonly id: string;
  readonly body: string;
}

/**
 * Runs the propagations that messages ask for. A message that is none is dead-lettered.
 * @returns the messages that must come again, with why
 * @throws FatalError where no message could be worked on
 */
export async function fanOutBatch(
  context: PropagationContext,
  records: readonly QueueRecord[],
): Promise<ReadonlyMap<string, unknown>> {
  const work = new BatchWork(context.settings.concurrency, context.telemetry);
  await Promise.all(records.map(({ id, body }) => work.run([id], () => takeMessage(context, id, body))));
  return work.outcome();
}

async function takeMessage(context: PropagationContext, id: string, body: string): Promise<void> {
  const message = readMessage(body);
  if (message === undefined) {
    await deadLetter(context, {
      code: 'message.unreadable',
      reason: 'Expected a message with a rule, a root and a cause',
      record: id,
    });
    return;
  }
  if (context.outOfTime()) await requeue(context, message);
  else await propagateRoot(context, message);
}

/** The message in a body, or undefined where it holds none. */
export function readMessage(body: string): Message | undefined {
  try {
    const parsed = messageSchema.safeParse(JSON.parse(body));
    return parsed.success ? parsed.data : undefined;
  } catch {
    return undefined;
  }
}
