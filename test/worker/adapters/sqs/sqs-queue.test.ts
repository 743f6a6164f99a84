import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { FatalError } from '../../../../src/model/errors.ts';
import { sqsDeadLetters, sqsQueue } from '../../../../src/worker/adapters/sqs/sqs-queue.ts';
import type { QueuePort } from '../../../../src/worker/ports.ts';
import { describeQueuePort, message } from '../../../suites/queue-port.suite.ts';
import { describeSqsQueue } from './sqs-endpoint.ts';
import { type PlannedFailure, type StubSqs, stubSqs } from './stub-sqs.ts';

const refused = { name: 'TransientError', code: 'queue.refused' };

describeQueuePort('SQS as a stub answers', async () => {
  const sqs = await stubSqs();
  let passed = 0;
  return {
    queue: queueOn(sqs),
    async arrived() {
      const due = sqs.entries('fan-out').filter(({ DelaySeconds = 0 }) => DelaySeconds <= passed);
      return due.map(({ MessageBody }) => JSON.parse(MessageBody ?? ''));
    },
    async pass(seconds) {
      passed += seconds;
    },
    deadLettered: async () => sqs.standing().map((body) => JSON.parse(body)),
    close: sqs.close,
  };
});

describeSqsQueue();

let sqs: StubSqs;
let queue: QueuePort;

beforeEach(async () => {
  sqs = await stubSqs();
  queue = queueOn(sqs);
});

afterEach(() => sqs.close());

/** Plans the answers to the next requests that send. */
function fail(...failures: readonly PlannedFailure[]): void {
  sqs.answerNext('SendMessageBatch', ...failures);
}

/** The number of entries in each request. */
function sizes(): number[] {
  return sqs.batches.map(({ Entries }) => Entries.length);
}

describe('sqsQueue', () => {
  const [small, large] = ['a'.repeat(100_000), 'b'.repeat(300_000)];
  test.each([
    ['ten messages', messages(25), [10, 10, 5]],
    [
      '256 KiB, and a larger message alone',
      [small, small, small, small, large, small].map((pk) => message(pk)),
      [2, 2, 1, 1],
    ],
    [
      '256 KiB of bytes, not characters',
      ['é'.repeat(70_000), 'é'.repeat(70_000)].map((pk) => message(pk)),
      [1, 1],
    ],
  ])('sends in one request %s', async (_, sent, expected) => {
    await queue.send(sent);

    expect(sizes()).toEqual(expected);
  });

  test('delays every message of a request', async () => {
    await queue.send(messages(2), 900);
    await queue.send(messages(1));

    expect(sqs.entries('fan-out').map(({ DelaySeconds }) => DelaySeconds)).toEqual([900, 900, 0]);
  });

  test('sends everything if SQS accepts one entry of each request', async () => {
    for (let left = 9; left > 0; left -= 1)
      fail({
        entries: Object.fromEntries(Array.from({ length: left }, (_, index) => [index + 1, 'InternalError'])),
      });

    await queue.send(messages(10));

    expect(sizes()).toEqual([10, 9, 8, 7, 6, 5, 4, 3, 2, 1]);
  });

  test('sends the entries that SQS failed to accept again, and no others', async () => {
    fail({ entries: { 1: 'InternalError', 3: 'ServiceUnavailable' } }, { entries: { 0: 'InternalError' } });
    const sent = messages(5);
    await queue.send(sent);

    expect(sqs.batches.map(({ Entries }) => Entries.map(({ MessageBody }) => MessageBody))).toEqual([
      sent.map((one) => JSON.stringify(one)),
      [JSON.stringify(sent[1]), JSON.stringify(sent[3])],
      [JSON.stringify(sent[1])],
    ]);
    expect(sqs.entries('fan-out')).toHaveLength(5);
  });

  test('throws after SQS has failed to accept an entry five times', async () => {
    fail(...Array.from({ length: 5 }, () => ({ entries: { 0: 'InternalError' } })));

    await expect(queue.send(messages(1))).rejects.toMatchObject({
      ...refused,
      message: 'SQS did not take 1 of 1 messages at attempt 5 (InternalError)',
    });
    expect(sqs.batches).toHaveLength(5);
  });

  test.each([
    [
      'does not send a message again after a fault of the sender',
      2,
      { 0: 'InternalError', 1: 'Sender.InvalidMessageContents' },
    ],
    ['sends no further request after a refused one', 25, { 0: 'Sender.InvalidMessageContents' }],
  ])('%s', async (_, count, entries) => {
    fail({ entries });

    await expect(queue.send(messages(count))).rejects.toMatchObject(refused);
    expect(sqs.batches).toHaveLength(1);
  });

  test.each([
    [503, 'ServiceUnavailable'],
    [500, 'InternalFailure'],
    [403, 'RequestThrottled'],
    [400, 'ThrottlingException'],
  ])('throws a retryable error if SQS answers %d %s', async (status, type) => {
    fail({ status, type });

    await expect(queue.send(messages(1))).rejects.toMatchObject(refused);
    expect(sqs.batches).toHaveLength(1);
  });

  test('throws a retryable error if nothing answers', async () => {
    await sqs.close();

    await expect(queue.send(messages(1))).rejects.toMatchObject(refused);
  });

  test.each<PlannedFailure>([
    { status: 403, type: 'AccessDenied' },
    { status: 400, type: 'com.amazonaws.sqs#AccessDeniedException' },
    { status: 400, type: 'com.amazonaws.sqs#QueueDoesNotExist' },
    { status: 400, type: 'AWS.SimpleQueueService.NonExistentQueue' },
    { status: 400, type: 'com.amazonaws.sqs#KmsAccessDenied' },
    { entries: { 0: 'Sender.AccessDenied' } },
    { entries: { 0: 'Sender.AWS.SimpleQueueService.NonExistentQueue' } },
    { entries: { 0: 'KMS.AccessDeniedException' } },
  ])('throws a FatalError if SQS answers %j', async (answer) => {
    fail(answer);

    await expect(queue.send(messages(2))).rejects.toThrow(FatalError);
    expect(sqs.batches).toHaveLength(1);
  });
});

describe('sqsDeadLetters', () => {
  test('dead-letters with code and rule as attributes', async () => {
    await deadLetters().deadLetter([{ code: 'root.invalid', reason: 'why', message: message('ORDER#1') }]);

    expect(sqs.entries('dead-letters')).toEqual([
      {
        Id: '0',
        MessageBody: JSON.stringify({
          code: 'root.invalid',
          reason: 'why',
          message: message('ORDER#1'),
        }),
        MessageAttributes: {
          code: { DataType: 'String', StringValue: 'root.invalid' },
          rule: { DataType: 'String', StringValue: 'username-on-memberships' },
        },
      },
    ]);
  });

  test('dead-letters without the rule attribute if there is no rule, and cleans a name that no attribute can hold', async () => {
    await deadLetters().deadLetter([
      { code: 'record.unreadable', reason: 'why', record: '12' },
      {
        code: 'rule.unknown',
        reason: 'why',
        message: { ...message('ORDER#1'), rule: `\u0000§${'a'.repeat(300)}` },
      },
      { code: 'rule.unknown', reason: 'why', message: { ...message('ORDER#1'), rule: '' } },
    ]);

    const rules = sqs
      .entries('dead-letters')
      .map(({ MessageAttributes }) => MessageAttributes?.rule?.StringValue);
    expect(rules).toEqual([undefined, `??${'a'.repeat(254)}`, undefined]);
  });

  test('counts attributes as a part of the size', async () => {
    const large = { code: 'c'.repeat(200), reason: 'r'.repeat(130_700) };
    await deadLetters().deadLetter([large, large]);

    expect(sizes()).toEqual([1, 1]);
  });

  test('throws if SQS does not accept it', async () => {
    fail({ status: 503, type: 'ServiceUnavailable' });

    await expect(deadLetters().deadLetter([{ code: 'a.b', reason: 'why' }])).rejects.toMatchObject(refused);
  });

  function deadLetters() {
    return sqsDeadLetters({ client: sqs.client, queueUrl: sqs.queueUrl });
  }
});

function queueOn({ client, fanOutUrl, queueUrl }: StubSqs): QueuePort {
  return sqsQueue({ client, queueUrl: fanOutUrl, deadLetterQueueUrl: queueUrl, firstBackOff: 1 });
}

function messages(count: number) {
  return Array.from({ length: count }, (_, index) => message(`USER#${index}`));
}
