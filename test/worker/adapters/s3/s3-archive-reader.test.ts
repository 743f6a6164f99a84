import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { FatalError, TransientError } from '../../../../src/model/errors.ts';
import { s3Archive } from '../../../../src/worker/adapters/s3/s3-archive.ts';
import { s3ArchiveReader } from '../../../../src/worker/adapters/s3/s3-archive-reader.ts';
import { s3Notes } from '../../../../src/worker/adapters/s3/s3-notes.ts';
import type { ArchiveNotes, ArchiveReader } from '../../../../src/worker/archive/ports.ts';
import { type StubS3, stubS3 } from './stub-s3.ts';

const [key, other] = ['archive/Order/a/b.json', 'archive/Order/c/d.json'];
const object = { body: '{"Item":{}}\n', digest: 'd1', sequence: 7n };

let s3: StubS3;
let reader: ArchiveReader;
let notes: ArchiveNotes;

beforeEach(async () => {
  s3 = await stubS3();
  onTestFinished(s3.close);
  const location = { client: s3.client, bucket: 'archive-bucket' };
  [reader, notes] = [s3ArchiveReader(location), s3Notes(location)];
  for (const objectKey of [key, other]) await s3Archive(location).put(objectKey, object, undefined);
});

test.each([
  ['list', () => reader.list('archive/Order/')],
  ['details', () => reader.details('archive/a')],
  ['read', () => reader.read('archive/a')],
  ['retrieve', () => reader.retrieve('archive/a', undefined, 1, 'Bulk')],
  ['notes', () => notes.read('state/a')],
  ['writing notes', () => notes.write('state/a', '{}')],
])(
  'a read throws a FatalError if it is denied, and a TransientError if it is throttled: %s',
  async (_, read) => {
    s3.answerNext({ status: 403, code: 'AccessDenied' }, { status: 503, code: 'SlowDown' });

    await expect(read()).rejects.toThrow(FatalError);
    await expect(read()).rejects.toThrow(TransientError);
  },
);

test('a body is reported as damaged if it differs from what was put, or if S3 has no checksum of it', async () => {
  s3.change(key, { body: Buffer.from('something else') });
  s3.change(other, { checksum: undefined });

  await expect(reader.read(key)).rejects.toMatchObject({
    code: 'archive.damaged',
    message: expect.stringContaining('its SHA-256 is another'),
  });
  await expect(reader.read(other)).rejects.toMatchObject({
    code: 'archive.damaged',
    message: expect.stringContaining('S3 holds no SHA-256 of it'),
  });
});

test('a read finds nothing under a delete marker, and its versions by their ids', async () => {
  s3.deleteByHand(key);

  expect(await reader.details(key)).toBeUndefined();
  await expect(reader.read(key)).rejects.toMatchObject({ code: 'archive.missing' });
  const { versions } = await reader.list(key);
  expect(versions).toMatchObject([{ latest: false }]);
  expect(Buffer.from(await reader.read(key, versions[0]?.versionId)).toString()).toBe(object.body);
});
