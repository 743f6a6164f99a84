import { BatchWork } from '../batch/batch-work.ts';
import { keyText } from '../model/item.ts';
import { type Message, mergeMessages, messageSchema } from '../model/message.ts';
import { jsonOrUndefined } from '../model/parse-json.ts';
import type { PropagationReport } from '../model/report.ts';
import { computeTarget } from './compute-target.ts';
import type { PropagationContext } from './context.ts';
import { propagateRoot } from './propagate-root.ts';
import { deadLetter, requeue } from './requeue.ts';
import { Tally } from './tally.ts';

/** A message as the queue delivers it: its id, and its body as text. */
export interface QueueRecord {
  readonly id: string;
  readonly body: string;
  /** How often it was received, this time included. Default: 1. */
  readonly receives?: number;
}

/**
 * Runs the propagations and computations of a batch of messages concurrently. Invalid messages are dead-lettered.
 * @returns the messages that failed and must be delivered again, with their errors
 * @throws FatalError if no message could be processed
 */
export async function fanOutBatch(
  context: PropagationContext,
  records: readonly QueueRecord[],
): Promise<ReadonlyMap<string, unknown>> {
  const work = new BatchWork(context.settings.concurrency, context.telemetry);
  const read = records.map(({ id, body }) => ({ id, message: readMessage(body) }));
  const unreadable = read.filter(({ message }) => message === undefined);
  const delivered = read.flatMap(({ id, message }) => (message === undefined ? [] : [{ id, message }]));
  await Promise.all([
    ...unreadable.map(({ id }) => work.run([id], () => deadLetterUnreadable(context, id))),
    ...oneOfEachTarget(context, delivered).map(({ ids, message }) =>
      work.run(ids, () => takeMessage(context, message)),
    ),
  ]);
  return work.outcome();
}

async function deadLetterUnreadable(context: PropagationContext, id: string): Promise<void> {
  await deadLetter(context, {
    code: 'message.unreadable',
    reason: 'Expected a message with a rule, a root and a cause',
    record: id,
  });
}

async function takeMessage(context: PropagationContext, message: Message): Promise<void> {
  if (context.outOfTime()) await requeue(context, message);
  else await propagateMessage(context, message);
}

/** The messages, with all those of one target of an aggregate merged: one computation finds what any of them would. */
function oneOfEachTarget(
  { registry }: PropagationContext,
  delivered: readonly { readonly id: string; readonly message: Message }[],
): readonly { readonly ids: readonly string[]; readonly message: Message }[] {
  const byTarget = Map.groupBy(delivered, ({ id, message }) =>
    registry.aggregate(message.rule) === undefined
      ? id
      : JSON.stringify([message.rule, keyText(message.root)]),
  );
  return [...byTarget.values()].map((together) => ({
    ids: together.map(({ id }) => id),
    message: mergeMessages(together.map(({ message }) => message)),
  }));
}

/** Runs the propagation or computation of a message. It is dead-lettered if no rule has its name: it may come from an older deployment. */
export async function propagateMessage(
  context: PropagationContext,
  message: Message,
): Promise<PropagationReport> {
  const rule = context.registry.rule(message.rule);
  if (rule !== undefined) return await propagateRoot(context, rule, message);
  const aggregate = context.registry.aggregate(message.rule);
  if (aggregate !== undefined) return await computeTarget(context, aggregate, message);
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
