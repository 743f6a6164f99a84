import { S3Client } from '@aws-sdk/client-s3';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { TransientError } from '../../../../src/model/errors.ts';
import { s3Archive } from '../../../../src/worker/adapters/s3/s3-archive.ts';
import { s3ArchiveReader } from '../../../../src/worker/adapters/s3/s3-archive-reader.ts';
import { s3Notes } from '../../../../src/worker/adapters/s3/s3-notes.ts';
import type { ArchivePort } from '../../../../src/worker/archive/ports.ts';
import { describeArchivePort } from '../../../suites/archive-port.suite.ts';
import { describeArchiveReader, pageLimitUnderTest } from '../../../suites/archive-reader.suite.ts';
import { describeS3Archive } from './s3-endpoint.ts';
import { type StubS3, stubS3 } from './stub-s3.ts';

const bucket = 'archive-bucket';
const object = { body: '{"Item":{}}\n', digest: 'd1', sequence: 7n };

describeArchivePort('S3 as a stub answers', async () => {
  const s3 = await stubS3();
  return {
    archive: s3Archive({ client: s3.client, bucket }),
    bodyOf: async (objectKey) => s3.bodiesOf(objectKey).at(-1),
    replacedBodiesOf: async (objectKey) => s3.bodiesOf(objectKey).slice(0, -1),
    close: s3.close,
  };
});

describeArchiveReader('S3 as a stub answers', async () => {
  const s3 = await stubS3();
  const location = { client: s3.client, bucket };
  return {
    archive: s3Archive(location),
    reader: s3ArchiveReader({ ...location, pageLimit: pageLimitUnderTest }),
    notes: s3Notes(location),
    damage: async (objectKey) => s3.change(objectKey, { body: Buffer.from('something else') }),
    retrievesVersions: true,
    close: s3.close,
  };
});

const endpoint = process.env.DENORM_TEST_S3_ENDPOINT;
if (endpoint !== undefined)
  describeS3Archive(`S3 at ${endpoint}`, async () => ({ endpoint, stop: async () => {} }));

let s3: StubS3;
let archive: ArchivePort;
let keys = 0;

beforeAll(async () => {
  s3 = await stubS3({ maxAttempts: 3 });
  archive = s3Archive({ client: s3.client, bucket });
});

afterEach(async () => {
  // An unused planned answer would turn up in another test.
  expect(await archive.head('archive/none')).toBeUndefined();
});

afterAll(() => s3.close());

function freshKey(): string {
  keys += 1;
  return `archive/Order/ORDER%23${keys}/METADATA.json`;
}

describe('a put to S3', () => {
  test('is in the storage class STANDARD, with the digest, the checksum and the type of the body', async () => {
    await archive.put('archive/Order/ORDER%231/METADATA.json', object, undefined);

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

  test('is in the given storage class', async () => {
    const infrequent = s3Archive({ client: s3.client, bucket, storageClass: 'STANDARD_IA' });
    await infrequent.put(freshKey(), object, undefined);

    expect(s3.requests.at(-1)?.headers).toMatchObject({ 'x-amz-storage-class': 'STANDARD_IA' });
  });

  test.each([
    [412, 'PreconditionFailed'],
    [409, 'ConditionalRequestConflict'],
    [404, 'NoSuchKey'],
  ])('fails its condition if S3 answers %d %s', async (status, code) => {
    s3.answerNext({ status, code });

    expect(await archive.put(freshKey(), object, '"seen"')).toBe(false);
  });

  test.each([
    [503, 'SlowDown', 'aws.throttled'],
    [500, 'InternalError', 'aws.fault'],
    [400, 'BadDigest', 'aws.garbled'],
  ])(
    'that is answered %d %s is retried, and throws a TransientError at the third',
    async (status, code, thrown) => {
      const key = freshKey();
      s3.answerNext({ status, code }, { status, code });
      expect(await archive.put(key, object, undefined)).toBe(true);
      expect(s3.bodiesOf(key)).toEqual([object.body]);

      s3.answerNext({ status, code }, { status, code }, { status, code });
      await expect(archive.put(freshKey(), object, undefined)).rejects.toMatchObject({
        name: 'TransientError',
        code: thrown,
      });
    },
  );

  test.each([
    [403, 'AccessDenied', 'FatalError'],
    [404, 'NoSuchBucket', 'FatalError'],
    [301, 'PermanentRedirect', 'FatalError'],
    [409, 'OperationAborted', 'TransientError'],
  ])('that is answered %d %s is not retried, and throws a %s', async (status, code, name) => {
    const before = s3.requests.length;
    s3.answerNext({ status, code });

    await expect(archive.put(freshKey(), object, '"seen"')).rejects.toMatchObject({ name });
    expect(s3.requests.length - before).toBe(1);
  });

  test('that lost its answer fails its own condition in the retry, and the head shows its object', async () => {
    const key = freshKey();
    s3.answerNext({ status: 500, code: 'InternalError', after: true });

    expect(await archive.put(key, object, undefined)).toBe(false);
    expect(s3.bodiesOf(key)).toHaveLength(1);
    expect(await archive.head(key)).toMatchObject({ digest: 'd1', sequence: 7n });
  });

  test('of a body that does not match its checksum is refused', async () => {
    const key = freshKey();
    s3.client.middlewareStack.add(
      (next) => (args) => {
        Object.assign(args.request as object, { body: object.body.replace('Item', 'Mite') });
        return next(args);
      },
      { step: 'finalizeRequest', priority: 'low', name: 'garble' },
    );
    try {
      await expect(archive.put(key, object, undefined)).rejects.toMatchObject({ code: 'aws.garbled' });
    } finally {
      s3.client.middlewareStack.remove('garble');
    }
    expect(s3.bodiesOf(key)).toEqual([]);
  });
});

describe('a head of S3', () => {
  test('that is forbidden throws a FatalError that names the object, instead of finding nothing', async () => {
    const key = freshKey();
    s3.answerNext({ status: 403, code: 'AccessDenied' });

    await expect(archive.head(key)).rejects.toMatchObject({
      name: 'FatalError',
      message: expect.stringContaining(`s3://archive-bucket/${key}`),
    });
  });

  test('that is throttled again and again throws a TransientError', async () => {
    const slowDown = { status: 503, code: 'SlowDown' };
    s3.answerNext(slowDown, slowDown, slowDown);

    await expect(archive.head(freshKey())).rejects.toThrow(TransientError);
  });
});

test.each([
  ['refuses connections', 'http://127.0.0.1:1'],
  ['has no address', 'http://archive-bucket.invalid'],
])('an S3 that %s throws a TransientError', async (_, away) => {
  const client = new S3Client({
    endpoint: away,
    region: 'us-east-1',
    credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
    forcePathStyle: true,
    maxAttempts: 2,
  });
  const distant = s3Archive({ client, bucket });

  await expect(distant.put(freshKey(), object, undefined)).rejects.toThrow(TransientError);
  await expect(distant.head(freshKey())).rejects.toThrow(TransientError);
  await expect(distant.erase(freshKey(), 1n)).rejects.toThrow(TransientError);
  client.destroy();
});
