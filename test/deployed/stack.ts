import { readFileSync } from 'node:fs';
import { Agent } from 'node:https';
import {
  CloudFormationClient,
  DescribeStackResourceCommand,
  DescribeStacksCommand,
} from '@aws-sdk/client-cloudformation';
import { CloudWatchClient } from '@aws-sdk/client-cloudwatch';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { IAMClient } from '@aws-sdk/client-iam';
import { LambdaClient } from '@aws-sdk/client-lambda';
import { S3Client } from '@aws-sdk/client-s3';
import { SQSClient } from '@aws-sdk/client-sqs';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { emptySettings, sam } from '../../scripts/sam.ts';
import { allow, policyOf } from './role-policies.ts';

/** What the template's outputs say. */
export interface Stack {
  readonly name: string;
  readonly table: string;
  readonly streamArn: string;
  readonly functions: {
    readonly Propagate: string;
    readonly Archive: string;
    readonly FanOut: string;
    readonly Sweep: string;
    readonly Verify: string;
    readonly Heartbeat: string;
  };
  readonly fanOutQueue: string;
  readonly deadLetterQueue: string;
  readonly archiveBucket: string;
  readonly failureBuckets: Readonly<Record<'Propagate' | 'Archive', string>>;
}

/** Dummies: the emulator takes `test` for the account's administrator. */
const credentials = { accessKeyId: 'test', secretAccessKey: 'test' };
const region = 'us-east-1';

/** Where the emulator is, and the file with the certificate that it shows. */
export interface Cloud {
  readonly endpoint: string;
  readonly certificate: string;
}

/** What a program's environment holds that is to work there. */
export function environment({ endpoint, certificate }: Cloud): NodeJS.ProcessEnv {
  return {
    AWS_ENDPOINT_URL: endpoint,
    AWS_CA_BUNDLE: certificate,
    AWS_ACCESS_KEY_ID: credentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
    AWS_REGION: region,
    AWS_DEFAULT_REGION: region,
  };
}

/** CloudWatch, whose metrics the emulator keeps. */
export function cloudWatchOf({ endpoint, certificate }: Cloud): CloudWatchClient {
  const requestHandler = { httpsAgent: new Agent({ ca: readFileSync(certificate) }) };
  return new CloudWatchClient({ endpoint, region, credentials, requestHandler });
}

/** Clients as an application has them, and those of whoever looks after the stack. */
export function clientsOf({ endpoint, certificate }: Cloud) {
  const httpsAgent = new Agent({ ca: readFileSync(certificate), keepAlive: true });
  const settings = { endpoint, region, credentials, maxAttempts: 5, requestHandler: { httpsAgent } };
  const dynamoDb = new DynamoDBClient(settings);
  return {
    dynamoDb,
    application: DynamoDBDocumentClient.from(dynamoDb, { marshallOptions: { removeUndefinedValues: true } }),
    s3: new S3Client({ ...settings, forcePathStyle: true }),
    sqs: new SQSClient(settings),
    lambda: new LambdaClient(settings),
    iam: new IAMClient(settings),
    cloudFormation: new CloudFormationClient(settings),
  };
}

export type Clients = ReturnType<typeof clientsOf>;

/**
 * Deploys what `npm run build:sam` has built, as a user would, and reads the outputs.
 * @throws Error with what SAM CLI said where it fails
 */
export async function deploy(
  cloud: Cloud,
  name: string,
  parameters: Readonly<Record<string, string>> = {},
): Promise<Stack> {
  const overrides = Object.entries(parameters).map(([key, value]) => `${key}=${value}`);
  await sam(
    [
      ...['deploy', '--template-file', '.aws-sam/build/template.yaml', '--stack-name', name],
      ...['--config-file', emptySettings, '--region', region],
      ...['--resolve-s3', '--capabilities', 'CAPABILITY_IAM', '--no-confirm-changeset', '--no-progressbar'],
      ...[
        '--no-fail-on-empty-changeset',
        ...(overrides.length > 0 ? ['--parameter-overrides', ...overrides] : []),
      ],
    ],
    { env: environment(cloud) },
  );
  const { StackResourceDetail } = await clientsOf(cloud).cloudFormation.send(
    // No output names it.
    new DescribeStackResourceCommand({ StackName: name, LogicalResourceId: 'Heartbeat' }),
  );
  const heartbeat = StackResourceDetail?.PhysicalResourceId ?? '';
  return stackOf(name, await outputsAllowed(cloud, name), heartbeat);
}

/** Allows the roles of a deployed stack what the emulator asks for, and returns its outputs. */
export async function outputsAllowed(cloud: Cloud, name: string): Promise<(key: string) => string> {
  const outputs = await outputsOf(cloud, name);
  await allowFunctions(clientsOf(cloud), outputs);
  return outputOf(name, outputs);
}

/** Allows the functions among the outputs of a stack what the emulator asks for. */
export async function allowFunctions(clients: Clients, outputs: ReadonlyMap<string, string>): Promise<void> {
  for (const [key, functionName] of outputs) {
    if (!key.endsWith('Function')) continue;
    const policy = await policyOf(clients, functionName);
    await allow(clients, policy, policy.statements);
  }
}

/** The outputs of a stack by their names. */
export async function outputsOf(cloud: Cloud, name: string): Promise<ReadonlyMap<string, string>> {
  const { cloudFormation } = clientsOf(cloud);
  const { Stacks = [] } = await cloudFormation.send(new DescribeStacksCommand({ StackName: name }));
  return new Map(Stacks[0]?.Outputs?.map(({ OutputKey = '', OutputValue = '' }) => [OutputKey, OutputValue]));
}

function outputOf(name: string, outputs: ReadonlyMap<string, string>): (key: string) => string {
  return (key) => {
    const value = outputs.get(key);
    if (value === undefined) throw new Error(`Expected stack ${name} to have the output ${key}`);
    return value;
  };
}

function stackOf(name: string, output: (key: string) => string, heartbeat: string): Stack {
  return {
    name,
    table: output('TableName'),
    streamArn: output('StreamArn'),
    functions: {
      Propagate: output('PropagateFunction'),
      Archive: output('ArchiveFunction'),
      FanOut: output('FanOutFunction'),
      Sweep: output('SweepFunction'),
      Verify: output('VerifyFunction'),
      Heartbeat: heartbeat,
    },
    fanOutQueue: output('FanOutQueueUrl'),
    deadLetterQueue: output('DeadLetterQueueUrl'),
    archiveBucket: output('ArchiveBucketName'),
    failureBuckets: {
      Propagate: output('PropagateFailureBucketName'),
      Archive: output('ArchiveFailureBucketName'),
    },
  };
}
