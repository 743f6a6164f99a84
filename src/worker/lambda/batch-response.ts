import type { DynamoDBBatchResponse, DynamoDBStreamEvent, SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { DenormError } from '../../model/basics/errors.ts';
import type { TableNames } from '../../model/items/table-names.ts';
import { type ExpiryEvidence, readStreamRecord } from '../adapters/stream-record.ts';
import type { StreamRecord } from '../batch/group.ts';
import type { QueueRecord } from '../propagation/fan-out-batch.ts';
import { readQueueRecord, recordsIn, sourceOf } from './event.ts';

/** @returns the records that Lambda must deliver again, with their errors, which have been logged */
type Process<Entry> = (records: Entry[]) => Promise<ReadonlyMap<string, unknown>>;

/**
 * @throws DenormError `event.unreadable` if the event is not from a DynamoDB stream; `record.unnumbered` if a failed record has
 * no sequence number: if it were left out, Lambda would count it as a success
 */
export async function streamResponse(
  table: TableNames,
  evidence: ExpiryEvidence,
  event: DynamoDBStreamEvent,
  process: Process<StreamRecord>,
): Promise<DynamoDBBatchResponse> {
  requireSource(event, 'aws:dynamodb');
  const failures = await process(
    event.Records.map((record, index) => ({
      id: String(index),
      parsed: readStreamRecord(table, record, evidence),
    })),
  );
  const failed = event.Records.filter((_, index) => failures.has(String(index)));
  const batchItemFailures = failed.map((record) => {
    const itemIdentifier = record?.dynamodb?.SequenceNumber;
    if (itemIdentifier) return { itemIdentifier };
    throw new DenormError(
      'record.unnumbered',
      'Expected each failed record to have a sequence number, found one without: Lambda must deliver the whole batch again',
    );
  });
  return { batchItemFailures };
}

/**
 * Records of another table would be taken for items of the function's own.
 * @throws DenormError `stream.other-table`
 */
export function requireStreamOf(tableName: string, event: DynamoDBStreamEvent): void {
  // The name of a table may be given as its ARN.
  const own = tableName.split('/').at(-1);
  requireSource(event, 'aws:dynamodb');
  for (const record of event.Records) {
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
  requireSource(event, 'aws:sqs');
  const failures = await process(
    event.Records.map((record) => {
      const read = readQueueRecord(record);
      if (read === undefined) throw unreadable('aws:sqs', 'one without messageId and body');
      return read;
    }),
  );
  const failed = event.Records.filter(({ messageId }) => failures.has(messageId));
  return { batchItemFailures: failed.map(({ messageId }) => ({ itemIdentifier: messageId })) };
}

/** A record that does not say where it is from may be of any source. */
function requireSource(event: unknown, source: string): void {
  const records = recordsIn(event);
  if (records === undefined) throw unreadable(source, 'none');
  for (const found of records.map(sourceOf))
    if (found !== undefined && found !== source) throw unreadable(source, `one of ${found}`);
}

function unreadable(source: string, found: string): DenormError {
  return new DenormError('event.unreadable', `Expected an event with Records of ${source}, found ${found}`);
}
