import { DenormError } from '../../model/basics/errors.ts';
import { jsonOrUndefined } from '../../model/basics/parse-json.ts';
import type { Message } from '../../model/work/message.ts';
import { messageSchema } from '../../model/work/message-schemas.ts';
import type { Received } from '../../model/work/report.ts';
import { BatchWork } from '../batch/batch-work.ts';
import { noteArrival } from '../heartbeat.ts';
import type { PropagationContext } from './context.ts';
import { deliver, onceEachTarget, withPauses } from './deliveries.ts';

export interface QueueRecord {
  readonly id: string;
  readonly body: string;
  /** This time included. Default: 1. */
  readonly receives?: number;
  /** In epoch milliseconds. */
  readonly sentAt?: number | undefined;
  /** In epoch milliseconds. */
  readonly firstReceivedAt?: number | undefined;
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
  const received = receive(invocation, records);
  // Before anything is waited for: an invocation that times out tells nothing later.
  invocation.telemetry.received(received);
  const work = new BatchWork(invocation.settings.concurrency, invocation.telemetry);
  const delivered = received.flatMap(({ id, message: read }) => {
    const message = work.plan([id], () => read ?? unreadable(id));
    return message === undefined ? [] : [{ ids: [id], message }];
  });
  // An unreadable message that comes again and again asks nothing of a table that is away.
  if (delivered.length === 0) return work.outcome();
  const context = await withPauses(invocation);
  await Promise.all(
    onceEachTarget(context.registry, delivered).map((delivery) =>
      work.run(delivery.ids, () => {
        const { beat } = delivery.message;
        return beat === undefined ? deliver(context, delivery) : noteArrival(context, 'fan-out', beat);
      }),
    ),
  );
  return work.outcome();
}

function receive(
  { registry, clock }: PropagationContext,
  records: readonly QueueRecord[],
): readonly Received[] {
  const now = clock.now();
  return records.map(({ id, body, receives = 1, sentAt, firstReceivedAt }) => {
    const message = readMessage(body);
    const writer = message && (registry.rule(message.rule) ?? registry.aggregate(message.rule));
    // Receives are about as far apart as the first from now: all waits of a message add up to its time in the queue.
    const since = receives > 1 ? firstReceivedAt : sentAt;
    const waitMs =
      since === undefined ? undefined : Math.round(Math.max(0, now - since) / Math.max(1, receives - 1));
    return { id, receives, message, rule: writer?.name, waitMs };
  });
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
