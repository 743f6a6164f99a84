import { randomUUID } from 'node:crypto';
import type { DynamoDBRecord } from 'aws-lambda';
import { localRegion } from '../loopback.ts';

/** Why Lambda gave a batch up. */
export type FailureCondition = 'RetryAttemptsExhausted' | 'RecordAgeExceeded';

/** A batch that was given up. */
export interface FailedBatch {
  readonly functionName: string;
  readonly streamArn: string;
  readonly shardId: string;
  readonly records: readonly DynamoDBRecord[];
  readonly condition: FailureCondition;
  readonly invocations: number;
  /** Whether the last invocation threw, in contrast to one that reported failed records. */
  readonly threw: boolean;
}

/**
 * What Lambda puts into an on-failure bucket for a batch that it gave up, the whole event included.
 * Source: Lambda Developer Guide, "Retain discarded records for a DynamoDB event source".
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
