import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { FatalError, TransientError } from '../../../src/model/basics/errors.ts';
import { s3FailedBatches } from '../../../src/operate/adapters/failure-buckets.ts';
import { describeFailedBatches, failureKey } from '../../suites/failed-batches.suite.ts';
import { type StubS3, stubS3 } from '../../worker/adapters/s3/stub-s3.ts';

describeFailedBatches('S3 as a stub answers', async () => {
  const s3 = await stubS3();
  return {
    batches: s3FailedBatches({ client: s3.client, bucket: 'failed' }),
    put: async (key, text) => s3.put(key, text),
    close: s3.close,
  };
});

describe('s3FailedBatches', () => {
  let s3: StubS3;

  beforeEach(async () => {
    s3 = await stubS3();
  });

  afterEach(() => s3.close());

  const batchesOf = () => s3FailedBatches({ client: s3.client, bucket: 'failed' });

  async function keys(): Promise<string[]> {
    const all: string[] = [];
    for await (const key of batchesOf().keys()) all.push(key);
    return all;
  }

  test('lists only the batches of Lambda, and names their location', async () => {
    s3.put('mine/notes.txt', 'a');
    s3.put(failureKey('2026-11-20', 'a'), 'b');

    expect(await keys()).toEqual([failureKey('2026-11-20', 'a')]);
    expect(batchesOf().name).toBe('s3://failed');
  });

  test('continues past an empty page that is not the last', async () => {
    s3.put(failureKey('2026-11-20', 'a'), 'b');
    s3.answerNext({
      page: '<ListBucketResult><IsTruncated>true</IsTruncated><NextContinuationToken>a</NextContinuationToken></ListBucketResult>',
    });

    expect(await keys()).toEqual([failureKey('2026-11-20', 'a')]);
  });

  test('ends with an error if a page names itself as the next', async () => {
    const page =
      '<ListBucketResult><IsTruncated>true</IsTruncated><NextContinuationToken>a</NextContinuationToken></ListBucketResult>';
    s3.answerNext({ page }, { page });

    await expect(keys()).rejects.toMatchObject({ code: 'archive.cut-off' });
  });

  test('takes a batch that is gone for removed', async () => {
    s3.answerNext({ status: 404, code: 'NoSuchKey' });

    await expect(batchesOf().remove('k')).resolves.toBeUndefined();
  });

  test.each([
    ['list', 403, 'AccessDenied', FatalError, /^ListObjectsV2 \(s3:ListBucket\) of s3:\/\/failed was denied/],
    ['list', 404, 'NoSuchBucket', FatalError, /not there/],
    ['list', 503, 'SlowDown', TransientError, /throttled/],
    ['read', 403, 'AccessDenied', FatalError, /^GetObject \(s3:GetObject\) of s3:\/\/failed\/k/],
    ['remove', 403, 'AccessDenied', FatalError, /^DeleteObject \(s3:DeleteObject\) of s3:\/\/failed\/k/],
  ] as const)('names its request if S3 answers a %s with %d %s', async (what, status, code, error, says) => {
    s3.answerNext({ status, code }, { status, code });
    const asked = what === 'list' ? keys() : batchesOf()[what]('k');

    await expect(asked).rejects.toThrow(error);
    await expect(what === 'list' ? keys() : batchesOf()[what]('k')).rejects.toThrow(says);
  });
});
