import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { S3Client } from '@aws-sdk/client-s3';
import { SQSClient } from '@aws-sdk/client-sqs';
import { clientSettings, withoutLogger } from '../adapters/client-settings.ts';

/** Each client is made once, when a function starts. A maker of its own, so that the bundles of other functions leave the client out. */
export function dynamoDbClient(): DynamoDBClient {
  return withoutLogger(new DynamoDBClient(clientSettings));
}

export function sqsClient(): SQSClient {
  return withoutLogger(new SQSClient(clientSettings));
}

/** An emulator has no host name for each bucket. */
export function s3Client({ local }: { readonly local: boolean }): S3Client {
  return withoutLogger(new S3Client({ ...clientSettings, forcePathStyle: local }));
}
