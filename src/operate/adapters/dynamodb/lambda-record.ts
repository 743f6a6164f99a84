import type { AttributeValue, _Record as StreamRecord } from '@aws-sdk/client-dynamodb-streams';
import type { DynamoDBRecord } from 'aws-lambda';
import { itemToJson } from '../../../model/dynamodb-json.ts';
import { fromSdk } from '../../../worker/adapters/dynamodb/sdk-values.ts';

type LambdaImage = NonNullable<NonNullable<DynamoDBRecord['dynamodb']>['Keys']>;

/** A stream record as Lambda delivers it: plain JSON, with binary values as base64 and the creation time in epoch seconds. */
export function lambdaRecord(record: StreamRecord, streamArn: string): DynamoDBRecord {
  const { dynamodb, eventName, userIdentity } = record;
  const created = dynamodb?.ApproximateCreationDateTime;
  return {
    eventID: record.eventID,
    ...(isEventName(eventName) ? { eventName } : {}),
    eventVersion: record.eventVersion,
    eventSource: record.eventSource,
    awsRegion: record.awsRegion,
    dynamodb: {
      ApproximateCreationDateTime: created && Math.floor(created.getTime() / 1000),
      Keys: dynamodb?.Keys && lambdaImage(dynamodb.Keys),
      NewImage: dynamodb?.NewImage && lambdaImage(dynamodb.NewImage),
      OldImage: dynamodb?.OldImage && lambdaImage(dynamodb.OldImage),
      SequenceNumber: dynamodb?.SequenceNumber,
      SizeBytes: dynamodb?.SizeBytes,
      StreamViewType: dynamodb?.StreamViewType,
    },
    userIdentity: userIdentity && { type: userIdentity.Type, principalId: userIdentity.PrincipalId },
    eventSourceARN: streamArn,
  };
}

export function lambdaImage(image: Record<string, AttributeValue>): LambdaImage {
  return itemToJson(fromSdk(image)) as LambdaImage;
}

function isEventName(name: string | undefined): name is 'INSERT' | 'MODIFY' | 'REMOVE' {
  return name === 'INSERT' || name === 'MODIFY' || name === 'REMOVE';
}
