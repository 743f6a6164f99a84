import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import {
  onFailureFolder,
  onFailureRecord,
} from '../../../../src/develop/dev/event-source/on-failure-folder.ts';
import { failedBatchFolder } from '../../../../src/develop/dev/queue/failed-batch-folder.ts';
import { FatalError } from '../../../../src/model/errors.ts';
import { describeFailedBatches } from '../../../suites/failed-batches.suite.ts';
import { newFolder } from '../../../suites/new-folder.ts';

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

test('finds batches that `denorm dev` gave up below its folder, and ignores unfinished files', async () => {
  const path = newFolder();
  const given = onFailureRecord({
    ...{ functionName: 'Archive', streamArn: 'arn', shardId: 'shardId-1', invocations: 11, threw: true },
    ...{ records: [], condition: 'RetryAttemptsExhausted' },
  });
  const file = await onFailureFolder(path)(given, 'Archive');
  await writeFile(`${file}.part`, '{');
  const batches = failedBatchFolder(join(path, 'on-failure'));
  const keys: string[] = [];
  for await (const key of batches.keys()) keys.push(key);

  expect(keys.map((key) => join(path, 'on-failure', key))).toEqual([file]);
  expect(JSON.parse((await batches.read(keys[0] ?? '')) ?? '')).toEqual(given);
});

test('a folder that cannot be read is reported', async () => {
  const path = newFolder();
  await writeFile(join(path, 'file'), '');

  await expect(failedBatchFolder(join(path, 'file')).keys()[Symbol.asyncIterator]().next()).rejects.toThrow(
    FatalError,
  );
});
