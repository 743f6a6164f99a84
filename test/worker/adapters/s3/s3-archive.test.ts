import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { FatalError, TransientError } from '../../../../src/model/errors.ts';
import { s3Archive } from '../../../../src/worker/adapters/s3/s3-archive.ts';
import { s3ArchiveReader } from '../../../../src/worker/adapters/s3/s3-archive-reader.ts';
import { s3Notes } from '../../../../src/worker/adapters/s3/s3-notes.ts';
import type { ArchivePort } from '../../../../src/worker/archive/ports.ts';
import { describeArchivePort } from '../../../suites/archive-port.suite.ts';
import { describeArchiveReader, pageLimitUnderTest } from '../../../suites/archive-reader.suite.ts';
import { describeS3Archive } from './s3-endpoint.ts';
import { type StubS3, stubS3 } from './stub-s3.ts';

const key = 'archive/Order/ORDER%231/METADATA.json';
const object = { body: '{"Item":{}}\n', digest: 'd1' };

describeArchivePort('S3 as a stub answers', async () => {
  const s3 = await stubS3();
  return {
    archive: s3Archive({ client: s3.client, bucket: 'archive-bucket' }),
    bodyOf: async (objectKey) => s3.bodiesOf(objectKey).at(-1),
    replacedBodiesOf: async (objectKey) => s3.bodiesOf(objectKey).slice(0, -1),
    close: s3.close,
  };
});

describeArchiveReader('S3 as a stub answers', async () => {
  const s3 = await stubS3();
  const location = { client: s3.client, bucket: 'archive-bucket' };
  return {
    archive: s3Archive(location),
    reader: s3ArchiveReader({ ...location, pageLimit: pageLimitUnderTest }),
    notes: s3Notes(location),
    damage: async (objectKey) => s3.damage(objectKey),
    retrievesVersions: true,
    close: s3.close,
  };
});

const endpoint = process.env.DENORM_TEST_S3_ENDPOINT;
if (endpoint !== undefined)
  describeS3Archive(`S3 at ${endpoint}`, async () => ({ endpoint, stop: async () => {} }));

describe('s3Archive', () => {
  let s3: StubS3;
  let archive: ArchivePort;

  beforeAll(async () => {
    s3 = await stubS3();
    archive = s3Archive({ client: s3.client, bucket: 'archive-bucket' });
  });

  afterEach(async () => {
    // An unused planned answer would turn up in another test.
    expect(await archive.head('archive/none')).toBeUndefined();
  });

  afterAll(() => s3.close());

  test('puts in the storage class STANDARD, with the digest, the checksum and the type of the body', async () => {
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

  test('puts in the given storage class', async () => {
    const standard = s3Archive({ client: s3.client, bucket: 'archive-bucket', storageClass: 'STANDARD_IA' });
    await standard.put('archive/other', object, undefined);

    expect(s3.requests.at(-1)?.headers).toMatchObject({ 'x-amz-storage-class': 'STANDARD_IA' });
  });

  test.each([
    [412, 'PreconditionFailed'],
    [409, 'ConditionalRequestConflict'],
    [404, 'NoSuchKey'],
  ])('fails its condition if S3 answers %d %s', async (status, code) => {
    s3.answerNext({ status, code });

    expect(await archive.put(key, object, '"seen"')).toBe(false);
  });

  test.each([
    [503, 'SlowDown'],
    [500, 'InternalError'],
    [409, 'OperationAborted'],
  ])('throws a TransientError for a put if S3 answers %d %s', async (status, code) => {
    s3.answerNext({ status, code });

    await expect(archive.put(key, object, '"seen"')).rejects.toThrow(TransientError);
  });

  test.each([
    [403, 'AccessDenied'],
    [404, 'NoSuchBucket'],
    [301, 'PermanentRedirect'],
  ])('throws a FatalError for a put if S3 answers %d %s', async (status, code) => {
    s3.answerNext({ status, code });

    await expect(archive.put(key, object, '"seen"')).rejects.toThrow(FatalError);
  });

  test('throws a FatalError if the head is forbidden, instead of finding nothing', async () => {
    s3.answerNext({ status: 403, code: 'AccessDenied' });

    const error = await archive.head(key).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(FatalError);
    expect(error).toMatchObject({ message: expect.stringContaining(`s3://archive-bucket/${key}`) });
  });

  test('throws a TransientError if the head is answered 503', async () => {
    s3.answerNext({ status: 503, code: 'SlowDown' });

    await expect(archive.head(key)).rejects.toThrow(TransientError);
  });

  test('throws a TransientError if nothing answers', async () => {
    const gone = await stubS3();
    await gone.close();
    const lonely = s3Archive({ client: gone.client, bucket: 'archive-bucket' });

    await expect(lonely.head(key)).rejects.toThrow(TransientError);
  });
});
