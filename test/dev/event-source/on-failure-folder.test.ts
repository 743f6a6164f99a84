import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import {
  failedBatchFolder,
  onFailureFolder,
  onFailureRecord,
} from '../../../src/dev/event-source/on-failure-folder.ts';
import { describeFailedBatches } from '../../suites/failed-batches.suite.ts';
import { newFolder } from '../../suites/new-folder.ts';
import { streamRecord } from '../stream-records.ts';

describeFailedBatches('a folder', async () => {
  const path = newFolder();
  return {
    batches: failedBatchFolder(path),
    async put(key, text) {
      await mkdir(dirname(join(path, key)), { recursive: true });
      await writeFile(join(path, key), text);
    },
    close: async () => {},
  };
});

test('keeps each batch that was given up in a file, with its event', async () => {
  const path = newFolder();
  const records = [streamRecord(9), streamRecord(10)];
  const record = onFailureRecord({
    ...{ functionName: 'Archive', streamArn: 'arn', shardId: 'shardId-1', invocations: 11, threw: true },
    ...{ records, condition: 'RetryAttemptsExhausted' },
  });
  for (const _ of [1, 2]) await onFailureFolder(path)(record, 'Archive');
  const batches = failedBatchFolder(join(path, 'on-failure'));
  const keys: string[] = [];
  for await (const key of batches.keys()) keys.push(key);

  expect(keys).toHaveLength(2);
  for (const key of keys) expect(key).toMatch(/^Archive\/\d{4}-\d\d-\d\dT\d\d\.\d\d\.\d\d-[^/]+$/);
  expect(JSON.parse((await batches.read(keys[0] ?? '')) ?? '')).toEqual(record);
  expect(record).toMatchObject({
    version: '1.0',
    requestContext: { condition: 'RetryAttemptsExhausted', approximateInvokeCount: 11 },
    responseContext: { functionError: 'Unhandled' },
    DDBStreamBatchInfo: {
      ...{ shardId: 'shardId-1', startSequenceNumber: '9', endSequenceNumber: '10', batchSize: 2 },
      approximateArrivalOfFirstRecord: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
    },
  });
  expect(JSON.parse(record.payload)).toEqual({ Records: records });
});
