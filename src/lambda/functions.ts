import { BatchProcessor, EventType, processPartialResponse } from '@aws-lambda-powertools/batch';
import type {
  DynamoDBBatchResponse,
  DynamoDBRecord,
  DynamoDBStreamEvent,
  SQSBatchResponse,
  SQSEvent,
  SQSRecord,
} from 'aws-lambda';
import * as z from 'zod';
import { type ExpiryEvidence, readStreamRecord } from '../adapters/stream-record.ts';
import { archiveBatch } from '../archive/archive-batch.ts';
import type { ArchiveContext } from '../archive/archive-item.ts';
import type { StreamRecord } from '../batch/group.ts';
import { DenormError } from '../model/errors.ts';
import type { PropagationContext } from '../propagation/context.ts';
import { fanOutBatch } from '../propagation/fan-out-batch.ts';
import { propagateBatch } from '../propagation/propagate-batch.ts';

/** What an event source mapping with ReportBatchItemFailures delivers, and what it wants to hear. */
export interface FunctionBodies {
  Propagate(event: DynamoDBStreamEvent): Promise<DynamoDBBatchResponse>;
  Archive(event: DynamoDBStreamEvent): Promise<DynamoDBBatchResponse>;
  FanOut(event: SQSEvent): Promise<SQSBatchResponse>;
}

/** Works on a batch of the table's stream: copies follow their roots. */
export async function propagate(
  context: PropagationContext,
  evidence: ExpiryEvidence,
  event: DynamoDBStreamEvent,
): Promise<DynamoDBBatchResponse> {
  const failures = await propagateBatch(context, streamRecords(context, evidence, event));
  return streamAnswer(event, failures);
}

/** Works on a batch of the table's stream: what is going to expire stands in the archive. */
export async function archive(
  context: ArchiveContext,
  evidence: ExpiryEvidence,
  event: DynamoDBStreamEvent,
): Promise<DynamoDBBatchResponse> {
  const failures = await archiveBatch(context, streamRecords(context, evidence, event));
  return streamAnswer(event, failures);
}

/** Works on a batch of the fan-out queue. */
export async function fanOut(context: PropagationContext, event: SQSEvent): Promise<SQSBatchResponse> {
  const records = recordsOf<SQSRecord>(event, 'aws:sqs');
  const failures = await fanOutBatch(
    context,
    records.map(({ messageId, body }) => ({ id: messageId, body })),
  );
  return processPartialResponse(
    event,
    async ({ messageId }: SQSRecord) => {
      if (failures.has(messageId)) throw comesAgain();
    },
    new BatchProcessor(EventType.SQS),
    { throwOnFullBatchFailure: false },
  );
}

function streamRecords(
  { registry }: Pick<PropagationContext, 'registry'>,
  evidence: ExpiryEvidence,
  event: DynamoDBStreamEvent,
): StreamRecord[] {
  const records = recordsOf<DynamoDBRecord>(event, 'aws:dynamodb');
  return records.map((record, index) => ({
    id: String(index),
    says: readStreamRecord(registry.table, record, evidence),
  }));
}

/**
 * The identifiers of the records that come again, as Powertools words them for the event source mapping. Powertools leaves
 * out a failed record that has no sequence number, which Lambda would take for success.
 * @throws DenormError `record.unnumbered` where a failed record has none: then the whole batch comes again
 */
function streamAnswer(
  event: DynamoDBStreamEvent,
  failures: ReadonlyMap<string, unknown>,
): Promise<DynamoDBBatchResponse> {
  const failed = new Set(event.Records.filter((_, index) => failures.has(String(index))));
  for (const record of failed)
    if (!record?.dynamodb?.SequenceNumber)
      throw new DenormError(
        'record.unnumbered',
        'Expected each failed record to have a sequence number, found one without: the whole batch has to come again',
      );
  return processPartialResponse(
    event,
    async (record: DynamoDBRecord) => {
      if (failed.has(record)) throw comesAgain();
    },
    new BatchProcessor(EventType.DynamoDBStreams),
    { throwOnFullBatchFailure: false },
  );
}

/** Tells Powertools that a record failed. Why has been logged by then. */
function comesAgain(): Error {
  return new Error('The record has to come again');
}

const envelope = z.object({
  Records: z.array(z.object({ eventSource: z.string().optional() }).loose().nullable()),
});

/** The records of an event, after a look that it is one of this source. */
function recordsOf<Entry>(event: { readonly Records: readonly Entry[] }, source: string): readonly Entry[] {
  const parsed = envelope.safeParse(event);
  const other =
    parsed.success && parsed.data.Records.find((record) => (record?.eventSource ?? source) !== source);
  if (parsed.success && other === undefined) return event.Records;
  const found = other ? `one of ${other.eventSource}` : 'none';
  throw new DenormError('event.unreadable', `Expected an event with Records of ${source}, found ${found}`);
}
