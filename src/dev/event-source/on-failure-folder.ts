import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { DynamoDBRecord } from 'aws-lambda';
import type { FailedBatches } from '../../operate/dead-letters/failed-batch.ts';
import { Folder } from '../folder.ts';
import { localRegion } from '../loopback.ts';

export interface GivenUpBatch {
  readonly functionName: string;
  readonly streamArn: string;
  readonly shardId: string;
  readonly records: readonly DynamoDBRecord[];
  readonly condition: 'RetryAttemptsExhausted';
  readonly invocations: number;
  /** Whether the last invocation threw, as opposed to reporting failed records. */
  readonly threw: boolean;
}

/** Source: Lambda Developer Guide, "Retain discarded records for a DynamoDB event source". */
export type OnFailureRecord = ReturnType<typeof onFailureRecord>;

export function onFailureRecord(batch: GivenUpBatch) {
  const first = batch.records[0]?.dynamodb;
  const last = batch.records.at(-1)?.dynamodb;
  return {
    requestContext: {
      requestId: randomUUID(),
      functionArn: `arn:aws:lambda:${localRegion}:000000000000:function:${batch.functionName}`,
      condition: batch.condition,
      approximateInvokeCount: batch.invocations,
    },
    responseContext: {
      statusCode: 200,
      executedVersion: '$LATEST',
      functionError: batch.threw ? 'Unhandled' : null,
    },
    version: '1.0',
    timestamp: new Date().toISOString(),
    DDBStreamBatchInfo: {
      shardId: batch.shardId,
      startSequenceNumber: first?.SequenceNumber ?? '',
      endSequenceNumber: last?.SequenceNumber ?? '',
      approximateArrivalOfFirstRecord: arrival(first?.ApproximateCreationDateTime),
      approximateArrivalOfLastRecord: arrival(last?.ApproximateCreationDateTime),
      batchSize: batch.records.length,
      streamArn: batch.streamArn,
    },
    payload: JSON.stringify({ Records: batch.records }),
  };
}

function arrival(epochSeconds = 0): string {
  return new Date(epochSeconds * 1000).toISOString().replace('.000Z', 'Z');
}

/** A file for each batch in `<directory>/on-failure/<function>`. Names sort by time. */
export function onFailureFolder(directory: string) {
  const folder = new Folder(join(directory, 'on-failure'));
  return (record: OnFailureRecord, functionName: string): Promise<void> => {
    // As in S3's key. What lists failed batches reads the time in it.
    const time = record.timestamp.slice(0, 19).replaceAll(':', '.');
    return folder.write(`${functionName}/${time}-${randomUUID()}.json`, JSON.stringify(record, undefined, 2));
  };
}

/** The batches that `denorm dev` gave up: the files in a folder such as `.denorm/on-failure`. */
export function failedBatchFolder(path: string): FailedBatches {
  const folder = new Folder(path);
  return {
    name: path,
    async *keys() {
      yield* await folder.names();
    },
    read: async (key) => (await folder.read(key))?.toString(),
    remove: (key) => folder.remove(key),
  };
}
