import { DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { ListBucketsCommand, S3Client } from '@aws-sdk/client-s3';
import { ListQueuesCommand, SQSClient } from '@aws-sdk/client-sqs';
import { expect, onTestFinished, test, vi } from 'vitest';
import { clientSettings, withoutLogger } from '../../../src/worker/adapters/client-settings.ts';
import { served } from '../../suites/loopback-server.ts';

const account = {
  ...{ region: 'us-east-1', maxAttempts: 1 },
  credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
};

test('a client gives up an unanswered request', async () => {
  const { client, close } = await served(
    () => new Promise<never>(() => {}),
    ({ endpoint }) =>
      new SQSClient({
        ...{ ...clientSettings, ...account, endpoint },
        requestHandler: { ...clientSettings.requestHandler, requestTimeout: 100 },
      }),
  );
  onTestFinished(close);

  await expect(client.send(new ListQueuesCommand())).rejects.toMatchObject({ name: 'TimeoutError' });
}, 5_000);

test.each([
  ['ignores an empty endpoint in the environment', ''],
  ['sends requests to an endpoint in the environment', 'http://host.docker.internal:4566'],
])('the SDK %s', async (_, url) => {
  const hosts: string[] = [];
  const settings = {
    ...account,
    requestHandler: {
      handle: async ({ hostname }: { readonly hostname: string }) => {
        hosts.push(hostname);
        throw new Error('not sent');
      },
    },
  };
  for (const service of ['DYNAMODB', 'S3', 'SQS']) vi.stubEnv(`AWS_ENDPOINT_URL_${service}`, url);
  onTestFinished(() => {
    vi.unstubAllEnvs();
  });

  await expect(new DynamoDBClient(settings).send(new ListTablesCommand())).rejects.toThrow('not sent');
  await expect(new S3Client(settings).send(new ListBucketsCommand())).rejects.toThrow('not sent');
  await expect(new SQSClient(settings).send(new ListQueuesCommand())).rejects.toThrow('not sent');

  expect(hosts).toEqual(
    url === ''
      ? ['dynamodb', 's3', 'sqs'].map((service) => `${service}.us-east-1.amazonaws.com`)
      : Array(3).fill('host.docker.internal'),
  );
});

test.each([
  ['DynamoDB', new DynamoDBClient({})],
  ['S3', new S3Client({})],
  ['SQS', new SQSClient({})],
])('the client of %s loses its logger', (_, client) => {
  const logging = () => client.middlewareStack.identify().filter((step) => step.includes('logger'));
  expect(logging()).toHaveLength(1);

  expect(withoutLogger(client)).toBe(client);
  expect(logging()).toEqual([]);
});
