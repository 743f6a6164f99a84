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
  const made: Made[] = [];
  /** A property whose client is made when it is first read. */
  function client<Sdk>(name: string, make: (sdk: Sdk) => Made): PropertyDescriptor {
    let one: Made | undefined;
    return {
      get() {
        if (one === undefined) {
          const sdk: Sdk = load(`@aws-sdk/client-${name}`);
          one = withoutLogger(make(sdk));
          made.push(one);
        }
        return one;
      },
    };
  }
  const close = () => {
    for (const one of made) one.destroy();
  };
  return Object.create(
    { close },
    {
      dynamoDb: client(
        'dynamodb',
        (sdk: typeof import('@aws-sdk/client-dynamodb')) => new sdk.DynamoDBClient(settings),
      ),
      streams: client(
        'dynamodb-streams',
        (sdk: typeof import('@aws-sdk/client-dynamodb-streams')) => new sdk.DynamoDBStreamsClient(settings),
      ),
      // A bucket name cannot be a subdomain of localhost or of an IP address.
      s3: client(
        's3',
        (sdk: typeof import('@aws-sdk/client-s3')) =>
          new sdk.S3Client({ ...settings, forcePathStyle: endpoint !== undefined }),
      ),
      sqs: client('sqs', (sdk: typeof import('@aws-sdk/client-sqs')) => new sdk.SQSClient(settings)),
      cloudFormation: client(
        'cloudformation',
        (sdk: typeof import('@aws-sdk/client-cloudformation')) => new sdk.CloudFormationClient(settings),
      ),
      cloudWatch: client(
        'cloudwatch',
        (sdk: typeof import('@aws-sdk/client-cloudwatch')) => new sdk.CloudWatchClient(settings),
      ),
      lambda: client(
        'lambda',
        (sdk: typeof import('@aws-sdk/client-lambda')) => new sdk.LambdaClient({ ...settings, ...patience }),
      ),
    },
  );
}
