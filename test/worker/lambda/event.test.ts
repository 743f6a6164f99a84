import { expect, test } from 'vitest';
import { readQueueRecord, recordsIn, sourceOf } from '../../../src/worker/lambda/event.ts';

test.each([
  ['records, valid or not', { Records: [{}, null, 'x'] }, [{}, null, 'x']],
  ['no records', { Records: [] }, []],
  ['something else', { Records: 'x' }, undefined],
  ['nothing', null, undefined],
])('the records of an event with %s', (_, event, records) => {
  expect(recordsIn(event)).toEqual(records);
});

test.each([
  [{ eventSource: 'aws:sqs' }, 'aws:sqs'],
  [{}, undefined],
  [null, undefined],
  ['aws:sqs', undefined],
])('the source of %j is %j', (record, source) => {
  expect(sourceOf(record)).toBe(source);
});

const message = { messageId: 'a', body: 'text' };
test.each([
  [
    {
      ...message,
      attributes: {
        ...{ ApproximateReceiveCount: '3', SentTimestamp: '1000' },
        ApproximateFirstReceiveTimestamp: '2000',
      },
    },
    { id: 'a', body: 'text', receives: 3, sentAt: 1000, firstReceivedAt: 2000 },
  ],
  [message, { id: 'a', body: 'text', receives: 1, sentAt: undefined, firstReceivedAt: undefined }],
  [
    { ...message, attributes: { ApproximateReceiveCount: 'x', SentTimestamp: 7 } },
    { id: 'a', body: 'text', receives: 1, sentAt: undefined, firstReceivedAt: undefined },
  ],
  [{ messageId: 'a' }, undefined],
  [null, undefined],
])('the queue record of %j is %j', (record, read) => {
  expect(readQueueRecord(record)).toEqual(read);
});
