import type {
  DynamoDBBatchResponse,
  DynamoDBRecord,
  DynamoDBStreamEvent,
  SQSBatchResponse,
  SQSEvent,
  SQSRecord,
} from 'aws-lambda';
import * as z from 'zod';
import { DenormError } from '../../model/errors.ts';
import type { TableNames } from '../../model/table-names.ts';
import { type ExpiryEvidence, readStreamRecord } from '../adapters/stream-record.ts';
import type { StreamRecord } from '../batch/group.ts';
import type { QueueRecord } from '../propagation/fan-out-batch.ts';

/** @returns the records that Lambda must deliver again */
type Process<Entry> = (records: Entry[]) => Promise<ReadonlyMap<string, unknown>>;

/**
 * @throws DenormError `event.unreadable` if the event is not from a DynamoDB stream; `record.unnumbered` if a failed record has
 * no sequence number: Lambda would not know it
 */
export async function streamResponse(
  table: TableNames,
  evidence: ExpiryEvidence,
  event: DynamoDBStreamEvent,
  process: Process<StreamRecord>,
): Promise<DynamoDBBatchResponse> {
  const records = recordsOf<DynamoDBRecord>(event, 'aws:dynamodb');
  const failures = await process(
    records.map((record, index) => ({
      id: String(index),
      says: readStreamRecord(table, record, evidence),
    })),
  );
  const failed = records.filter((_, index) => failures.has(String(index)));
  return { batchItemFailures: failed.map((record) => ({ itemIdentifier: numberOf(record) })) };
}

/** Records of another table would be taken for items of the function's own. @throws DenormError `stream.other-table` */
export function requireStreamOf(tableName: string, event: DynamoDBStreamEvent): void {
  // The name of a table may be given as its ARN.
  const own = tableName.split('/').at(-1);
  for (const record of recordsOf<DynamoDBRecord | null>(event, 'aws:dynamodb')) {
    const [, of = own] = /:table\/([^/]+)\/stream\//.exec(record?.eventSourceARN ?? '') ?? [];
    if (of !== own)
      throw new DenormError(
        'stream.other-table',
        `Expected records of the table ${own}, found one of ${of}: correct the stream of the event source mapping, or TABLE_NAME`,
      );
  }
}

/** @throws DenormError `event.unreadable` if the event is not from SQS */
export async function queueResponse(
  event: SQSEvent,
  process: Process<QueueRecord>,
): Promise<SQSBatchResponse> {
  const records = recordsOf<SQSRecord>(event, 'aws:sqs');
  const failures = await process(
    records.map(({ messageId, body, attributes }) => ({
      ...{ id: messageId, body },
      receives: Number(attributes?.ApproximateReceiveCount ?? 1),
    })),
  );
  const failed = records.filter(({ messageId }) => failures.has(messageId));
  return { batchItemFailures: failed.map(({ messageId }) => ({ itemIdentifier: messageId })) };
}

function numberOf(record: DynamoDBRecord | null): string {
  if (record?.dynamodb?.SequenceNumber) return record.dynamodb.SequenceNumber;
  throw new DenormError(
    'record.unnumbered',
    'Expected each failed record to have a sequence number, found one without: Lambda must deliver the whole batch again',
  );
}

const envelope = z.object({
  Records: z.array(z.object({ eventSource: z.string().optional() }).loose().nullable()),
});

function recordsOf<Entry>(event: { readonly Records: readonly Entry[] }, source: string): readonly Entry[] {
  const parsed = envelope.safeParse(event);
  const other =
    parsed.success && parsed.data.Records.find((record) => (record?.eventSource ?? source) !== source);
  if (parsed.success && other === undefined) return event.Records;
  const found = other ? `one of ${other.eventSource}` : 'none';
  throw new DenormError('event.unreadable', `Expected an event with Records of ${source}, found ${found}`);
}
