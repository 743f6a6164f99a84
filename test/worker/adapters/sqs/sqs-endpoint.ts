import { randomUUID } from 'node:crypto';
import {
  CreateQueueCommand,
  DeleteMessageCommand,
  ReceiveMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { describe, expect, test, vi } from 'vitest';
import { FatalError } from '../../../../src/model/errors.ts';
import { sqsDeadLetters, sqsQueue } from '../../../../src/worker/adapters/sqs/sqs-queue.ts';
import { describeQueuePort, message } from '../../../suites/queue-port.suite.ts';

const endpoint = process.env.DENORM_TEST_SQS_ENDPOINT;

/** The queue’s suite on a server that speaks SQS, if `DENORM_TEST_SQS_ENDPOINT` names one, in new queues. */
export function describeSqsQueue(): void {
  if (endpoint === undefined) return;

  describeQueuePort(`SQS at ${endpoint}`, async () => {
    const client = sqs(endpoint);
    const [queueUrl, deadLetterQueueUrl] = [await newQueue(client), await newQueue(client)];
    const arrived: unknown[] = [];
    return {
      queue: sqsQueue({ client, queueUrl, deadLetterQueueUrl }),
      async arrived() {
        arrived.push(...(await received(client, queueUrl)));
        return arrived;
      },
      async pass() {
        await vi.waitUntil(async () => arrived.push(...(await received(client, queueUrl))) > 1, {
          timeout: 10_000,
        });
      },
      deadLettered: () => received(client, deadLetterQueueUrl),
      close: async () => client.destroy(),
    };
  });

  describe(`sqsQueue at ${endpoint}`, () => {
    test('throws a FatalError if the queue does not exist', async () => {
      const client = sqs(endpoint);
      const queueUrl = `${endpoint}/000000000000/none-${randomUUID()}`;

      await expect(
        sqsQueue({ client, queueUrl, deadLetterQueueUrl: queueUrl }).send([message('a')]),
      ).rejects.toThrow(FatalError);
      client.destroy();
    });

    test('dead-letters with code and rule as attributes', async () => {
      const client = sqs(endpoint);
      const queueUrl = await newQueue(client);
      await sqsDeadLetters({ client, queueUrl }).deadLetter([
        { code: 'a.b', reason: 'why', message: message('ORDER#1') },
      ]);

      const { Messages = [] } = await client.send(
        new ReceiveMessageCommand({ QueueUrl: queueUrl, MessageAttributeNames: ['All'] }),
      );
      expect(Messages[0]?.MessageAttributes).toMatchObject({
        code: { DataType: 'String', StringValue: 'a.b' },
        rule: { DataType: 'String', StringValue: 'username-on-memberships' },
      });
      client.destroy();
    });
  });
}

function sqs(at: string): SQSClient {
  return new SQSClient({
    endpoint: at,
    region: 'us-east-1',
    credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
  });
}

async function newQueue(client: SQSClient): Promise<string> {
  const { QueueUrl } = await client.send(new CreateQueueCommand({ QueueName: `queue-${randomUUID()}` }));
  if (QueueUrl === undefined) throw new Error('Expected the URL of a queue');
  return QueueUrl;
}

/** Takes every current message out of a queue. */
async function received(client: SQSClient, queueUrl: string): Promise<unknown[]> {
  const bodies: unknown[] = [];
  for (;;) {
    const { Messages = [] } = await client.send(
      new ReceiveMessageCommand({ QueueUrl: queueUrl, MaxNumberOfMessages: 10 }),
    );
    if (Messages.length === 0) return bodies;
    for (const { Body = '', ReceiptHandle } of Messages) {
      bodies.push(JSON.parse(Body));
      await client.send(new DeleteMessageCommand({ QueueUrl: queueUrl, ReceiptHandle }));
    }
  }
}
