import { createRequire } from 'node:module';
import type { CloudFormationClient } from '@aws-sdk/client-cloudformation';
import type { CloudWatchClient } from '@aws-sdk/client-cloudwatch';
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams';
import type { LambdaClient } from '@aws-sdk/client-lambda';
import type { S3Client } from '@aws-sdk/client-s3';
import type { SQSClient } from '@aws-sdk/client-sqs';
import { DenormError } from '../../model/basics/errors.ts';
import { clientSettings, withoutLogger } from '../../worker/adapters/client-settings.ts';

/** Where an operator's command finds the services, with the names of the AWS CLI. The SDK looks up missing values. */
export interface ConnectionOptions {
  /** One URL for every service: an emulator, or `denorm dev`. */
  readonly endpoint?: string;
  readonly region?: string;
  readonly profile?: string;
  /** Used instead of the SDK's own lookup, for local servers that accept any credentials. */
  readonly credentials?: { readonly accessKeyId: string; readonly secretAccessKey: string };
}

export interface Connection {
  readonly dynamoDb: DynamoDBClient;
  readonly streams: DynamoDBStreamsClient;
  readonly s3: S3Client;
  readonly sqs: SQSClient;
  readonly cloudFormation: CloudFormationClient;
  readonly cloudWatch: CloudWatchClient;
  readonly lambda: LambdaClient;
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

const clients = {
  dynamoDb: ['dynamodb', 'DynamoDBClient', {}],
  streams: ['dynamodb-streams', 'DynamoDBStreamsClient', {}],
  s3: ['s3', 'S3Client', {}],
  sqs: ['sqs', 'SQSClient', {}],
  cloudFormation: ['cloudformation', 'CloudFormationClient', {}],
  cloudWatch: ['cloudwatch', 'CloudWatchClient', {}],
  lambda: ['lambda', 'LambdaClient', patience],
} as const;

/** A package is loaded with its first client: six that are never called cost 20 MB and a quarter of the start. */
const load = createRequire(import.meta.url);

interface Client {
  readonly middlewareStack: { remove(name: string): boolean };
  destroy(): void;
}

/** @throws DenormError `sdk.missing` for CloudWatch's, a peer that only the page's metrics and alarms need */
function clientOf(name: string, type: string): new (settings: object) => Client {
  try {
    return load(name)[type];
  } catch {
    throw new DenormError('sdk.missing', `Expected package ${name}, found none: run \`npm i -D ${name}\``);
  }
}

/** Opens no socket until the first request. */
export function connect(options: ConnectionOptions): Connection {
  const given = Object.entries(options).filter(([, value]) => value !== undefined);
  // A bucket name cannot be a subdomain of localhost or of an IP address.
  const settings = {
    ...clientSettings,
    ...Object.fromEntries(given),
    forcePathStyle: options.endpoint !== undefined,
  };
  const made: Client[] = [];
  const properties = Object.entries(clients).map(([name, [service, type, own]]) => {
    let one: Client | undefined;
    function get(): Client {
      if (one !== undefined) return one;
      const Client = clientOf(`@aws-sdk/client-${service}`, type);
      one = withoutLogger(new Client({ ...settings, ...own }));
      made.push(one);
      return one;
    }
    return [name, { get }] as const;
  });
  const close = () => {
    for (const one of made) one.destroy();
  };
  return Object.create({ close }, Object.fromEntries(properties));
}
