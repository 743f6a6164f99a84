import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  onFailureFolder,
  onFailureRecord,
} from '../../../../src/develop/dev/event-source/on-failure-folder.ts';
import { newFolder } from '../../../suites/new-folder.ts';
import { streamRecord } from '../stream-records.ts';

const records = [streamRecord(9), streamRecord(10)];
const record = onFailureRecord({
  functionName: 'Propagate',
  streamArn: 'arn:aws:dynamodb:us-east-1:000000000000:table/app/stream/1',
  shardId: 'shardId-00000001-app',
  records,
  condition: 'RetryAttemptsExhausted',
  invocations: 11,
  threw: true,
});

describe('a batch that was given up', () => {
  it('is described as by Lambda, with its event', () => {
    expect(record).toMatchObject({
      version: '1.0',
      requestContext: { condition: 'RetryAttemptsExhausted', approximateInvokeCount: 11 },
      responseContext: { functionError: 'Unhandled' },
      DDBStreamBatchInfo: {
        shardId: 'shardId-00000001-app',
        startSequenceNumber: '9',
        endSequenceNumber: '10',
        batchSize: 2,
        approximateArrivalOfFirstRecord: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
      },
    });
    expect(JSON.parse(record.payload)).toEqual({ Records: records });
  });

  it('is kept in a separate file, with the name of an object in an on-failure bucket', async () => {
    const directory = newFolder();
    const write = onFailureFolder(directory);
    const path = await write(record, 'Propagate');
    await write(record, 'Propagate');
    const [year, month, day] = record.timestamp.slice(0, 10).split('-');
    const folder = `on-failure/aws/lambda/Propagate/shardId-00000001-app/${year}/${month}/${day}`;
    expect(relative(directory, path)).toMatch(
      new RegExp(`^${folder}/${year}-${month}-${day}T\\d\\d\\.\\d\\d\\.\\d\\d-[0-9a-f-]{36}$`),
    );
    expect(readdirSync(join(directory, folder))).toHaveLength(2);
    expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual(record);
  });
});
