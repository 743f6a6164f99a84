import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { S3Client } from '@aws-sdk/client-s3';
import { ListQueuesCommand, SQSClient } from '@aws-sdk/client-sqs';
import { expect, onTestFinished, test } from 'vitest';
import { clientSettings, withoutLogger } from '../../../src/worker/adapters/client-settings.ts';
import { clientOfTest, served } from '../../suites/loopback-server.ts';

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

function answered(body: string, headers: Readonly<Record<string, string>> = {}): Promise<SQSClient> {
  return clientOfTest(
    () => ({ status: 200, headers, body }),
    ({ endpoint }) => new SQSClient({ ...clientSettings, ...account, endpoint, region: 'us-east-1' }),
  );
}

test('a client reads an answer of many pieces whole', async () => {
  const QueueUrls = Array.from({ length: 20_000 }, (_, index) => `https://sqs/${index}`);
  const client = await answered(JSON.stringify({ QueueUrls }));

  expect((await client.send(new ListQueuesCommand())).QueueUrls).toEqual(QueueUrls);
});

test('an answer that breaks off is an error, and no short answer', async () => {
  const client = await answered('{}', { 'content-length': '1000', connection: 'close' });

  await expect(client.send(new ListQueuesCommand())).rejects.toMatchObject({ code: 'ECONNRESET' });
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
