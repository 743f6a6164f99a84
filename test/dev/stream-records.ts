import type { DynamoDBRecord } from 'aws-lambda';
import type { StreamMappingSettings } from '../../src/deploy/stack-settings.ts';

/** A record in the form of Lambda, of an item with this partition key. */
export function streamRecord(sequenceNumber: number | string, pk = `item-${sequenceNumber}`): DynamoDBRecord {
  const keys = { PK: { S: pk }, SK: { S: 'a' } };
  return {
    eventID: `event-${sequenceNumber}`,
    eventName: 'INSERT',
    eventVersion: '1.1',
    eventSource: 'aws:dynamodb',
    awsRegion: 'us-east-1',
    dynamodb: {
      ApproximateCreationDateTime: Math.floor(Date.now() / 1000),
      Keys: keys,
      NewImage: keys,
      SequenceNumber: String(sequenceNumber),
      SizeBytes: 20,
      StreamViewType: 'NEW_AND_OLD_IMAGES',
    },
    eventSourceARN: 'arn:aws:dynamodb:us-east-1:000000000000:table/app/stream/1',
  };
}

export function sequenceNumbers(records: readonly DynamoDBRecord[]): string[] {
  return records.map(({ dynamodb }) => dynamodb?.SequenceNumber ?? '');
}

/** One shard worker, no filter, one retry, and the settings of the test. */
export function mappingSettings(settings: Partial<StreamMappingSettings> = {}): StreamMappingSettings {
  return {
    BatchSize: 100,
    MaximumBatchingWindowInSeconds: 0,
    FunctionResponseTypes: ['ReportBatchItemFailures'],
    StartingPosition: 'TRIM_HORIZON',
    ParallelizationFactor: 1,
    BisectBatchOnFunctionError: false,
    MaximumRetryAttempts: 1,
    ...settings,
  };
}

/** This many records, each of a different item. */
export function numbered(count: number, from = 1): DynamoDBRecord[] {
  return Array.from({ length: count }, (_, at) => streamRecord(from + at));
}
