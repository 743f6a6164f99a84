import { expect, test } from 'vitest';
import { FatalError, TransientError } from '../../../../src/model/basics/errors.ts';
import { s3Notes } from '../../../../src/worker/adapters/s3/s3-archive.ts';
import { s3ArchiveReader } from '../../../../src/worker/adapters/s3/s3-archive-reader.ts';
import type { ArchiveNotes, ArchiveReader } from '../../../../src/worker/archive/ports.ts';
import { archiveOnStub, object } from './stub-s3.ts';

const [key, other] = ['archive/Order/a/b.json', 'archive/Order/c/d.json'];

async function readable() {
  const { s3, location, archive } = await archiveOnStub();
  for (const objectKey of [key, other]) await archive.put(objectKey, object, undefined);
  return { s3, reader: s3ArchiveReader(location), notes: s3Notes(location) };
}

test.each<[string, (reader: ArchiveReader, notes: ArchiveNotes) => Promise<unknown>]>([
  ['list', (reader) => reader.list('archive/Order/')],
  ['details', (reader) => reader.details('archive/a')],
  ['read', (reader) => reader.read('archive/a')],
  ['retrieve', (reader) => reader.retrieve('archive/a', undefined, 1, 'Bulk')],
  ['notes', (_, notes) => notes.read('state/a')],
  ['writing notes', (_, notes) => notes.write('state/a', '{}')],
])('a read is fatal if it is denied, and transient if it is throttled: %s', async (_, read) => {
  const { s3, reader, notes } = await readable();
  s3.answerNext({ status: 403, code: 'AccessDenied' }, { status: 503, code: 'SlowDown' });

  await expect(read(reader, notes)).rejects.toThrow(FatalError);
  await expect(read(reader, notes)).rejects.toThrow(TransientError);
});

test('a body is damaged if it differs from what was put, or has no checksum', async () => {
  const { s3, reader } = await readable();
  s3.change(key, { body: Buffer.from('something else') });
  s3.change(other, { checksum: undefined });

  for (const [objectKey, reason] of [
    [key, 'its SHA-256 is another'],
    [other, 'S3 holds no SHA-256 of it'],
  ] as const)
    await expect(reader.read(objectKey)).rejects.toMatchObject({
      code: 'archive.damaged',
      message: expect.stringContaining(reason),
    });
});

test('a read finds nothing under a delete marker, and its versions by their ids', async () => {
  const { s3, reader } = await readable();
  s3.deleteByHand(key);

  expect(await reader.details(key)).toBeUndefined();
  await expect(reader.read(key)).rejects.toMatchObject({ code: 'archive.missing' });
  const { versions } = await reader.list(key);
  expect(versions).toMatchObject([{ latest: false }]);
  expect(Buffer.from(await reader.read(key, versions[0]?.versionId)).toString()).toBe(object.body);
});
