import type { AttributeValue, _Record as StreamRecord } from '@aws-sdk/client-dynamodb-streams';
import type { DynamoDBRecord } from 'aws-lambda';
import { base64 } from '../../../model/attribute-value.ts';

type Image = Record<string, AttributeValue>;
type LambdaImage = NonNullable<NonNullable<DynamoDBRecord['dynamodb']>['Keys']>;
type LambdaValue = LambdaImage[string];

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

/** An item as a record from Lambda contains it. */
export function lambdaImage(image: Image): LambdaImage {
  return Object.fromEntries(
    Object.entries(image).flatMap(([name, value]) =>
      // The SDK leaves an attribute called __proto__ without a value.
      value === undefined ? [] : [[name, lambdaValue(value)] as const],
    ),
  );
}

function lambdaValue(value: AttributeValue): LambdaValue {
  if (value.S !== undefined) return { S: value.S };
  if (value.N !== undefined) return { N: value.N };
  if (value.B !== undefined) return { B: base64(value.B) };
  if (value.BOOL !== undefined) return { BOOL: value.BOOL };
  if (value.NULL !== undefined) return { NULL: value.NULL };
  if (value.SS !== undefined) return { SS: value.SS };
  if (value.NS !== undefined) return { NS: value.NS };
  if (value.BS !== undefined) return { BS: value.BS.map(base64) };
  if (value.L !== undefined) return { L: value.L.map(lambdaValue) };
  return { M: lambdaImage(value.M ?? {}) };
}

function isEventName(name: string | undefined): name is 'INSERT' | 'MODIFY' | 'REMOVE' {
  return name === 'INSERT' || name === 'MODIFY' || name === 'REMOVE';
}
