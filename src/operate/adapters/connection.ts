import { createRequire } from 'node:module';
import type { CloudFormationClient } from '@aws-sdk/client-cloudformation';
import type { CloudWatchClient } from '@aws-sdk/client-cloudwatch';
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams';
import type { LambdaClient } from '@aws-sdk/client-lambda';
import type { S3Client } from '@aws-sdk/client-s3';
import type { SQSClient } from '@aws-sdk/client-sqs';
import { clientSettings, withoutLogger } from '../../worker/adapters/client-settings.ts';

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
  readonly cloudWatch: CloudWatchClient;
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

/**
 * The package of a service, loaded with its first client: six clients that a command never calls cost it 20 MB and a quarter
 * of its start.
 */
const load = createRequire(import.meta.url);

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
  const dynamoDb = once(() => {
    const { DynamoDBClient }: typeof import('@aws-sdk/client-dynamodb') = load('@aws-sdk/client-dynamodb');
    return new DynamoDBClient(settings);
  });
  const streams = once(() => {
    const { DynamoDBStreamsClient }: typeof import('@aws-sdk/client-dynamodb-streams') = load(
      '@aws-sdk/client-dynamodb-streams',
    );
    return new DynamoDBStreamsClient(settings);
  });
  // A bucket name cannot be a subdomain of localhost or of an IP address.
  const s3 = once(() => {
    const { S3Client }: typeof import('@aws-sdk/client-s3') = load('@aws-sdk/client-s3');
    return new S3Client({ ...settings, forcePathStyle: endpoint !== undefined });
  });
  const sqs = once(() => {
    const { SQSClient }: typeof import('@aws-sdk/client-sqs') = load('@aws-sdk/client-sqs');
    return new SQSClient(settings);
  });
  const cloudFormation = once(() => {
    const { CloudFormationClient }: typeof import('@aws-sdk/client-cloudformation') = load(
      '@aws-sdk/client-cloudformation',
    );
    return new CloudFormationClient(settings);
  });
  const cloudWatch = once(() => {
    const { CloudWatchClient }: typeof import('@aws-sdk/client-cloudwatch') = load(
      '@aws-sdk/client-cloudwatch',
    );
    return new CloudWatchClient(settings);
  });
  const lambda = once(() => {
    const { LambdaClient }: typeof import('@aws-sdk/client-lambda') = load('@aws-sdk/client-lambda');
    return new LambdaClient({ ...settings, ...patience });
  });
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
    get cloudWatch() {
      return cloudWatch();
    },
    get lambda() {
      return lambda();
    },
    close() {
      for (const client of made) client.destroy();
    },
  };
}
