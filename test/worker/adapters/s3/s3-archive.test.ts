import { describe, expect, test } from 'vitest';
import { TransientError } from '../../../../src/model/basics/errors.ts';
import { s3Archive, s3Notes } from '../../../../src/worker/adapters/s3/s3-archive.ts';
import { s3ArchiveReader } from '../../../../src/worker/adapters/s3/s3-archive-reader.ts';
import { describeArchive, pageLimitUnderTest } from '../../../suites/archive.suite.ts';
import { archiveOnStub, object, stubS3 } from './stub-s3.ts';

const key = 'archive/Order/ORDER%231/METADATA.json';

describeArchive('S3 as a stub answers', async () => {
  const s3 = await stubS3();
  const location = { client: s3.client, bucket: 'archive-bucket' };
  return {
    archive: s3Archive(location),
    reader: s3ArchiveReader({ ...location, pageLimit: pageLimitUnderTest }),
    notes: s3Notes(location),
    damage: async (objectKey) => s3.change(objectKey, { body: Buffer.from('something else') }),
    retrievesVersions: true,
    close: s3.close,
  };
});

describe('a put to S3', () => {
  test('is in the class STANDARD, with digest, checksum and type', async () => {
    const { s3, archive } = await archiveOnStub();
    await archive.put(key, object, undefined);

    expect(s3.requests.at(-1)).toMatchObject({
      method: 'PUT',
      path: expect.stringMatching(/^\/archive-bucket\/archive\/Order\/ORDER%25231\/METADATA\.json\?/),
      headers: {
        'x-amz-storage-class': 'STANDARD',
        'x-amz-meta-digest': 'd1',
        'x-amz-sdk-checksum-algorithm': 'SHA256',
        'x-amz-checksum-sha256': expect.stringMatching(/^[\w+/]{43}=$/),
        'content-type': 'application/json',
        'if-none-match': '*',
      },
    });
  });

  test.each([
    [412, 'PreconditionFailed'],
    [409, 'ConditionalRequestConflict'],
    [404, 'NoSuchKey'],
  ])('fails its condition if S3 answers %d %s', async (status, code) => {
    const { s3, archive } = await archiveOnStub();
    s3.answerNext({ status, code });

    expect(await archive.put(key, object, '"seen"')).toBe(false);
  });

  test.each([
    [503, 'SlowDown', 'aws.throttled'],
    [500, 'InternalError', 'aws.fault'],
  ])('that is answered %d %s is retried, and throws %s at the third', async (status, code, thrown) => {
    const { s3, archive } = await archiveOnStub({ maxAttempts: 3 });
    s3.answerNext({ status, code }, { status, code });
    expect(await archive.put(key, object, undefined)).toBe(true);
    expect(s3.bodiesOf(key)).toEqual([object.body]);

    s3.answerNext({ status, code }, { status, code }, { status, code });
    await expect(archive.put(key, object, undefined)).rejects.toMatchObject({
      name: 'TransientError',
      code: thrown,
    });
  });

  test.each([
    [403, 'AccessDenied', 'FatalError'],
    [404, 'NoSuchBucket', 'FatalError'],
    [301, 'PermanentRedirect', 'FatalError'],
    [409, 'OperationAborted', 'TransientError'],
  ])('that is answered %d %s is not retried, and throws a %s', async (status, code, name) => {
    const { s3, archive } = await archiveOnStub({ maxAttempts: 3 });
    s3.answerNext({ status, code });

    await expect(archive.put(key, object, '"seen"')).rejects.toMatchObject({ name });
    expect(s3.requests).toHaveLength(1);
  });

  test('that lost its answer fails its own condition in the retry', async () => {
    const { s3, archive } = await archiveOnStub({ maxAttempts: 3 });
    s3.answerNext({ status: 500, code: 'InternalError', after: true });

    expect(await archive.put(key, object, undefined)).toBe(false);
    expect(s3.bodiesOf(key)).toHaveLength(1);
    expect(await archive.head(key)).toMatchObject({ digest: 'd1', sequence: 7n });
  });
});

test('a head of S3 that is forbidden throws instead of finding nothing', async () => {
  const { s3, archive } = await archiveOnStub();
  s3.answerNext({ status: 403, code: 'AccessDenied' });

  await expect(archive.head(key)).rejects.toMatchObject({
    name: 'FatalError',
    message: expect.stringContaining(`s3://archive-bucket/${key}`),
  });
});

test('an S3 that refuses connections throws a TransientError', async () => {
  const { s3, archive } = await archiveOnStub();
  await s3.close();

  await expect(archive.put(key, object, undefined)).rejects.toThrow(TransientError);
  await expect(archive.head(key)).rejects.toThrow(TransientError);
  await expect(archive.erase(key, 1n)).rejects.toThrow(TransientError);
});
