import { createServer } from 'node:net';
import type { DynamoDBStreamEvent, SQSEvent } from 'aws-lambda';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { Remaining } from '../../../src/adapters/lambda/until-end.ts';
import { archiveHandler } from '../../../src/lambda/archive.ts';
import { fanOutHandler } from '../../../src/lambda/fan-out.ts';
import { propagateHandler } from '../../../src/lambda/propagate.ts';
import { sweepHandler } from '../../../src/lambda/sweep.ts';
import { verifyHandler } from '../../../src/lambda/verify.ts';
import config from '../../application/denorm.config.ts';
import { type StubSqs, stubSqs } from '../sqs/stub-sqs.ts';

/** A server that accepts connections and requests, and never answers. */
const silent = createServer((socket) => socket.on('error', () => {}).resume());
const sockets = new Set<{ destroy(): void }>();
let sqs: StubSqs;
let silentEndpoint = '';

beforeAll(async () => {
  silent.on('connection', (socket) => sockets.add(socket));
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  const address = silent.address();
  if (address === null || typeof address === 'string') throw new Error('Expected a port');
  silentEndpoint = `http://127.0.0.1:${address.port}`;
  sqs = await stubSqs();
  const environment = {
    ...{ AWS_REGION: 'us-east-1', AWS_ACCESS_KEY_ID: 'test', AWS_SECRET_ACCESS_KEY: 'test' },
    ...{ AWS_ENDPOINT_URL_DYNAMODB: silentEndpoint, AWS_ENDPOINT_URL_S3: silentEndpoint },
    AWS_ENDPOINT_URL_SQS: new URL(sqs.fanOutUrl).origin,
    ...{ TABLE_NAME: 'table', ARCHIVE_BUCKET: 'bucket', ARCHIVE_STORAGE_CLASS: 'STANDARD' },
    ...{ FAN_OUT_QUEUE_URL: sqs.fanOutUrl, DEAD_LETTER_QUEUE_URL: sqs.deadLetterUrl },
    ...{ POWERTOOLS_DEV: 'true', POWERTOOLS_LOG_LEVEL: 'SILENT', POWERTOOLS_METRICS_DISABLED: 'true' },
    ...{ POWERTOOLS_METRICS_NAMESPACE: 'test', POWERTOOLS_SERVICE_NAME: 'test' },
  };
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
});

afterAll(async () => {
  vi.unstubAllEnvs();
  for (const socket of sockets) socket.destroy();
  silent.close();
  await sqs.close();
});

const profile = { PK: { S: 'USER#1' }, SK: { S: 'PROFILE' } };
const user = { PK: { S: 'USER#1' }, SK: { S: '#METADATA' } };
type Image = NonNullable<NonNullable<DynamoDBStreamEvent['Records'][number]['dynamodb']>['NewImage']>;
const sequence = '100000000000000000001';
const message = {
  ...{
    rule: 'username-on-memberships',
    root: { pk: 'USER#1', sk: '#METADATA' },
    cause: 'changed',
    attempts: 0,
  },
};

function streamEvent(Keys: Image, more: Image): DynamoDBStreamEvent {
  const dynamodb = { Keys, NewImage: { ...Keys, ...more }, SequenceNumber: sequence };
  return { Records: [{ eventID: '1', eventName: 'INSERT', eventSource: 'aws:dynamodb', dynamodb }] };
}

const queueEvent: SQSEvent = {
  Records: [
    {
      ...{ messageId: 'm', eventSource: 'aws:sqs', body: JSON.stringify(message) },
      ...{
        receiptHandle: '',
        messageAttributes: {},
        md5OfBody: '',
        eventSourceARN: '',
        awsRegion: 'us-east-1',
      },
      attributes: {
        ...{ ApproximateReceiveCount: '1', SentTimestamp: '0', SenderId: '' },
        ApproximateFirstReceiveTimestamp: '0',
      },
    },
  ],
};

/** An invocation with enough time to start, which Lambda ends after this many milliseconds. */
function lasting(milliseconds: number): Remaining {
  const end = Date.now() + milliseconds;
  return { getRemainingTimeInMillis: () => end - Date.now() };
}

/** The result of an invocation, and its duration. */
async function outcomeOf(work: () => Promise<unknown>): Promise<{ answer: unknown; took: number }> {
  const began = Date.now();
  const answer = await work().catch((error: unknown) => error);
  return { answer, took: Date.now() - began };
}

test('every function answers before its end if the table and the bucket never do', async () => {
  const ends = 11_000;
  const functions = {
    propagate: () =>
      propagateHandler(config)(
        streamEvent(user, {
          Type: { S: 'User' },
          userId: { S: '1' },
          username: { S: 'ada' },
          email: { S: 'a' },
        }),
        lasting(ends),
      ),
    fanOut: () => fanOutHandler(config)(queueEvent, lasting(ends)),
    archive: () =>
      archiveHandler(config)(streamEvent(profile, { ExpiresAt: { N: '2000000000' } }), lasting(ends)),
    sweep: () => sweepHandler(config)({}, lasting(ends)),
    verify: () => {
      // The function does not read in its last 50 seconds, so the test reports more time than there is.
      const { getRemainingTimeInMillis } = lasting(ends);
      const times = [getRemainingTimeInMillis()];
      const remaining = {
        getRemainingTimeInMillis: () => times.pop() ?? getRemainingTimeInMillis() + 45_000,
      };
      return verifyHandler(config)({}, remaining);
    },
  };

  const [propagated, fannedOut, archived, swept, verified] = await Promise.all(
    Object.values(functions).map(outcomeOf),
  );

  expect(propagated?.answer).toEqual({ batchItemFailures: [] });
  expect(fannedOut?.answer).toEqual({ batchItemFailures: [] });
  expect(archived?.answer).toEqual({ batchItemFailures: [{ itemIdentifier: sequence }] });
  expect(swept?.answer).toMatchObject({ name: 'TransientError', code: 'aws.timeout' });
  expect(verified?.answer).toMatchObject({ name: 'TransientError', code: 'aws.timeout' });
  for (const outcome of [propagated, fannedOut, archived, swept, verified])
    expect(outcome?.took).toBeLessThan(ends - 1000);
  const requeued = sqs.standing(sqs.fanOutUrl).map(({ MessageBody }) => JSON.parse(MessageBody));
  expect(requeued).toMatchObject([
    { ...message, unavailableSince: expect.any(Number) },
    { ...message, unavailableSince: expect.any(Number) },
  ]);
}, 20_000);

test('a record and a message fail if the queue never answers either', async () => {
  vi.stubEnv('FAN_OUT_QUEUE_URL', `${silentEndpoint}/1/fan-out`);
  vi.stubEnv('AWS_ENDPOINT_URL_SQS', silentEndpoint);
  const ends = 10_500;
  const { answer, took } = await outcomeOf(() => fanOutHandler(config)(queueEvent, lasting(ends)));

  expect(answer).toEqual({ batchItemFailures: [{ itemIdentifier: 'm' }] });
  expect(took).toBeLessThan(ends - 500);
}, 20_000);
