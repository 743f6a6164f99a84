import { beforeEach, describe, expect, test } from 'vitest';
import { FatalError } from '../../../../src/model/basics/errors.ts';
import type { DeadLetter } from '../../../../src/model/work/message.ts';
import { sqsDeadLetters, sqsQueue } from '../../../../src/worker/adapters/sqs/sqs-queue.ts';
import type { QueuePort } from '../../../../src/worker/ports.ts';
import { VirtualClock } from '../../../fixtures/virtual-clock.ts';
import { describeQueuePort, message } from '../../../suites/queue-port.suite.ts';
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

let sqs: StubSqs;
let queue: QueuePort;

beforeEach(async () => {
  sqs = await stubSqs();
  queue = queueOn(sqs);
  return sqs.close;
});

/** Plans the answers to the next requests that send. */
function fail(...failures: readonly PlannedFailure[]): void {
  sqs.answerNext('SendMessageBatch', ...failures);
}

/** The bodies in each request. */
function sent(): (string | undefined)[][] {
  return sqs.batches.map(({ Entries }) => Entries.map(({ MessageBody }) => MessageBody));
}

describe('sqsQueue', () => {
  const [small, large, accented] = ['a'.repeat(100_000), 'b'.repeat(300_000), 'é'.repeat(70_000)];
  test.each([
    ['ten messages', Array(25).fill('a'), [10, 10, 5]],
    ['256 KiB, and a larger message alone', [small, small, small, small, large, small], [2, 2, 1, 1]],
    ['256 KiB of bytes, not characters', [accented, accented], [1, 1]],
  ])('sends in one request %s', async (_, keys, expected) => {
    await queue.send(keys.map((pk) => message(pk)));

    expect(sent().map((bodies) => bodies.length)).toEqual(expected);
  });

  test('sends the entries that SQS failed to accept again, and no others', async () => {
    fail({ entries: { 1: 'InternalError', 3: 'ServiceUnavailable' } }, { entries: { 0: 'InternalError' } });
    const bodies = messages(5).map((one) => JSON.stringify(one));
    await queue.send(messages(5));

    expect(sent()).toEqual([bodies, [bodies[1], bodies[3]], [bodies[1]]]);
    expect(sqs.entries('fan-out')).toHaveLength(5);
  });

  test('throws after SQS has failed to accept an entry five times', async () => {
    fail(...Array(5).fill({ entries: { 0: 'InternalError' } }));

    await expect(queue.send(messages(1))).rejects.toMatchObject({
      ...refused,
      message: 'SQS did not take 1 of 1 messages (InternalError) in 5 attempts',
    });
    expect(sqs.batches).toHaveLength(5);
  });

  const fault = 'Sender.InvalidMessageContents';
  test.each<[string, PlannedFailure, number]>([
    ['503 ServiceUnavailable', { status: 503, type: 'ServiceUnavailable' }, 1],
    ['500 InternalFailure', { status: 500, type: 'InternalFailure' }, 1],
    ['403 RequestThrottled', { status: 403, type: 'RequestThrottled' }, 1],
    ['400 ThrottlingException', { status: 400, type: 'ThrottlingException' }, 1],
    ['a fault of the sender beside another', { entries: { 0: 'InternalError', 1: fault } }, 2],
    ['a fault of the sender in the first of three requests', { entries: { 0: fault } }, 25],
  ])('throws a retryable error after one request if SQS answers %s', async (_, answer, count) => {
    fail(answer);

    await expect(queue.send(messages(count))).rejects.toMatchObject(refused);
    expect(sqs.batches).toHaveLength(1);
  });

  test.each<PlannedFailure>([
    { status: 400, type: 'com.amazonaws.sqs#AccessDeniedException' },
    { status: 400, type: 'com.amazonaws.sqs#QueueDoesNotExist' },
    { status: 400, type: 'AWS.SimpleQueueService.NonExistentQueue' },
    { status: 400, type: 'com.amazonaws.sqs#KmsAccessDenied' },
    { entries: { 0: 'Sender.AccessDenied' } },
    { entries: { 0: 'Sender.AWS.SimpleQueueService.NonExistentQueue' } },
  ])('throws a FatalError if SQS answers %j', async (answer) => {
    fail(answer);

    await expect(queue.send(messages(2))).rejects.toThrow(FatalError);
    expect(sqs.batches).toHaveLength(1);
  });
});

describe('sqsDeadLetters', () => {
  const ruled = (rule: string) => ({
    ...{ code: 'rule.unknown', reason: 'why' },
    message: { ...message('ORDER#1'), rule },
  });

  test('dead-letters with code and rule as attributes', async () => {
    await deadLetter(ruled('a-rule'));

    expect(sqs.entries('dead-letters')).toEqual([
      {
        Id: '0',
        MessageBody: JSON.stringify(ruled('a-rule')),
        MessageAttributes: {
          code: { DataType: 'String', StringValue: 'rule.unknown' },
          rule: { DataType: 'String', StringValue: 'a-rule' },
        },
      },
    ]);
  });

  test('dead-letters without a rule, and cleans a name that no attribute can hold', async () => {
    await deadLetter(
      { code: 'record.unreadable', reason: 'why', record: '12' },
      ruled(`\u0000§${'a'.repeat(300)}`),
      ruled(''),
    );

    const attributes = sqs.entries('dead-letters').map(({ MessageAttributes }) => MessageAttributes);
    expect(attributes.map((one) => one?.rule?.StringValue)).toEqual([
      undefined,
      `??${'a'.repeat(254)}`,
      undefined,
    ]);
  });

  test('counts attributes as a part of the size', async () => {
    const large = { code: 'c'.repeat(200), reason: 'r'.repeat(130_700) };
    await deadLetter(large, large);

    expect(sent().map((bodies) => bodies.length)).toEqual([1, 1]);
  });

  function deadLetter(...letters: readonly DeadLetter[]) {
    return sqsDeadLetters({ client: () => sqs.client, queueUrl: sqs.queueUrl }).deadLetter(letters);
  }
});

function queueOn({ client, fanOutUrl, queueUrl }: StubSqs): QueuePort {
  return sqsQueue({
    client: () => client,
    queueUrl: fanOutUrl,
    deadLetterQueueUrl: queueUrl,
    clock: new VirtualClock(),
  });
}

function messages(count: number) {
  return Array.from({ length: count }, (_, index) => message(`USER#${index}`));
}
