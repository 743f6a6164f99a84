import { BatchWork } from '../batch/batch-work.ts';
import { type Message, messageSchema } from '../model/message.ts';
import { jsonOrUndefined } from '../model/parse-json.ts';
import type { PropagationReport } from '../model/report.ts';
import type { PropagationContext } from './context.ts';
import { propagateRoot } from './propagate-root.ts';
import { deadLetter, requeue } from './requeue.ts';
import { Tally } from './tally.ts';

/** A message as the queue delivers it: its id, and its body as text. */
export interface QueueRecord {
  readonly id: string;
  readonly body: string;
}

/**
 * Runs the propagations of a batch of messages concurrently. Invalid messages are dead-lettered.
 * @returns the messages that failed and must be delivered again, with their errors
 * @throws FatalError if no message could be processed
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
  else await propagateMessage(context, message);
}

/** Runs the propagation of a message. It is dead-lettered if no rule has its name: it may come from an older deployment. */
export async function propagateMessage(
  context: PropagationContext,
  message: Message,
): Promise<PropagationReport> {
  const rule = context.registry.rule(message.rule);
  if (rule !== undefined) return await propagateRoot(context, rule, message);
  const tally = new Tally(message, undefined);
  const reason = `No enabled rule is called ${message.rule}`;
  await deadLetter(context, { code: 'rule.unknown', reason, message }, tally);
  const report = tally.report();
  context.telemetry.propagated(report);
  return report;
}

/** The message in a body, or undefined if the body is not a valid message. */
export function readMessage(body: string): Message | undefined {
  return messageSchema.safeParse(jsonOrUndefined(body)).data;
}
