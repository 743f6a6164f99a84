import { randomUUID } from 'node:crypto';
import { rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { DynamoDBRecord } from 'aws-lambda';
import { makeFolder } from '../archive-folder/files.ts';
import { localRegion } from '../loopback.ts';

/** Why Lambda gave up a batch. */
export type FailureCondition = 'RetryAttemptsExhausted' | 'RecordAgeExceeded';

/** A batch that was given up. */
export interface FailedBatch {
  readonly functionName: string;
  readonly streamArn: string;
  readonly shardId: string;
  readonly records: readonly DynamoDBRecord[];
  readonly condition: FailureCondition;
  readonly invocations: number;
  /** Whether the last invocation threw, as opposed to reporting failed records. */
  readonly threw: boolean;
}

/**
 * The object that Lambda writes to an on-failure bucket for a batch that it gave up, including the whole
 * event. Source: Lambda Developer Guide, "Retain discarded records for a DynamoDB event source".
 */
export interface OnFailureRecord {
  readonly requestContext: {
    readonly requestId: string;
    readonly functionArn: string;
    readonly condition: FailureCondition;
    readonly approximateInvokeCount: number;
  };
  readonly responseContext: {
    readonly statusCode: number;
    readonly executedVersion: string;
    readonly functionError: string | null;
  };
  readonly version: '1.0';
  /** ISO 8601. */
  readonly timestamp: string;
  readonly DDBStreamBatchInfo: {
    readonly shardId: string;
    readonly startSequenceNumber: string;
    readonly endSequenceNumber: string;
    readonly approximateArrivalOfFirstRecord: string;
    readonly approximateArrivalOfLastRecord: string;
    readonly batchSize: number;
    readonly streamArn: string;
  };
  /** The event that the function was invoked with, as JSON text. */
  readonly payload: string;
}

export function onFailureRecord(batch: FailedBatch): OnFailureRecord {
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

/**
 * Writes each batch that was given up to a file below `<directory>/on-failure`, named like Lambda's objects
 * in a bucket, with the function's name instead of the mapping's ID. Each file is written atomically. Source:
 * Lambda Developer Guide, `aws/lambda/<mapping>/<shard>/YYYY/MM/DD/YYYY-MM-DDTHH.MM.SS-<UUID>`.
 * @returns a function that writes one record, and resolves to the path of its file
 */
export function onFailureFolder(directory: string) {
  return async (record: OnFailureRecord, functionName: string): Promise<string> => {
    const [day = '', time = ''] = record.timestamp.split('T');
    const [year = '', month = '', date = ''] = day.split('-');
    const name = `${day}T${time.slice(0, 8).replaceAll(':', '.')}-${randomUUID()}`;
    const { shardId } = record.DDBStreamBatchInfo;
    const path = join(
      directory,
      'on-failure',
      'aws',
      'lambda',
      functionName,
      shardId,
      year,
      month,
      date,
      name,
    );
    await makeFolder(dirname(path));
    await writeFile(`${path}.part`, JSON.stringify(record, undefined, 2));
    await rename(`${path}.part`, path);
    return path;
  };
}
