import * as z from 'zod';
import type { QueueRecord } from '../propagation/fan-out-batch.ts';

const eventSchema = z.object({ Records: z.array(z.unknown()) });
const sourceSchema = z.object({ eventSource: z.string() });
const queueRecordSchema = z.object({
  messageId: z.string(),
  body: z.string(),
  attributes: z.object({ ApproximateReceiveCount: z.string().optional() }).optional(),
});

/** The records of an event, as Lambda delivers it; undefined for anything else. Each may be invalid. */
export function recordsIn(event: unknown): readonly unknown[] | undefined {
  return eventSchema.safeParse(event).data?.Records;
}

/** The service that a record says it is from. */
export function sourceOf(record: unknown): string | undefined {
  return sourceSchema.safeParse(record).data?.eventSource;
}

/** Undefined for what is no record of SQS. */
export function readQueueRecord(record: unknown): QueueRecord | undefined {
  const { messageId, body, attributes } = queueRecordSchema.safeParse(record).data ?? {};
  if (messageId === undefined || body === undefined) return undefined;
  return { id: messageId, body, receives: Number(attributes?.ApproximateReceiveCount ?? 1) };
}
