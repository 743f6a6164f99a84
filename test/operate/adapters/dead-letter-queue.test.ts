import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { FatalError } from '../../../src/model/basics/errors.ts';
import { sqsDeadLetterReader } from '../../../src/operate/adapters/dead-letter-queue.ts';
import type { DeadLetterReader } from '../../../src/operate/dead-letters/dead-letters.ts';
import { deadLettersOf, describeDeadLetterReader, lookAt } from '../../suites/dead-letter-reader.suite.ts';
import { type StubSqs, stubSqs } from '../../worker/adapters/sqs/stub-sqs.ts';

describeDeadLetterReader('SQS as a stub answers', async () => {
  const sqs = await stubSqs();
  return {
    open: () => readerOf(sqs),
    deadLetter: async (deadLettered) => sqs.add(JSON.stringify(deadLettered)),
    bury: async (body) => sqs.add(body),
    close: sqs.close,
  };
});

describe('sqsDeadLetterReader', () => {
  let sqs: StubSqs;
  let reader: DeadLetterReader;

  beforeEach(async () => {
    sqs = await stubSqs();
    reader = readerOf(sqs);
  });

  afterEach(async () => {
    await reader.close();
    await sqs.close();
  });

  test('hides the dead letters that it receives until it is closed', async () => {
    fill(sqs, 25);
    await lookAt(reader);

    expect(sqs.hidden()).toBe(25);
    expect(await reader.close()).toBe(0);
    expect(sqs.hidden()).toBe(0);
    expect(sqs.standing()).toHaveLength(25);
  });

  test('reports how many it could not receive because another reader hides them', async () => {
    fill(sqs, 25);
    const other = readerOf(sqs);
    await lookAt(other, { stop: stopAfter(1) });
    const { deadLetters, unseen } = await lookAt(reader);

    expect([deadLetters.length, unseen]).toEqual([15, 10]);
    await other.close();
  });

  test('reports how many it did not receive because of a stop, and shows the others', async () => {
    fill(sqs, 60);
    const { deadLetters, unseen } = await lookAt(reader, { stop: stopAfter(2) });

    expect([deadLetters.length, unseen]).toEqual([30, 30]);
    await reader.close();
    expect(sqs.hidden()).toBe(0);
  });

  test('makes everything visible again if a request fails half-way', async () => {
    fill(sqs, 25);
    sqs.answerNext(
      'ReceiveMessage',
      { entries: { 0: 'none' } },
      { status: 403, type: 'com.amazonaws.sqs#AccessDeniedException' },
    );

    await expect(lookAt(reader)).rejects.toThrow(FatalError);
    await reader.close();
    expect(sqs.hidden()).toBe(0);
  });

  test('keeps its dead letters hidden for as long as it is open', async () => {
    const patient = sqsDeadLetterReader({ ...sqs, waitSeconds: 0, hiddenSeconds: 1 });
    fill(sqs, 12);
    await lookAt(patient);
    const asked = () => sqs.actions.filter((action) => action === 'ChangeMessageVisibilityBatch').length;

    await vi.waitUntil(() => asked() >= 4, { timeout: 5_000 });
    expect(sqs.hidden()).toBe(12);
    await patient.close();
    expect(sqs.hidden()).toBe(0);
  });

  test('deletes a dead letter that it received twice by the newest receipt', async () => {
    fill(sqs, 1);
    const first = await lookAt(reader);
    sqs.pass(400);
    const second = await lookAt(reader);
    await reader.remove(second.deadLetters);

    expect(second.deadLetters).toEqual(first.deadLetters);
    expect(sqs.standing()).toEqual([]);
  });

  test('counts a dead letter once that becomes visible again while it reads', async () => {
    fill(sqs, 30);
    const { deadLetters, unseen } = await lookAt(reader, {
      stop() {
        sqs.pass(200);
        return false;
      },
    });

    expect([deadLetters.length, new Set(deadLetters.map(({ id }) => id)).size, unseen]).toEqual([30, 30, 0]);
    await reader.close();
    expect(sqs.hidden()).toBe(0);
  });

  test('throws if SQS does not delete one of them, and deletes the others', async () => {
    fill(sqs, 12);
    const { deadLetters } = await lookAt(reader);
    sqs.answerNext('DeleteMessageBatch', { entries: { 0: 'InternalError' } });

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

  test('takes a message that is gone for removed', async () => {
    fill(sqs, 12);
    const { deadLetters } = await lookAt(reader);
    const other = readerOf(sqs);
    sqs.pass(1_000);
    const [gone] = (await lookAt(other, { stop: stopAfter(1) })).deadLetters;
    if (gone === undefined) throw new Error('Expected a dead letter');
    await other.remove([gone]);
    await other.close();
    await reader.remove(deadLetters);

    expect(sqs.standing()).toEqual([]);
    expect(await reader.close()).toBe(0);
  });

  test('removes a message that became visible again by its new handle', async () => {
    fill(sqs, 1);
    const { deadLetters } = await lookAt(reader);
    const other = readerOf(sqs);
    sqs.pass(1_000);
    await lookAt(other);
    await other.close();
    await reader.remove(deadLetters);

    expect(sqs.standing()).toEqual([]);
  });

  test('reports how many become visible only by their timeout', async () => {
    fill(sqs, 12);
    await lookAt(reader);
    sqs.answerNext(
      'ChangeMessageVisibilityBatch',
      { status: 503, type: 'ServiceUnavailable' },
      { entries: { 0: 'InternalError' } },
    );

    expect(await reader.close()).toBe(11);
  });

  test('continues past empty receives while the queue reports more messages', async () => {
    fill(sqs, 25);
    sqs.answerNext('ReceiveMessage', ...Array.from({ length: 4 }, () => ({ entries: {} })));

    const { deadLetters, unseen } = await lookAt(reader);

    expect([deadLetters.length, unseen]).toEqual([25, 0]);
  });

  test('sends many parallel requests to a full queue, and few to an empty one', async () => {
    fill(sqs, 1000);
    await lookAt(reader);
    const much = sqs.actions.filter((action) => action === 'ReceiveMessage').length;
    const other = await stubSqs();
    await lookAt(readerOf(other));

    expect(much).toBeLessThan(130);
    expect(other.actions).toEqual(['GetQueueAttributes', 'ReceiveMessage', 'ReceiveMessage']);
    await other.close();
  });

  test.each([
    ['GetQueueAttributes', 403, 'com.amazonaws.sqs#AccessDeniedException'],
    ['ReceiveMessage', 400, 'com.amazonaws.sqs#QueueDoesNotExist'],
  ])('names %s if SQS answers %d %s', async (action, status, type) => {
    sqs.answerNext(action, { status, type });

    await expect(lookAt(reader)).rejects.toThrow(`${action} of ${sqs.queueUrl}`);
  });
});

function readerOf({ client, queueUrl }: StubSqs): DeadLetterReader {
  return sqsDeadLetterReader({ client, queueUrl, waitSeconds: 0 });
}

function fill(sqs: StubSqs, count: number): void {
  for (let index = 0; index < count; index += 1) sqs.add(JSON.stringify(deadLettersOf(`ORDER#${index}`)));
}

/** Requests a stop after this many checks. */
function stopAfter(times: number): () => boolean {
  let asked = 0;
  return () => {
    asked += 1;
    return asked > times;
  };
}
