import { S3Client } from '@aws-sdk/client-s3';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { FatalError, TransientError } from '../../../../src/model/errors.ts';
import { s3Archive } from '../../../../src/worker/adapters/s3/s3-archive.ts';
import { s3ArchiveReader } from '../../../../src/worker/adapters/s3/s3-archive-reader.ts';
import { s3Notes } from '../../../../src/worker/adapters/s3/s3-notes.ts';
import type { ArchiveNotes, ArchivePort, ArchiveReader } from '../../../../src/worker/archive/ports.ts';
import { type StubS3, stubS3 } from './stub-s3.ts';

const bucket = 'archive-bucket';
const object = { body: '{"Item":{}}\n', digest: 'd1', sequence: 7n, storageClass: 'STANDARD' } as const;
const slowDown = { status: 503, code: 'SlowDown' };
const denied = { status: 403, code: 'AccessDenied' };

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

/** The number of requests that the work makes. */
async function requestsOf(work: () => Promise<unknown>): Promise<number> {
  const before = s3.requests.length;
  await work().catch(() => {});
  return s3.requests.length - before;
}

describe('a put to S3', () => {
  test.each([slowDown, { status: 500, code: 'InternalError' }, { status: 400, code: 'BadDigest' }])(
    'that is answered $status $code is retried',
    async (answer) => {
      const key = freshKey();
      s3.answerNext(answer, answer);

      expect(await archive.put(key, object, undefined)).toBe(true);
      expect(s3.bodiesOf(key)).toEqual([object.body]);
    },
  );

  test.each([
    [slowDown, 'aws.throttled'],
    [{ status: 400, code: 'BadDigest' }, 'aws.garbled'],
  ])('that is answered with this again and again throws a TransientError: %j', async (answer, code) => {
    s3.answerNext(answer, answer, answer);

    const error = await archive.put(freshKey(), object, undefined).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(TransientError);
    expect(error).toMatchObject({ code });
  });

  test.each([denied, { status: 301, code: 'PermanentRedirect' }, { status: 404, code: 'NoSuchBucket' }])(
    'that is answered $status $code is not retried, and throws a FatalError',
    async (answer) => {
      const key = freshKey();
      s3.answerNext(answer);
      expect(await requestsOf(() => archive.put(key, object, undefined))).toBe(1);

      s3.answerNext(answer);
      await expect(archive.put(key, object, undefined)).rejects.toThrow(FatalError);
    },
  );

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
        const { request } = args;
        if (isPut(request)) request.body = object.body.replace('Item', 'Mite');
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

describe('S3 in a region that is out of reach', () => {
  test.each([
    ['refuses connections', 'http://127.0.0.1:1'],
    ['has no address', 'http://archive-bucket.invalid'],
  ])('which %s throws a TransientError', async (_, endpoint) => {
    const client = new S3Client({
      endpoint,
      region: 'us-east-1',
      credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
      forcePathStyle: true,
      maxAttempts: 2,
    });
    const away = s3Archive({ client, bucket });

    await expect(away.put(freshKey(), object, undefined)).rejects.toThrow(TransientError);
    await expect(away.head(freshKey())).rejects.toThrow(TransientError);
    await expect(away.erase(freshKey(), 1n)).rejects.toThrow(TransientError);
    client.destroy();
  });
});

describe('an erasure in S3', () => {
  test.each([1, 2, 3])('that is denied at request %d names the parameter that allows it', async (which) => {
    const key = freshKey();
    await archive.put(key, object, undefined);
    const allowed = which - 1;
    const count = s3.requests.length;
    const denying = new Proxy(s3.client, {
      get(client, name) {
        if (name !== 'send') return Reflect.get(client, name);
        return (command: Parameters<S3Client['send']>[0]) => {
          if (s3.requests.length - count === allowed) s3.answerNext(denied);
          return client.send(command);
        };
      },
    });

    const error = await s3Archive({ client: denying, bucket })
      .erase(key, 10n)
      .catch((thrown: unknown) => thrown);

    expect(error).toBeInstanceOf(FatalError);
    expect(error).toMatchObject({
      code: 'archive.not-erasable',
      message: expect.stringMatching(/ArchiveErase.*s3:ListBucketVersions.*s3:DeleteObjectVersion/),
    });
    expect(s3.requests.length - count).toBe(which);
    expect(s3.bodiesOf(key)).toHaveLength(1);
  });

  test('whose note is denied names the parameter as well', async () => {
    for (const ask of [
      () => archive.head('erased/1.json'),
      () => archive.put('erased/1.json', object, '"e"'),
    ]) {
      s3.answerNext(denied);
      await expect(ask()).rejects.toMatchObject({
        name: 'FatalError',
        code: 'archive.not-erasable',
        message: expect.stringContaining('ArchiveErase'),
      });
    }
  });

  test('that is throttled is retried', async () => {
    const key = freshKey();
    await archive.put(key, object, undefined);
    s3.answerNext(slowDown, slowDown);

    await archive.erase(key, 10n);
    expect(s3.bodiesOf(key)).toEqual([]);
  });

  test('also removes the delete markers of manual deletions, once no version is left below them', async () => {
    const [key, other] = [freshKey(), freshKey()];
    for (const one of [key, other]) {
      await archive.put(one, object, undefined);
      s3.deleteByHand(one);
    }

    await archive.erase(key, 10n);
    await archive.erase(other, 1n);

    expect(s3.bodiesOf(key)).toEqual([]);
    expect(s3.bodiesOf(other)).toEqual([object.body, '']);
  });

  test('removes the oldest version first, so that the current one is the last to go', async () => {
    const key = freshKey();
    for (const body of ['first', 'second', 'third'])
      await archive.put(key, { ...object, body }, (await archive.head(key))?.etag);
    const count = s3.requests.length;
    await archive.erase(key, 10n);

    const deleted = s3.requests.slice(count).filter(({ method }) => method === 'DELETE');
    const ids = deleted.map(({ path }) => new URL(path, 'http://s3').searchParams.get('versionId'));
    expect(ids).toHaveLength(3);
    expect([...ids].sort((a, b) => Number(a?.slice(1)) - Number(b?.slice(1)))).toEqual(ids);
  });

  test('lists a last state only once, because its key contains its record', async () => {
    const key = freshKey();
    await archive.put(`${key}.7`, object, undefined);

    expect(await requestsOf(() => archive.erase(key, 10n))).toBe(2);
  });
});

describe('a read from S3', () => {
  let s3: StubS3;
  let archive: ArchivePort;
  let reader: ArchiveReader;
  let notes: ArchiveNotes;

  beforeAll(async () => {
    s3 = await stubS3();
    const location = { client: s3.client, bucket };
    [archive, reader, notes] = [s3Archive(location), s3ArchiveReader(location), s3Notes(location)];
  });

  afterAll(() => s3.close());

  test.each([
    ['list', () => reader.list('archive/Order/')],
    ['details', () => reader.details('archive/a')],
    ['read', () => reader.read('archive/a')],
    ['retrieve', () => reader.retrieve('archive/a', undefined, 1, 'Bulk')],
    ['notes', () => notes.read('state/a')],
    ['writing notes', () => notes.write('state/a', '{}')],
  ] as const)(
    'throws a FatalError if it is denied, and a TransientError if it is throttled: %s',
    async (_, read) => {
      s3.answerNext(denied);
      await expect(read()).rejects.toThrow(FatalError);
      s3.answerNext(slowDown);
      await expect(read()).rejects.toThrow(TransientError);
    },
  );

  test('reports a body as damaged if it differs from what was put, or if S3 has no checksum of it', async () => {
    const [key, other] = [freshKey(), freshKey()];
    await archive.put(key, object, undefined);
    await archive.put(other, object, undefined);
    s3.damage(key);
    s3.forgetChecksum(other);

    await expect(reader.read(key)).rejects.toMatchObject({
      code: 'archive.damaged',
      message: expect.stringContaining('its SHA-256 is another'),
    });
    await expect(reader.read(other)).rejects.toMatchObject({
      code: 'archive.damaged',
      message: expect.stringContaining('S3 holds no SHA-256 of it'),
    });
  });

  test('finds nothing under a delete marker, and its versions by their ids', async () => {
    const key = freshKey();
    await archive.put(key, object, undefined);
    s3.deleteByHand(key);

    expect(await reader.details(key)).toBeUndefined();
    await expect(reader.read(key)).rejects.toMatchObject({ code: 'archive.missing' });
    const { versions } = await reader.list(key);
    expect(versions).toMatchObject([{ latest: false }]);
    expect(Buffer.from(await reader.read(key, versions[0]?.versionId)).toString()).toBe(object.body);
  });
});

function isPut(request: unknown): request is { method: string; body: unknown } {
  return typeof request === 'object' && request !== null && 'method' in request && request.method === 'PUT';
}
