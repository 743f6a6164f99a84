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
  const { ApproximateReceiveCount, SentTimestamp, ApproximateFirstReceiveTimestamp } = fieldsOf(attributes);
  return {
    ...{ id: messageId, body, receives: numberIn(ApproximateReceiveCount) ?? 1 },
    ...{ sentAt: numberIn(SentTimestamp), firstReceivedAt: numberIn(ApproximateFirstReceiveTimestamp) },
  };
}

function numberIn(text: unknown): number | undefined {
  const number = Number(ifText(text) ?? Number.NaN);
  return Number.isFinite(number) ? number : undefined;
}
