import { DenormError } from '../../model/basics/errors.ts';
import { jsonOrUndefined } from '../../model/basics/parse-json.ts';
import type { Message } from '../../model/work/message.ts';
import { messageSchema } from '../../model/work/message-schemas.ts';
import { BatchWork } from '../batch/batch-work.ts';
import type { PropagationContext } from './context.ts';
import { deliver, onceEachTarget, withPauses } from './deliveries.ts';

export interface QueueRecord {
  readonly id: string;
  readonly body: string;
  /** This time included. Default: 1. */
  readonly receives?: number;
}

/**
 * An unreadable message fails: the queue alone has its body, and moves it to the dead letters in the end. A later version of
 * this package may read it.
 * @returns the messages that must be delivered again, with their errors
 * @throws FatalError if no message could be processed
 */
export async function fanOutBatch(
  invocation: PropagationContext,
  records: readonly QueueRecord[],
): Promise<ReadonlyMap<string, unknown>> {
  const context = await withPauses(invocation);
  const work = new BatchWork(context.settings.concurrency, context.telemetry);
  const delivered = records.flatMap(({ id, body }) => {
    const message = work.plan([id], () => readMessage(body) ?? unreadable(id));
    return message === undefined ? [] : [{ ids: [id], message }];
  });
  await Promise.all(
    onceEachTarget(context.registry, delivered).map((delivery) =>
      work.run(delivery.ids, () => deliver(context, delivery)),
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

export function readMessage(body: string): Message | undefined {
  return messageSchema.safeParse(jsonOrUndefined(body)).data;
}
