import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { ArchivePort } from '../../../src/archive/ports.ts';
import { openArchiveFolder } from '../../../src/dev/archive-folder/archive-folder.ts';
import { fromFolder } from '../../../src/dev/archive-folder/files.ts';
import { folderNotes } from '../../../src/dev/archive-folder/notes.ts';
import { nameOf, pathsOf } from '../../../src/dev/archive-folder/paths.ts';
import { archiveFolderReader } from '../../../src/dev/archive-folder/reader.ts';
import { DenormError, FatalError, TransientError } from '../../../src/model/errors.ts';
import { describeArchivePort } from '../../suites/archive-port.suite.ts';
import { describeArchiveReader, pageLimitUnderTest } from '../../suites/archive-reader.suite.ts';

const key = 'archive/Order/ORDER%231/METADATA.json';

let folder: string;
let archive: ArchivePort;

beforeEach(async () => {
  folder = await newFolder();
  archive = await openArchiveFolder(folder);
});

afterEach(() => rm(folder, { recursive: true, force: true }));

describeArchivePort('A folder', async () => {
  const below = await newFolder();
  return {
    archive: await openArchiveFolder(below),
    bodyOf: (objectKey) => readFile(pathsOf(below, objectKey).object, 'utf8'),
    replacedBodiesOf: (objectKey) => versionsOf(below, objectKey),
    close: () => rm(below, { recursive: true, force: true }),
  };
});

describeArchiveReader('A folder', async () => {
  const below = await newFolder();
  return {
    archive: await openArchiveFolder(below),
    reader: archiveFolderReader(below, { pageLimit: pageLimitUnderTest }),
    notes: folderNotes(below),
    damage: (objectKey) => writeFile(pathsOf(below, objectKey).object, 'something else'),
    retrievesVersions: true,
    close: () => rm(below, { recursive: true, force: true }),
  };
});

describe('openArchiveFolder', () => {
  test('holds an object as the file of its key, and nothing else below archive/', async () => {
    await putBoth();

    expect(await readFile(join(folder, key), 'utf8')).toBe('second');
    expect(await filesBelow(join(folder, 'archive'))).toEqual(['Order/ORDER%231/METADATA.json']);
  });

  test('keeps what S3 would keep with an object, and the bodies that were replaced, beside it', async () => {
    await putBoth();

    expect(await filesBelow(join(folder, 'metadata', key))).toEqual(
      [`${md5('first')}.json`, `${md5('second')}.json`].sort(),
    );
    expect(
      JSON.parse(await readFile(join(folder, 'metadata', key, `${md5('second')}.json`), 'utf8')),
    ).toEqual({
      key,
      digest: 'd2',
      sequence: '0',
      sha256: createHash('sha256').update('second').digest('base64'),
      storageClass: 'GLACIER',
      putAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
    });
    expect(await filesBelow(join(folder, 'versions', key))).toEqual([`00000001-${md5('first')}`]);
  });

  test('leaves nothing in progress', async () => {
    await putBoth();

    expect(await filesBelow(join(folder, 'in-progress'))).toEqual([]);
  });

  test('tells the MD5 of the body as ETag', async () => {
    await putBoth();

    expect(await archive.head(key)).toEqual({ etag: md5('second'), digest: 'd2', sequence: 0n });
  });

  test('finds what an earlier process put', async () => {
    await putBoth();

    expect(await (await openArchiveFolder(folder)).head(key)).toMatchObject({ digest: 'd2' });
  });

  test('knows no digest of a body that was changed by hand, and replaces it', async () => {
    await putBoth();
    await writeFile(join(folder, key), 'by hand');

    const seen = await archive.head(key);
    expect(seen).toEqual({ etag: md5('by hand'), digest: undefined, sequence: 0n });
    expect(await archive.put(key, { body: 'third', digest: 'd3' }, seen?.etag)).toBe(true);
    expect(await versionsOf(folder, key)).toEqual(['first', 'by hand']);
  });

  test.each(['', '{', '{"key":1}'])('knows no digest where the metadata is %j', async (text) => {
    await putBoth();
    await writeFile(join(folder, 'metadata', key, `${md5('second')}.json`), text);

    expect(await archive.head(key)).toEqual({ etag: md5('second'), digest: undefined, sequence: 0n });
  });

  test('goes on after a process that was killed between keeping a version and replacing it', async () => {
    await archive.put(key, { body: 'first', digest: 'd1' }, undefined);
    await mkdir(join(folder, 'versions', key), { recursive: true });
    await writeFile(join(folder, 'versions', key, `00000001-${md5('first')}`), 'first');

    expect(await archive.put(key, { body: 'second', digest: 'd2' }, md5('first'))).toBe(true);
    expect(await versionsOf(folder, key)).toEqual(['first']);
  });

  test('numbers a version after the last one that is left', async () => {
    await putBoth();
    await rename(
      join(folder, 'versions', key, `00000001-${md5('first')}`),
      join(folder, 'versions', key, `00000007-${md5('first')}`),
    );
    await archive.put(key, { body: 'third', digest: 'd3' }, md5('second'));

    expect(await filesBelow(join(folder, 'versions', key))).toEqual([
      `00000007-${md5('first')}`,
      `00000008-${md5('second')}`,
    ]);
  });

  test('refuses two keys that its file system takes for one', async () => {
    await putBoth();
    const metadata = join(folder, 'metadata', key, `${md5('second')}.json`);
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
    'archive',
    'versions/a',
    '/archive/a',
  ])('refuses the key %j', async (unsafe) => {
    await expect(archive.head(unsafe)).rejects.toMatchObject({ code: 'archive.key' });
    await expect(archive.put(unsafe, { body: '', digest: '' }, undefined)).rejects.toThrow(FatalError);
  });

  test('says in one sentence that a file stands where the folder should', async () => {
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

  test('is unworkable where a folder stands in the place of an object', async () => {
    await mkdir(join(folder, key), { recursive: true });

    await expect(archive.head(key)).rejects.toThrow(FatalError);
  });
});

describe('archiveFolderReader', () => {
  const object = { body: 'first', digest: 'd1', storageClass: 'GLACIER' } as const;

  test('finds a body damaged that was changed by hand, standing or replaced', async () => {
    const reader = archiveFolderReader(folder);
    await archive.put(key, { ...object, storageClass: 'STANDARD' }, undefined);
    await archive.put(key, { ...object, body: 'second', storageClass: 'STANDARD' }, md5('first'));
    await writeFile(join(folder, key), 'by hand');
    await writeFile(join(folder, 'versions', key, `00000001-${md5('first')}`), 'by hand');

    await expect(reader.read(key)).rejects.toMatchObject({ code: 'archive.damaged' });
    await expect(reader.read(key, md5('first'))).rejects.toMatchObject({ code: 'archive.damaged' });
  });

  test('reads what a folder of an earlier version holds, which kept no checksum', async () => {
    await archive.put(key, { ...object, storageClass: 'STANDARD' }, undefined);
    const path = join(folder, 'metadata', key, `${md5('first')}.json`);
    const { sha256: _, sequence: __, ...older } = JSON.parse(await readFile(path, 'utf8'));
    await writeFile(path, JSON.stringify(older));

    expect(Buffer.from(await archiveFolderReader(folder).read(key)).toString()).toBe('first');
    expect(await archive.head(key)).toMatchObject({ digest: 'd1', sequence: 0n });
  });

  test('lends what stands in Glacier for as many days as were asked for', async () => {
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

  test('lists one version of an object whose put was killed between keeping the older one and replacing it', async () => {
    await archive.put(key, object, undefined);
    await mkdir(join(folder, 'versions', key), { recursive: true });
    await writeFile(join(folder, 'versions', key, `00000001-${md5('first')}`), 'first');

    expect((await archiveFolderReader(folder).list('archive/')).versions).toMatchObject([
      { objectKey: key, latest: true },
    ]);
    await archive.erase(key, 1n);
    expect((await archiveFolderReader(folder).list('archive/')).versions).toEqual([]);
    expect(await filesBelow(join(folder, 'versions'))).toEqual([]);
  });

  test('leaves nothing of an object that was erased', async () => {
    await putBoth();
    await archive.erase(key, 1n);

    for (const below of ['archive', 'metadata', 'versions', 'in-progress'])
      expect(await filesBelow(join(folder, below))).toEqual([]);
  });

  test('lists nothing of what is beside the archive', async () => {
    await putBoth();
    await folderNotes(folder).write('state/sweep.json', '{}');

    const { versions } = await archiveFolderReader(folder).list('');
    expect(versions.map(({ objectKey }) => objectKey)).toEqual([key, key, 'state/sweep.json']);
    expect((await archiveFolderReader(folder).list('metadata/')).versions).toEqual([]);
  });

  test('refuses to read past the folder', async () => {
    await expect(archiveFolderReader(folder).read('archive/../../etc/passwd')).rejects.toMatchObject({
      code: 'archive.key',
    });
    await expect(folderNotes(folder).write('../note', '')).rejects.toThrow(FatalError);
  });

  test('says in one sentence that its folder is a file', async () => {
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
  ])('says what %s means, in one sentence', (code, meaning, message) => {
    const error = fromFolder(Object.assign(new Error('of the system'), { code }), 'write');

    expect(error).toBeInstanceOf(meaning);
    expect(error.message).toBe(message);
  });
});

describe('nameOf', () => {
  test('leaves a segment that a file system holds as it is', () => {
    expect(nameOf('ORDER%231')).toBe('ORDER%231');
    expect(nameOf('a'.repeat(240))).toBe('a'.repeat(240));
  });

  test('hashes one that leaves no room for an ending', () => {
    expect(nameOf('a'.repeat(241))).toMatch(/^a{100}%sha256-[\da-f]{64}$/);
  });

  test('hashes a longer one so that its beginning and its ending can be read', () => {
    const segment = `ORDER%23${'a'.repeat(300)}.json.12345`;
    const sha256 = createHash('sha256').update(segment).digest('hex');

    expect(nameOf(segment)).toBe(`ORDER%23${'a'.repeat(92)}%sha256-${sha256}.json.12345`);
  });

  test('cuts neither an escape nor a character in two', () => {
    expect(nameOf(`${'a'.repeat(98)}%2F${'a'.repeat(200)}`)).toMatch(/^a{98}%sha256-/);
    expect(nameOf(`${'a'.repeat(99)}%2F${'a'.repeat(200)}`)).toMatch(/^a{99}%sha256-/);
    expect(nameOf(`${'a'.repeat(98)}${'🦊'.repeat(100)}`)).toMatch(/^a{98}%sha256-/);
  });

  test('gives no two segments one name, not even a segment that looks like a hashed one', () => {
    const hashed = nameOf('a'.repeat(300));

    expect(nameOf(hashed)).not.toBe(hashed);
    expect(Buffer.byteLength(nameOf(hashed))).toBeLessThanOrEqual(240);
  });

  test('leaves room for what stands behind the name of an object', async () => {
    const long = `archive/Order/${'%F0'.repeat(300)}/${'b'.repeat(240)}`;
    await archive.put(long, { body: 'first', digest: 'd1' }, undefined);
    await archive.put(long, { body: 'second', digest: 'd2' }, md5('first'));

    expect(await archive.head(long)).toMatchObject({ digest: 'd2' });
    expect((await stat(pathsOf(folder, long).object)).isFile()).toBe(true);
  });
});

async function putBoth(): Promise<void> {
  await archive.put(key, { body: 'first', digest: 'd1' }, undefined);
  await archive.put(key, { body: 'second', digest: 'd2' }, md5('first'));
}

function newFolder(): Promise<string> {
  return mkdtemp(join(tmpdir(), 'archive-folder-'));
}

async function filesBelow(path: string): Promise<string[]> {
  const entries = await readdir(path, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(path.length + 1))
    .sort();
}

async function versionsOf(below: string, objectKey: string): Promise<string[]> {
  const { versions } = pathsOf(below, objectKey);
  const files = (await readdir(versions)).sort();
  return Promise.all(files.map((file) => readFile(join(versions, file), 'utf8')));
}

function md5(body: string): string {
  return createHash('md5').update(body).digest('hex');
}
