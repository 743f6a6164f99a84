import { afterAll, beforeAll, expect, test } from 'vitest';
import { s3Archive } from '../../../../src/worker/adapters/s3/s3-archive.ts';
import type { ArchivePort } from '../../../../src/worker/archive/ports.ts';
import { type StubS3, stubS3 } from './stub-s3.ts';

const object = { body: '{"Item":{}}\n', digest: 'd1', sequence: 7n };
const denied = { status: 403, code: 'AccessDenied' };
const slowDown = { status: 503, code: 'SlowDown' };

let s3: StubS3;
let archive: ArchivePort;
let keys = 0;

beforeAll(async () => {
  s3 = await stubS3({ maxAttempts: 3 });
  archive = s3Archive({ client: s3.client, bucket: 'archive-bucket' });
});

afterAll(() => s3.close());

async function putAnew(end = ''): Promise<string> {
  keys += 1;
  const key = `archive/Order/ORDER%23${keys}/METADATA.json`;
  await archive.put(key + end, object, undefined);
  return key;
}

/** The requests of an erasure up to record 10, and its error. */
async function erased(key: string) {
  const before = s3.requests.length;
  const error: unknown = await archive.erase(key, 10n).catch((thrown: unknown) => thrown);
  return { error, requests: s3.requests.slice(before) };
}

const notErasable = {
  name: 'FatalError',
  code: 'archive.not-erasable',
  message: expect.stringMatching(/ArchiveErase.*s3:ListBucketVersions.*s3:DeleteObjectVersion/),
};

test.each(['GET', 'HEAD', 'DELETE'])(
  'an erasure whose %s is denied names the parameter that allows it',
  async (method) => {
    const key = await putAnew();
    s3.denied = method;
    const { error, requests } = await erased(key);
    s3.denied = undefined;

    expect(error).toMatchObject(notErasable);
    expect(requests.at(-1)?.method).toBe(method);
    expect(s3.bodiesOf(key)).toHaveLength(1);
  },
);

test.each<[string, () => Promise<unknown>]>([
  ['read', () => archive.head('erased/1.json')],
  ['put', () => archive.put('erased/1.json', object, '"e"')],
])('an erasure whose note cannot be %s names the parameter as well', async (_, ask) => {
  s3.answerNext(denied);

  await expect(ask()).rejects.toMatchObject(notErasable);
});

test('an erasure that is throttled is retried', async () => {
  const key = await putAnew();
  s3.answerNext(slowDown, slowDown);

  expect((await erased(key)).error).toBeUndefined();
  expect(s3.bodiesOf(key)).toEqual([]);
});

test('an erasure also removes the delete markers of manual deletions, once no version is left below them', async () => {
  const [key, other] = [await putAnew(), await putAnew()];
  for (const one of [key, other]) s3.deleteByHand(one);
  await archive.erase(key, 10n);
  await archive.erase(other, 1n);

  expect(s3.bodiesOf(key)).toEqual([]);
  expect(s3.bodiesOf(other)).toEqual([object.body, '']);
});

test('an erasure removes the oldest version first, so that the current one is the last to go', async () => {
  const key = await putAnew();
  for (const body of ['second', 'third'])
    await archive.put(key, { ...object, body }, (await archive.head(key))?.etag);
  const { requests } = await erased(key);

  const ids = requests
    .filter(({ method }) => method === 'DELETE')
    .map(({ path }) => Number(new URL(path, 'http://s3').searchParams.get('versionId')?.slice(1)));
  expect(ids).toHaveLength(3);
  expect(ids.toSorted((a, b) => a - b)).toEqual(ids);
});

test('an erasure asks S3 nothing of a last state, whose key contains its record', async () => {
  const { requests } = await erased(await putAnew('.7'));

  expect(requests.map(({ method }) => method)).toEqual(['GET', 'DELETE']);
});
