import { describe, expect, test } from 'vitest';
import { onFailureRecord } from '../../../src/dev/event-source/on-failure-folder.ts';
import { readFailedBatch } from '../../../src/operate/dead-letters/failed-batch.ts';

const records = [{ eventID: '1', eventName: 'REMOVE', eventSource: 'aws:dynamodb', dynamodb: {} }] as const;
const given = onFailureRecord({
  ...{ functionName: 'Propagate', streamArn: 'arn:aws:dynamodb:…', shardId: 'shardId-1' },
  ...{ records, condition: 'RetryAttemptsExhausted', invocations: 11, threw: false },
});

describe('readFailedBatch', () => {
  test('accepts an event as an object instead of text', () => {
    expect(readFailedBatch(JSON.stringify({ ...given, payload: { Records: records } }))).toMatchObject({
      records,
    });
  });

  test('keeps invalid records, which the function must handle', () => {
    const payload = JSON.stringify({ Records: [null, {}, ...records] });
    expect(readFailedBatch(JSON.stringify({ ...given, payload }))).toMatchObject({
      records: [null, {}, ...records],
    });
  });

  test.each([
    ['no JSON', /not what Lambda keeps/],
    ['{}', /not what Lambda keeps/],
    [JSON.stringify({ ...given, requestContext: { functionArn: 'mine' } }), /not what Lambda keeps/],
    [JSON.stringify({ ...given, payload: undefined }), /holds no records$/],
    [JSON.stringify({ ...given, payload: 'text' }), /no records of a DynamoDB stream/],
    [JSON.stringify({ ...given, payload: '{"Records": []}' }), /no records of a DynamoDB stream/],
    [
      JSON.stringify({ ...given, payload: '{"Records": [{"eventSource": "aws:sqs"}]}' }),
      /no records of a DynamoDB stream/,
    ],
  ])('gives the reason why the object is not a batch: %#', (text, why) => {
    expect(readFailedBatch(text)).toEqual({ unreadable: expect.stringMatching(why) });
  });
});
