import type { DynamoDBBatchResponse } from 'aws-lambda';
import { describe, expect, test } from 'vitest';
import type { StreamMappingSettings } from '../../../src/deploy/stack-settings.ts';
import { begin, failures, Recorder } from '../recorder.ts';
import { numbered, sequenceNumbers } from '../stream-records.ts';
import { FakeStream } from './fake-stream.ts';

type Answer = (numbers: string[]) => DynamoDBBatchResponse | undefined;

/** Delivers records 1 to `count`; `answer` returns or throws as the function does. The records of each invocation. */
async function delivered(
  count: number,
  settings: Partial<StreamMappingSettings>,
  answer: Answer,
): Promise<string[][]> {
  const stream = new FakeStream();
  stream.shard('a').records = numbered(count);
  const recorder = new Recorder(settings, async (batch) => answer(sequenceNumbers(batch)));
  await begin(stream, [recorder]).idle();
  return recorder.batches.map(sequenceNumbers);
}

const failing = (...identifiers: string[]) => ({
  batchItemFailures: identifiers.map((itemIdentifier) => ({ itemIdentifier })),
});
const failsOn =
  (bad: string): Answer =>
  (numbers) =>
    numbers.includes(bad) ? failing(bad) : undefined;
const throwsOn =
  (bad: string): Answer =>
  (numbers) => {
    if (numbers.includes(bad)) throw new Error('bad record');
    return undefined;
  };
/** The answer to the first invocation; the later ones succeed. */
const first = (answer: DynamoDBBatchResponse): Answer => {
  const answers = [answer];
  return () => answers.shift();
};
const given = () => failures.map(({ payload }) => sequenceNumbers(JSON.parse(payload).Records));

describe('a batch', () => {
  test('is delivered once if no record failed', async () => {
    expect(await delivered(3, {}, () => failing())).toEqual([['1', '2', '3']]);
    expect(failures).toEqual([]);
  });

  test.each([
    ['a record of another one', failing('11')],
    ['an unknown record beside a known one', failing('2', 'x')],
  ])('is delivered again as a whole if the function names %s', async (_, answer) => {
    expect(await delivered(2, {}, first(answer))).toEqual([
      ['1', '2'],
      ['1', '2'],
    ]);
  });

  test('is delivered again from its lowest failed record on, by position and not by text', async () => {
    const [, again] = await delivered(11, {}, first(failing('10', '9')));

    expect(again).toEqual(['9', '10', '11']);
  });

  test('is given up from the failed record on when its retries are used up', async () => {
    expect(await delivered(3, { MaximumRetryAttempts: 2 }, failsOn('2'))).toEqual([
      ['1', '2', '3'],
      ['2', '3'],
      ['2', '3'],
    ]);
    expect(given()).toEqual([['2', '3']]);
    expect(failures).toMatchObject([
      {
        requestContext: { condition: 'RetryAttemptsExhausted', approximateInvokeCount: 3 },
        responseContext: { functionError: null },
      },
    ]);
  });

  test('is given up at once without retries', async () => {
    expect(await delivered(2, { MaximumRetryAttempts: 0 }, throwsOn('1'))).toHaveLength(1);
    expect(given()).toEqual([['1', '2']]);
    expect(failures).toMatchObject([{ responseContext: { functionError: 'Unhandled' } }]);
  });

  test('with bisect gives up only the bad record, and uses up retries only for that one', async () => {
    const settings = { BisectBatchOnFunctionError: true, MaximumRetryAttempts: 2 };
    expect(await delivered(8, settings, throwsOn('6'))).toEqual([
      ['1', '2', '3', '4', '5', '6', '7', '8'],
      ['1', '2', '3', '4'],
      ['5', '6', '7', '8'],
      ['5', '6'],
      ['5'],
      ['6'],
      ['6'],
      ['6'],
      ['7', '8'],
    ]);
    expect(given()).toEqual([['6']]);
    expect(failures).toMatchObject([
      {
        requestContext: { functionArn: expect.stringMatching(/Propagate$/) },
        DDBStreamBatchInfo: { shardId: 'a', startSequenceNumber: '6', batchSize: 1 },
      },
    ]);
  });

  test('with bisect is split at the failed record, and delivered from there', async () => {
    const settings = { BisectBatchOnFunctionError: true, MaximumRetryAttempts: 0 };
    expect(await delivered(5, settings, failsOn('3'))).toEqual([
      ['1', '2', '3', '4', '5'],
      ['3', '4', '5'],
      ['3', '4'],
      ['3'],
      ['4'],
      ['5'],
    ]);
    expect(given()).toEqual([['3']]);
  });

  test('is delivered however old it is', async () => {
    const stream = new FakeStream();
    const records = numbered(1);
    const [old] = records;
    if (old?.dynamodb) old.dynamodb.ApproximateCreationDateTime = Math.floor(Date.now() / 1000) - 90_000;
    stream.shard('a').records = records;
    const read = new Recorder();
    await begin(stream, [read]).idle();

    expect([read.numbers, given()]).toEqual([['1'], []]);
  });

  test('gives each function and each invocation a separate event', async () => {
    const stream = new FakeStream();
    stream.shard('a').records = numbered(1);
    const changing = new Recorder({ MaximumRetryAttempts: 1 }, async ([record]) => {
      expect(record).toHaveProperty('dynamodb.SequenceNumber', '1');
      delete record?.dynamodb;
      throw new Error('after changing the event');
    });
    await begin(stream, [changing, new Recorder({}, changing.answer, 'Archive')]).idle();

    expect(changing.batches).toHaveLength(2);
    expect(given()).toEqual([['1'], ['1']]);
  });
});
