import { fieldsOf, ifText } from '../../model/basics/type-of.ts';
import type { QueueRecord } from '../propagation/fan-out-batch.ts';

/** The records of an event, as Lambda delivers it; undefined for anything else. Each may be invalid. */
export function recordsIn(event: unknown): readonly unknown[] | undefined {
  const { Records } = fieldsOf(event);
  return Array.isArray(Records) ? Records : undefined;
}

/** The service that a record says it is from. */
export function sourceOf(record: unknown): string | undefined {
  return ifText(fieldsOf(record)['eventSource']);
}

/** Undefined for what is no record of SQS. */
export function readQueueRecord(record: unknown): QueueRecord | undefined {
  const { messageId, body, attributes } = fieldsOf(record);
  if (typeof messageId !== 'string' || typeof body !== 'string') return undefined;
  const receives = ifText(fieldsOf(attributes)['ApproximateReceiveCount']);
  return { id: messageId, body, receives: Number(receives ?? 1) };
}
