import { expect, test } from 'vitest';
import type { ArchivePort } from '../../../../src/worker/archive/ports.ts';
import { archiveOnStub, object } from './stub-s3.ts';

const [key, other] = ['archive/Order/ORDER%231/METADATA.json', 'archive/Order/ORDER%232/METADATA.json'];
const denied = { status: 403, code: 'AccessDenied' };
const slowDown = { status: 503, code: 'SlowDown' };

/** A bucket in which the object is put. */
async function bucketWith(...keys: string[]) {
  const opened = await archiveOnStub({ maxAttempts: 3 });
  for (const one of keys) await opened.archive.put(one, object, undefined);
  return opened;
}

const notErasable = {
  name: 'FatalError',
  code: 'archive.not-erasable',
  message: expect.stringMatching(/ArchiveErase.*s3:ListBucketVersions.*s3:DeleteObjectVersion/),
};

test.each(['GET', 'HEAD', 'DELETE'])('an erasure that is denied %s names what allows it', async (method) => {
  const { s3, archive } = await bucketWith(key);
  s3.denied = method;

  await expect(archive.erase(key, 10n)).rejects.toMatchObject(notErasable);
  expect(s3.requests.at(-1)?.method).toBe(method);
  expect(s3.bodiesOf(key)).toHaveLength(1);
});

test.each<[string, (archive: ArchivePort) => Promise<unknown>]>([
  ['read', (archive) => archive.head('erased/1.json')],
  ['put', (archive) => archive.put('erased/1.json', object, '"e"')],
])('an erasure whose note cannot be %s names the parameter as well', async (_, ask) => {
  const { s3, archive } = await bucketWith();
  s3.answerNext(denied);

  await expect(ask(archive)).rejects.toMatchObject(notErasable);
});

test('an erasure that is throttled is retried', async () => {
  const { s3, archive } = await bucketWith(key);
  s3.answerNext(slowDown, slowDown);
  await archive.erase(key, 10n);

  expect(s3.bodiesOf(key)).toEqual([]);
});

test('an erasure also removes delete markers, once no version is below them', async () => {
  const { s3, archive } = await bucketWith(key, other);
  for (const one of [key, other]) s3.deleteByHand(one);
  await archive.erase(key, 10n);
  await archive.erase(other, 1n);

  expect(s3.bodiesOf(key)).toEqual([]);
  expect(s3.bodiesOf(other)).toEqual([object.body, '']);
});

test('an erasure removes the oldest version first, and the current one last', async () => {
  const { s3, archive } = await bucketWith(key);
  for (const body of ['second', 'third'])
    await archive.put(key, { ...object, body }, (await archive.head(key))?.etag);
  await archive.erase(key, 10n);

  const ids = s3.requests
    .filter(({ method }) => method === 'DELETE')
    .map(({ path }) => new URL(path, 'http://s3').searchParams.get('versionId'));
  expect(ids).toEqual(['v1', 'v2', 'v3']);
});

test.each([
  ['in its metadata', '2', object],
  ['in its key, if another program has put it', '7', { ...object, sequence: 0n }],
])('an erasure finds the record of a last state %s', async (_, number, last) => {
  const { s3, archive } = await bucketWith();
  await archive.put(`${key}.${number}`, last, undefined);
  await archive.erase(key, 6n);
  expect(s3.requests.map(({ method }) => method)).not.toContain('DELETE');

  await archive.erase(key, 7n);
  expect(s3.requests.map(({ method }) => method)).toContain('DELETE');
});
