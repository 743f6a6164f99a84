import { CloudFormationClient } from '@aws-sdk/client-cloudformation';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams';
import { LambdaClient } from '@aws-sdk/client-lambda';
import { S3Client } from '@aws-sdk/client-s3';
import { SQSClient } from '@aws-sdk/client-sqs';
import { clientSettings } from './client-settings.ts';

/** Where an operator's command finds the services, as the AWS CLI names it. What is not given, the SDK looks up. */
export interface ConnectionOptions {
  /** One URL for every service: an emulator, or `denorm dev`. */
  readonly endpoint?: string;
  readonly region?: string;
  readonly profile?: string;
  /** Used instead of what the SDK looks up; for servers on this machine that take any. */
  readonly credentials?: { readonly accessKeyId: string; readonly secretAccessKey: string };
}

/** The services of one place. A client is made when it is first asked for. */
export interface Connection {
  readonly dynamoDb: DynamoDBClient;
  readonly streams: DynamoDBStreamsClient;
  readonly s3: S3Client;
  readonly sqs: SQSClient;
  readonly cloudFormation: CloudFormationClient;
  readonly lambda: LambdaClient;
  /** Closes every client that was made. */
  close(): void;
}

/**
 * An invocation is answered when it is over, after 15 minutes at most: whoever gives up before, and tries again, has it
 * run twice. Source: AWS, "Lambda quotas", timeout.
 */
const patience = {
  maxAttempts: 3,
  requestHandler: { ...clientSettings.requestHandler, requestTimeout: 910_000 },
};

/** Opens no socket: the first request does. */
export function connect({ endpoint, region, profile, credentials }: ConnectionOptions): Connection {
  const settings = {
    ...clientSettings,
    ...(endpoint !== undefined && { endpoint }),
    ...(region !== undefined && { region }),
    ...(profile !== undefined && { profile }),
    ...(credentials !== undefined && { credentials }),
  };
  const made: { destroy(): void }[] = [];
  function once<Client extends { destroy(): void }>(make: () => Client): () => Client {
    let client: Client | undefined;
    return () => {
      if (client === undefined) {
        client = make();
        made.push(client);
      }
      return client;
    };
  }
  const dynamoDb = once(() => new DynamoDBClient(settings));
  const streams = once(() => new DynamoDBStreamsClient(settings));
  // A bucket's name cannot stand before a host that is a number, or before localhost.
  const s3 = once(() => new S3Client({ ...settings, forcePathStyle: endpoint !== undefined }));
  const sqs = once(() => new SQSClient(settings));
  const cloudFormation = once(() => new CloudFormationClient(settings));
  const lambda = once(() => new LambdaClient({ ...settings, ...patience }));
  return {
    get dynamoDb() {
      return dynamoDb();
    },
    get streams() {
      return streams();
    },
    get s3() {
      return s3();
    },
    get sqs() {
      return sqs();
    },
    get cloudFormation() {
      return cloudFormation();
    },
    get lambda() {
      return lambda();
    },
    close() {
      for (const client of made) client.destroy();
    },
  };
}
