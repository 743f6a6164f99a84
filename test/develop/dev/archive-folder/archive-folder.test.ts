import { createHash } from 'node:crypto';
import { appendFile, mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { folderNotes, openArchiveFolder } from '../../../../src/develop/dev/archive-folder/archive-folder.ts';
import { fromFolder } from '../../../../src/develop/dev/archive-folder/files.ts';
import { pathOf } from '../../../../src/develop/dev/archive-folder/paths.ts';
import { archiveFolderReader } from '../../../../src/develop/dev/archive-folder/reader.ts';
import { DenormError, FatalError, TransientError } from '../../../../src/model/errors.ts';
import type { ArchivePort } from '../../../../src/worker/archive/ports.ts';
import { describeArchive, pageLimitUnderTest } from '../../../suites/archive.suite.ts';
import { archivedBody } from '../../../suites/archived-body.ts';
import { newFolder } from '../../../suites/new-folder.ts';

const key = 'archive/Order/ORDER%231/METADATA.json';

let folder: string;
let archive: ArchivePort;

beforeEach(async () => {
  folder = newFolder();
  archive = await openArchiveFolder(folder);
});

describeArchive('A folder', async () => {
  const below = await mkdtemp(join(tmpdir(), 'archive-folder-'));
  return {
    archive: await openArchiveFolder(below),
    reader: archiveFolderReader(below, { pageLimit: pageLimitUnderTest }),
    notes: folderNotes(below),
    damage: (objectKey) => damage(join(pathOf(below, objectKey), '@00000001')),
    retrievesVersions: true,
    close: () => rm(below, { recursive: true, force: true }),
  };
});

describe('openArchiveFolder', () => {
  test('keeps each version of an object as a file: a line of metadata as in S3, then the body', async () => {
    await putBoth();

    expect(await filesBelow(join(folder, key))).toEqual(['@00000001', '@00000002']);
    const [metadata = '', body] = (await readFile(join(folder, key, '@00000002'), 'utf8')).split('\n');
    expect(body).toBe('second');
    expect(JSON.parse(metadata)).toEqual({
      etag: md5('second'),
      key,
      digest: 'd2',
      sequence: '0',
      storageClass: 'STANDARD',
      putAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
    });
  });

  test('leaves nothing in progress', async () => {
    await putBoth();

    expect(await filesBelow(join(folder, 'in-progress'))).toEqual([]);
  });

  test('returns the MD5 of the body as ETag, also of objects that an earlier process put', async () => {
    await putBoth();

    expect(await (await openArchiveFolder(folder)).head(key)).toEqual({
      ...{ etag: md5('second'), digest: 'd2', sequence: 0n },
    });
  });

  test.each(['', '{', '{"key":1}\nbody'])('takes %j for a body without a digest', async (text) => {
    await putBoth();
    await writeFile(join(folder, key, '@00000002'), text);

    expect(await archive.head(key)).toEqual({ etag: md5(text), digest: undefined, sequence: 0n });
    expect(await archive.put(key, { body: 'third', digest: 'd3' }, md5(text))).toBe(true);
    expect(await archive.head(key)).toMatchObject({ digest: 'd3' });
  });

  test('accepts one of several puts by different processes', async () => {
    await putBoth();
    const puts = ['a', 'b', 'c', 'd'].map(async (body) =>
      (await openArchiveFolder(folder)).put(key, { body, digest: body }, md5('second')),
    );

    expect((await Promise.all(puts)).filter(Boolean)).toHaveLength(1);
    expect(await bodiesOf(folder, key)).toHaveLength(3);
  });

  test('numbers a new version after the last one', async () => {
    await putBoth();
    await rename(join(folder, key, '@00000001'), join(folder, key, '@00000007'));
    await archive.put(key, { body: 'third', digest: 'd3' }, md5('first'));

    expect(await readdir(join(folder, key))).toEqual(['@00000002', '@00000007', '@00000008']);
  });

  test('refuses two keys that are one path on its file system', async () => {
    await putBoth();
    const metadata = join(folder, key, '@00000002');
    await writeFile(metadata, (await readFile(metadata, 'utf8')).replace('ORDER', 'order'));

    await expect(archive.head(key)).rejects.toMatchObject({ code: 'archive.collision' });
    await expect(archive.put(key, { body: 'third', digest: 'd3' }, md5('second'))).rejects.toThrow(
      FatalError,
    );
  });

  test.each([
    'archive/../secret',
    'archive/./a',
    'archive//a',
    'archive/a\\b',
    'archive/a\0',
    'archive/@00000001',
    'archive',
    'versions/a',
    '/archive/a',
  ])('refuses the key %j', async (unsafe) => {
    await expect(archive.head(unsafe)).rejects.toMatchObject({ code: 'archive.key' });
    await expect(archive.put(unsafe, { body: '', digest: '' }, undefined)).rejects.toThrow(FatalError);
  });

  test('reports in one sentence that the folder is a file', async () => {
    const file = join(folder, 'file');
    await writeFile(file, '');

    for (const path of [file, join(file, 'below')]) {
      const error = await openArchiveFolder(path).catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(DenormError);
      expect(error).toMatchObject({
        code: 'folder.unusable',
        message: `Cannot use the folder '${path}' as the archive: a part of that path is a file (ENOTDIR)`,
      });
    }
  });

  test('throws a FatalError if a file is in the place of an object', async () => {
    await mkdir(join(folder, key, '..'), { recursive: true });
    await writeFile(join(folder, key), '');

    await expect(archive.head(key)).rejects.toThrow(FatalError);
  });
});

describe('archiveFolderReader', () => {
  const object = { body: 'first', digest: 'd1', storageClass: 'GLACIER' } as const;

  test('reports a body that was changed by hand, also of a replaced version', async () => {
    const reader = archiveFolderReader(folder);
    await archive.put(key, { ...object, storageClass: 'STANDARD' }, undefined);
    await archive.put(key, { ...object, body: 'second', storageClass: 'STANDARD' }, md5('first'));
    await damage(join(folder, key, '@00000001'));
    await damage(join(folder, key, '@00000002'));

    await expect(reader.read(key)).rejects.toMatchObject({ code: 'archive.damaged' });
    await expect(reader.read(key, '00000001')).rejects.toMatchObject({ code: 'archive.damaged' });
  });

  test('keeps a retrieved object readable for the requested days', async () => {
    const reader = archiveFolderReader(folder);
    await archive.put(key, object, undefined);
    await reader.retrieve(key, undefined, 2, 'Bulk');
    vi.useFakeTimers({ now: Date.now() + 2 * 86_400_000 - 60_000, toFake: ['Date'] });
    try {
      expect(await reader.details(key)).toMatchObject({ retrieval: 'readable' });
      vi.setSystemTime(Date.now() + 120_000);
      expect(await reader.details(key)).toMatchObject({ retrieval: 'needed' });
      await expect(reader.read(key)).rejects.toMatchObject({ code: 'archive.not-retrieved' });
    } finally {
      vi.useRealTimers();
    }
  });

  test('leaves nothing of an object that was erased', async () => {
    await putBoth();
    await archive.erase(key, 1n);

    expect(await filesBelow(folder)).toEqual([]);
    expect(await readdir(join(folder, key, '..'))).toEqual([]);
  });

  test('lists objects, and nothing beside them', async () => {
    await putBoth();
    await folderNotes(folder).write('state/sweep.json', '{}');

    const { versions } = await archiveFolderReader(folder).list('');
    expect(versions.map(({ objectKey }) => objectKey)).toEqual([key, key]);
    expect((await archiveFolderReader(folder).list('metadata/')).versions).toEqual([]);
  });

  test('refuses to read past the folder', async () => {
    await expect(archiveFolderReader(folder).read('archive/../../etc/passwd')).rejects.toMatchObject({
      code: 'archive.key',
    });
    await expect(folderNotes(folder).write('../note', '')).rejects.toThrow(FatalError);
  });

  test('reports in one sentence that its folder is a file', async () => {
    const file = join(folder, 'file');
    await writeFile(file, '');

    await expect(archiveFolderReader(file).list('archive/')).rejects.toMatchObject({
      code: 'folder.unusable',
      message: `Cannot read the folder '${file}' as an archive: a part of that path is a file (ENOTDIR)`,
    });
  });
});

describe('fromFolder', () => {
  test.each([
    ['EACCES', FatalError, 'Cannot write: permission is denied (EACCES)'],
    ['EROFS', FatalError, 'Cannot write: the file system is read-only (EROFS)'],
    ['EXDEV', FatalError, 'Cannot write: the file system refuses (EXDEV)'],
    ['ENOSPC', TransientError, 'Cannot write: no space is left (ENOSPC)'],
    ['EMFILE', TransientError, 'Cannot write: too many files are open (EMFILE)'],
  ])('reports %s in one sentence', (code, meaning, message) => {
    const error = fromFolder(Object.assign(new Error('of the system'), { code }), 'write');

    expect(error).toBeInstanceOf(meaning);
    expect(error.message).toBe(message);
  });
});

describe('pathOf', () => {
  test('leaves a segment that fits the file system as it is', () => {
    expect(pathOf('f', 'archive/ORDER%231')).toBe('f/archive/ORDER%231');
    expect(pathOf('f', `archive/${'a'.repeat(200)}`)).toBe(`f/archive/${'a'.repeat(200)}`);
  });

  test('splits a longer one into several', () => {
    const path = pathOf('f', `archive/${'a'.repeat(401)}`);

    expect(path).toBe(`f/archive/${'a'.repeat(200)}@/@${'a'.repeat(200)}@/@a`);
  });

  test('does not leave the folder, even if a split makes a piece of dots', () => {
    expect(pathOf('f', `archive/${'a'.repeat(200)}..`)).toBe(`f/archive/${'a'.repeat(200)}@/@..`);
  });
});

describe('a key that is split', () => {
  test.each([
    `archive/Order/${'%F0'.repeat(300)}/${'b'.repeat(240)}`,
    `archive/Order/${'a'.repeat(200)}00000001/b.json`,
  ])('is put, listed and erased like any other: %s', async (long) => {
    await archive.put(long, { body: 'first', digest: 'd1' }, undefined);
    await archive.put(`${long}.1`, { body: 'last', digest: 'd1' }, undefined);

    const { versions } = await archiveFolderReader(folder).list('archive/Order/');
    expect(versions.map(({ objectKey }) => objectKey)).toEqual([long, `${long}.1`]);
    await archive.erase(long, 1n);
    expect((await archiveFolderReader(folder).list('')).versions).toEqual([]);
  });
});

async function putBoth(): Promise<void> {
  await archive.put(key, { body: 'first', digest: 'd1' }, undefined);
  await archive.put(key, { body: 'second', digest: 'd2' }, md5('first'));
}

async function filesBelow(path: string): Promise<string[]> {
  const entries = await readdir(path, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(path.length + 1))
    .sort();
}

async function bodiesOf(below: string, objectKey: string): Promise<string[]> {
  const path = pathOf(below, objectKey);
  return (await readdir(path)).sort().map((version) => archivedBody(join(path, version)));
}

/** Changes the body of a version by hand. */
function damage(path: string): Promise<void> {
  return appendFile(path, 'by hand');
}

function md5(body: string): string {
  return createHash('md5').update(body).digest('hex');
}
