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
import { DenormError } from '../../model/errors.ts';
import type { TableNames } from '../../model/table-names.ts';
import { type ExpiryEvidence, readStreamRecord } from '../adapters/stream-record.ts';
import type { StreamRecord } from '../batch/group.ts';
import type { QueueRecord } from '../propagation/fan-out-batch.ts';

/** @returns the records that Lambda must deliver again */
type Process<Entry> = (records: Entry[]) => Promise<ReadonlyMap<string, unknown>>;

/**
 * @throws DenormError `event.unreadable` if the event is not from a DynamoDB stream; `record.unnumbered` if a failed record has
 * no sequence number: Powertools would omit it, and Lambda would count it as a success
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
  const failed = new Set(records.filter((_, index) => failures.has(String(index))));
  for (const record of failed)
    if (!record?.dynamodb?.SequenceNumber)
      throw new DenormError(
        'record.unnumbered',
        'Expected each failed record to have a sequence number, found one without: Lambda must deliver the whole batch again',
      );
  return responseTo(event, EventType.DynamoDBStreams, (record: DynamoDBRecord) => failed.has(record));
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
  return responseTo(event, EventType.SQS, ({ messageId }: SQSRecord) => failures.has(messageId));
}

function responseTo<Entry extends DynamoDBRecord | SQSRecord>(
  event: { readonly Records: Entry[] },
  type: ConstructorParameters<typeof BatchProcessor>[0],
  hasFailed: (record: Entry) => boolean,
) {
  const process = async (record: Entry) => {
    // The reason has already been logged.
    if (hasFailed(record)) throw new Error('The record must be delivered again');
  };
  return processPartialResponse(event, process, new BatchProcessor(type), { throwOnFullBatchFailure: false });
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
