import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { sqsDeadLetterReader } from '../../../src/adapters/sqs/dead-letters.ts';
import type { DeadLetterReader } from '../../../src/dead-letters/dead-letter.ts';
import { FatalError } from '../../../src/model/errors.ts';
import { deadLettersOf, describeDeadLetterReader } from '../../suites/dead-letter-reader.suite.ts';
import { type StubDeadLetters, stubDeadLetters } from './stub-dead-letters.ts';

describeDeadLetterReader('SQS as a stub answers', async () => {
  const sqs = await stubDeadLetters();
  return {
    open: () => readerOf(sqs),
    deadLetter: async (deadLettered) => sqs.add(JSON.stringify(deadLettered)),
    bury: async (body) => sqs.add(body),
    close: sqs.close,
  };
});

describe('sqsDeadLetterReader', () => {
  let sqs: StubDeadLetters;
  let reader: DeadLetterReader;

  beforeEach(async () => {
    sqs = await stubDeadLetters();
    reader = readerOf(sqs);
  });

  afterEach(async () => {
    await reader.close();
    await sqs.close();
  });

  test('hides what it looks at until it is closed', async () => {
    fill(sqs, 25);
    await reader.look();

    expect(sqs.hidden()).toBe(25);
    expect(await reader.close()).toBe(0);
    expect(sqs.hidden()).toBe(0);
    expect(sqs.standing()).toHaveLength(25);
  });

  test('says how many it could not see because somebody else looks at them', async () => {
    fill(sqs, 25);
    const other = readerOf(sqs);
    await other.look({ stop: stopAfter(1) });
    const { deadLetters, unseen } = await reader.look();

    expect([deadLetters.length, unseen]).toEqual([15, 10]);
    await other.close();
  });

  test('says how many it did not see because it was stopped, and gives back those that it saw', async () => {
    fill(sqs, 60);
    const { deadLetters, unseen } = await reader.look({ stop: stopAfter(2) });

    expect([deadLetters.length, unseen]).toEqual([30, 30]);
    await reader.close();
    expect(sqs.hidden()).toBe(0);
  });

  test('gives everything back where a request fails half-way', async () => {
    fill(sqs, 25);
    sqs.answerNext(
      'ReceiveMessage',
      { code: 'none' },
      { status: 403, type: 'com.amazonaws.sqs#AccessDeniedException' },
    );

    await expect(reader.look()).rejects.toThrow(FatalError);
    await reader.close();
    expect(sqs.hidden()).toBe(0);
  });

  test('keeps hidden what it holds for as long as it is open', async () => {
    const patient = sqsDeadLetterReader({ ...sqs, waitSeconds: 0, hiddenSeconds: 1 });
    fill(sqs, 12);
    await patient.look();
    const asked = () => sqs.actions.filter((action) => action === 'ChangeMessageVisibilityBatch').length;

    await vi.waitUntil(() => asked() >= 4, { timeout: 5_000 });
    expect(sqs.hidden()).toBe(12);
    await patient.close();
    expect(sqs.hidden()).toBe(0);
  });

  test('deletes by the newest receipt what came by twice', async () => {
    fill(sqs, 1);
    const first = await reader.look();
    sqs.pass(400);
    const second = await reader.look();
    await reader.remove(second.deadLetters);

    expect(second.deadLetters).toEqual(first.deadLetters);
    expect(sqs.standing()).toEqual([]);
  });

  test('has refused where SQS does not delete one of them, and deletes the others', async () => {
    fill(sqs, 12);
    const { deadLetters } = await reader.look();
    sqs.answerNext('DeleteMessageBatch', { code: 'InternalError' });

    await expect(reader.remove(deadLetters)).rejects.toMatchObject({
      code: 'queue.refused',
      message: expect.stringMatching(
        /^SQS did not delete 1 of 12 messages of .* \(InternalError\): do it again/,
      ),
    });
    expect(sqs.standing()).toHaveLength(1);
    await reader.close();
    expect(sqs.hidden()).toBe(0);
  });

  test('tells how many come back by themselves only', async () => {
    fill(sqs, 12);
    await reader.look();
    sqs.answerNext(
      'ChangeMessageVisibilityBatch',
      { status: 503, type: 'ServiceUnavailable' },
      { code: 'InternalError' },
    );

    expect(await reader.close()).toBe(11);
  });

  test('goes on past receipts that come back empty while the queue says that there is more', async () => {
    fill(sqs, 25);
    sqs.answerNext('ReceiveMessage', ...Array.from({ length: 4 }, () => ({ code: 'empty' })));

    const { deadLetters, unseen } = await reader.look();

    expect([deadLetters.length, unseen]).toEqual([25, 0]);
  });

  test('looks with many requests side by side where there is much, and has few when there is nothing', async () => {
    fill(sqs, 1000);
    await reader.look();
    const much = sqs.actions.filter((action) => action === 'ReceiveMessage').length;
    const other = await stubDeadLetters();
    await readerOf(other).look();

    expect(much).toBeLessThan(130);
    expect(other.actions).toEqual(['GetQueueAttributes', 'ReceiveMessage', 'ReceiveMessage']);
    await other.close();
  });

  test.each([
    ['GetQueueAttributes', 403, 'com.amazonaws.sqs#AccessDeniedException'],
    ['ReceiveMessage', 400, 'com.amazonaws.sqs#QueueDoesNotExist'],
  ])('names %s where SQS answers %d %s', async (action, status, type) => {
    sqs.answerNext(action, { status, type });

    await expect(reader.look()).rejects.toThrow(`${action} of ${sqs.queueUrl}`);
  });
});

function readerOf({ client, queueUrl }: StubDeadLetters): DeadLetterReader {
  return sqsDeadLetterReader({ client, queueUrl, waitSeconds: 0 });
}

function fill(sqs: StubDeadLetters, count: number): void {
  for (let index = 0; index < count; index += 1) sqs.add(JSON.stringify(deadLettersOf(`ORDER#${index}`)));
}

/** Says stop when it has been asked so often. */
function stopAfter(times: number): () => boolean {
  let asked = 0;
  return () => {
    asked += 1;
    return asked > times;
  };
}
