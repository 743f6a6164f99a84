import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { S3Client } from '@aws-sdk/client-s3';
import { ListQueuesCommand, SQSClient } from '@aws-sdk/client-sqs';
import { expect, onTestFinished, test } from 'vitest';
import { clientSettings, withoutLogger } from '../../../src/worker/adapters/client-settings.ts';
import { served } from '../../suites/loopback-server.ts';

const account = { maxAttempts: 1, credentials: { accessKeyId: 'test', secretAccessKey: 'test' } };

test('a client gives up an unanswered request', async () => {
  const { client, close } = await served(
    () => new Promise<never>(() => {}),
    ({ endpoint }) =>
      new SQSClient({
        ...{ ...clientSettings, ...account, endpoint, region: 'us-east-1' },
        requestHandler: { ...clientSettings.requestHandler, requestTimeout: 100 },
      }),
  );
  onTestFinished(close);

  await expect(client.send(new ListQueuesCommand())).rejects.toMatchObject({ name: 'TimeoutError' });
}, 5_000);

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
