import { CloudFormationClient } from '@aws-sdk/client-cloudformation';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams';
import { LambdaClient } from '@aws-sdk/client-lambda';
import { S3Client } from '@aws-sdk/client-s3';
import { SQSClient } from '@aws-sdk/client-sqs';
import { clientSettings, withoutLogger } from './client-settings.ts';

/**
 * Where an operator's command finds the services, with the names of the AWS CLI. The SDK looks up missing
 * values.
 */
export interface ConnectionOptions {
  /** One URL for every service: an emulator, or `denorm dev`. */
  readonly endpoint?: string;
  readonly region?: string;
  readonly profile?: string;
  /** Used instead of the SDK's own lookup, for local servers that accept any credentials. */
  readonly credentials?: { readonly accessKeyId: string; readonly secretAccessKey: string };
}

/** Clients for the services of one account and region, each created on first use. */
export interface Connection {
  readonly dynamoDb: DynamoDBClient;
  readonly streams: DynamoDBStreamsClient;
  readonly s3: S3Client;
  readonly sqs: SQSClient;
  readonly cloudFormation: CloudFormationClient;
  readonly lambda: LambdaClient;
  /** Closes all clients that were created. */
  close(): void;
}

/**
 * An invocation answers when it is over, after 15 minutes at most. With a shorter timeout, a retry would run
 * it twice. Source: AWS, "Lambda quotas", timeout.
 */
const patience = {
  maxAttempts: 3,
  requestHandler: { ...clientSettings.requestHandler, requestTimeout: 910_000 },
};

/** What the clients have in common. */
interface Made {
  readonly middlewareStack: { remove(name: string): boolean };
  destroy(): void;
}

/** Opens no socket until the first request. */
export function connect({ endpoint, region, profile, credentials }: ConnectionOptions): Connection {
  const settings = {
    ...clientSettings,
    ...(endpoint !== undefined && { endpoint }),
    ...(region !== undefined && { region }),
    ...(profile !== undefined && { profile }),
    ...(credentials !== undefined && { credentials }),
  };
  const made: { destroy(): void }[] = [];
  function once<Client extends Made>(make: () => Client): () => Client {
    let client: Client | undefined;
    return () => {
      if (client === undefined) {
        client = withoutLogger(make());
        made.push(client);
      }
      return client;
    };
  }
  const dynamoDb = once(() => new DynamoDBClient(settings));
  const streams = once(() => new DynamoDBStreamsClient(settings));
  // A bucket name cannot be a subdomain of localhost or of an IP address.
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
