import { DenormError } from '../../model/errors.ts';
import { keyText } from '../../model/item.ts';
import { type Message, mergeMessages, messageSchema } from '../../model/message.ts';
import { jsonOrUndefined } from '../../model/parse-json.ts';
import { BatchWork } from '../batch/batch-work.ts';
import type { PropagationContext } from './context.ts';
import { propagate } from './propagate.ts';
import { settle } from './settle.ts';

/** A message as the queue delivers it: its id, and its body as text. */
export interface QueueRecord {
  readonly id: string;
  readonly body: string;
  /** How often it was received, this time included. Default: 1. */
  readonly receives?: number;
}

/**
 * Runs the propagations and computations of a batch of messages concurrently. An unreadable message fails: the queue alone has
 * its body, and moves it to the dead letters in the end. A later version of this package may read it.
 * @returns the messages that failed and must be delivered again, with their errors
 * @throws FatalError if no message could be processed
 */
export async function fanOutBatch(
  context: PropagationContext,
  records: readonly QueueRecord[],
): Promise<ReadonlyMap<string, unknown>> {
  const work = new BatchWork(context.settings.concurrency, context.telemetry);
  const delivered = records.flatMap(({ id, body }) => {
    const message = work.plan([id], () => readMessage(body) ?? unreadable(id));
    return message === undefined ? [] : [{ id, message }];
  });
  await Promise.all(
    oneOfEachTarget(context, delivered).map(({ ids, message }) =>
      work.run(ids, () => takeMessage(context, message)),
    ),
  );
  return work.outcome();
}

function unreadable(id: string): never {
  throw new DenormError(
    'message.unreadable',
    `Expected message ${id} to have a rule, a root and a cause: it stays in the queue`,
  );
}

/** Runs the propagation or computation of a message, unless the invocation is about to end: then the queue runs it. */
export async function takeMessage(
  context: PropagationContext,
  message: Message,
  changedAt?: number,
): Promise<void> {
  if (context.outOfTime()) await settle(context, [{ is: 'rest', message }]);
  else await propagate(context, message, changedAt);
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

/** The message in a body, or undefined if the body is not a valid message. */
export function readMessage(body: string): Message | undefined {
  return messageSchema.safeParse(jsonOrUndefined(body)).data;
}
