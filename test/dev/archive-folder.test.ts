import { createHash } from 'node:crypto';
import { appendFile, mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { archiveFolderReader, folderNotes, nameOf, openArchiveFolder } from '../../src/dev/archive-folder.ts';
import { Folder } from '../../src/dev/folder.ts';
import { FatalError } from '../../src/model/basics/errors.ts';
import type { ArchivePort } from '../../src/worker/archive/ports.ts';
import { describeArchive, pageLimitUnderTest } from '../suites/archive.suite.ts';
import { newFolder } from '../suites/new-folder.ts';

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
    reader: archiveFolderReader(below, pageLimitUnderTest),
    notes: folderNotes(below),
    damage: (objectKey) => damage(join(below, nameOf(objectKey), '@00000001')),
    retrievesVersions: true,
    close: () => rm(below, { recursive: true, force: true }),
  };
});

describe('the archive in a folder', () => {
  test('keeps each version as a file: a line of metadata as in S3, then the body', async () => {
    await putBoth();

    expect(await new Folder(folder).names()).toEqual([`${key}/@00000001`, `${key}/@00000002`]);
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

  test('takes a file without metadata for a damaged body, which the next put replaces', async () => {
    await putBoth();
    await writeFile(join(folder, key, '@00000002'), '{"key":1}\nbody');

    const head = await archive.head(key);
    expect(head).toMatchObject({ digest: undefined, sequence: 0n });
    await expect(archiveFolderReader(folder).read(key)).rejects.toMatchObject({ code: 'archive.damaged' });
    expect(await archive.put(key, { body: 'third', digest: 'd3' }, head?.etag)).toBe(true);
  });

  test('accepts one of several puts by different processes', async () => {
    await putBoth();
    const puts = ['a', 'b', 'c', 'd'].map(async (body) =>
      (await openArchiveFolder(folder)).put(key, { body, digest: body }, md5('second')),
    );

    expect((await Promise.all(puts)).filter(Boolean)).toHaveLength(1);
    expect(await readdir(join(folder, key))).toHaveLength(3);
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
    const refused = expect.objectContaining({ code: 'archive.key' });
    await expect(archive.head(unsafe)).rejects.toEqual(refused);
    await expect(archive.put(unsafe, { body: '', digest: '' }, undefined)).rejects.toEqual(refused);
    await expect(archiveFolderReader(folder).read(unsafe)).rejects.toEqual(refused);
    await expect(folderNotes(folder).write(unsafe, '')).rejects.toEqual(refused);
  });

  test('is refused below a file', async () => {
    const file = join(folder, 'file');
    await writeFile(file, '');

    await expect(openArchiveFolder(file)).rejects.toMatchObject({ code: 'folder.unusable' });
    await expect(archiveFolderReader(file).list('archive/')).rejects.toMatchObject({
      code: 'folder.unusable',
    });
  });

  test('throws a FatalError if a file is in the place of an object', async () => {
    await mkdir(join(folder, key, '..'), { recursive: true });
    await writeFile(join(folder, key), '');

    await expect(archive.head(key)).rejects.toThrow(FatalError);
  });

  test('keeps a retrieved object readable for the requested days', async () => {
    const reader = archiveFolderReader(folder);
    await archive.put(key, { body: 'first', digest: 'd1', storageClass: 'GLACIER' }, undefined);
    await reader.retrieve(key, undefined, 2, 'Bulk');
    vi.useFakeTimers({ now: Date.now() + 2 * 86_400_000 - 60_000, toFake: ['Date'] });
    try {
      expect(await reader.details(key)).toMatchObject({ retrieval: 'readable' });
      vi.setSystemTime(Date.now() + 120_000);
      expect(await reader.details(key)).toMatchObject({ retrieval: 'needed' });
    } finally {
      vi.useRealTimers();
    }
  });

  test('leaves nothing of an object that was erased', async () => {
    await putBoth();
    await archive.erase(key, 1n);

    expect(await readdir(join(folder, key, '..'))).toEqual([]);
  });

  test('is read as its pages are asked for, and no body is read for that', async () => {
    const put = (name: string) =>
      archive.put(`archive/Order/${name}.json`, { body: 'body', digest: 'd1' }, undefined);
    for (const name of ['1/a', '2/a', '3/a', '4/a']) await put(name);
    const [all, read] = [vi.spyOn(Folder.prototype, 'names'), vi.spyOn(Folder.prototype, 'read')];
    const reader = archiveFolderReader(folder, 2);
    const pages: unknown[] = [];
    for (let from: string | undefined, first = true; first || from !== undefined; first = false) {
      const { versions, next } = await reader.list('archive/', from);
      pages.push(versions.map(({ objectKey, bytes }) => `${objectKey} ${bytes}`));
      from = next;
      if (first) await put('4/b');
    }
    const calls = [all.mock.calls.length, read.mock.calls.length];
    for (const spy of [all, read]) spy.mockRestore();

    const named = (...names: string[]) => names.map((name) => `archive/Order/${name}.json 4`);
    expect(pages).toEqual([named('1/a', '2/a'), named('3/a', '4/a'), named('4/b')]);
    expect(calls).toEqual([0, 0]);
  });

  test('lists its keys in their order, whatever the folders are called', async () => {
    const cutOff = 'a'.repeat(200);
    const names = ['a', 'a/b', 'a-', 'a.json', 'a.json.12', 'a%2F/b', 'b/a.json', 'b/a.json.5', 'b/a.json-/c']
      .concat([cutOff, `${cutOff}/b`, `${cutOff}-`, `${cutOff}b/c`, `${cutOff}${cutOff}-/c`])
      .map((name) => `archive/Order/${name}`);
    for (const name of names) await archive.put(name, { body: 'body', digest: 'd1' }, undefined);

    const listed = async (prefix: string) =>
      (await archiveFolderReader(folder).list(prefix)).versions.map(({ objectKey }) => objectKey);
    for (const prefix of ['', 'archive/', 'archive/Order/a', 'archive/Order/b/a.json', names[9] ?? ''])
      expect(await listed(prefix)).toEqual(names.filter((name) => name.startsWith(prefix)).sort());
  });

  test('goes on from a key of another listing', async () => {
    for (const number of [1, 2, 3])
      await archive.put(`archive/Order/${number}.json`, { body: 'body', digest: 'd1' }, undefined);
    const { versions } = await archiveFolderReader(folder, 2).list('archive/', 'archive/Order/1.json');

    expect(versions.map(({ objectKey }) => objectKey)).toEqual([
      'archive/Order/2.json',
      'archive/Order/3.json',
    ]);
  });

  test('reads no body to tell of an object', async () => {
    await putBoth();
    const read = vi.spyOn(Folder.prototype, 'read');
    const details = await archiveFolderReader(folder).details(key);
    const calls = read.mock.calls.length;
    read.mockRestore();

    expect([details?.storageClass, calls]).toEqual([expect.any(String), 0]);
  });

  test('lists objects, and nothing beside them', async () => {
    await putBoth();
    await folderNotes(folder).write('state/sweep.json', '{}');

    const { versions } = await archiveFolderReader(folder).list('');
    expect(versions.map(({ objectKey }) => objectKey)).toEqual([key, key]);
    expect((await archiveFolderReader(folder).list('metadata/')).versions).toEqual([]);
  });

  test.each([
    `archive/Order/${'%F0'.repeat(300)}/${'b'.repeat(240)}`,
    `archive/Order/${'a'.repeat(200)}00000001/b.json`,
    `archive/Order/${'a'.repeat(200)}..`,
  ])('cuts names that the file system does not hold: %s', async (long) => {
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

/** Changes the body of a version by hand. */
function damage(path: string): Promise<void> {
  return appendFile(path, 'by hand');
}

function md5(body: string): string {
  return createHash('md5').update(body).digest('hex');
}
