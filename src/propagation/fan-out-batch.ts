import { type Message, messageSchema } from '../model/message.ts';
import { Attempts } from '../batch/batch-work.ts';
import type { Engine } from './context.ts';
import { defer, park } from './requeue.ts';
import { turn } from './propagate-root.ts';

/** A message of the queue as it came: its id, and its body as text. */
export interface QueueRecord {
  readonly id: string;
  readonly body: string;
}

/**
 * Takes the turns that messages ask for. A message that is none is parked.
 * @returns the messages that must come again, with why
 * @throws Unworkable where no message could be worked on
 */
export async function fanOutBatch(
  engine: Engine,
  records: readonly QueueRecord[],
): Promise<ReadonlyMap<string, unknown>> {
  const attempts = new Attempts(engine.settings.concurrency, engine.telemetry);
  await Promise.all(records.map(({ id, body }) => attempts.run([id], () => takeMessage(engine, id, body))));
  return attempts.outcome();
}

async function takeMessage(engine: Engine, id: string, body: string): Promise<void> {
  const message = readMessage(body);
  if (message === undefined) {
    await park(engine, {
      code: 'message.unreadable',
      reason: 'Expected a message with a rule, a root and a cause',
      record: id,
    });
    return;
  }
  if (engine.outOfTime()) await defer(engine, message);
  else await turn(engine, message);
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
