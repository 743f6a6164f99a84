import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { Folder } from '../../src/dev/folder.ts';
import { FatalError } from '../../src/model/basics/errors.ts';
import { newFolder } from '../suites/new-folder.ts';

let path: string;
let folder: Folder;

beforeEach(() => {
  path = newFolder();
  folder = new Folder(join(path, 'below'));
});

test('a folder keeps files by their names, which may have slashes', async () => {
  await folder.write('b/c.json', 'first');
  await folder.write('b/c.json', 'second');
  await folder.write('a', Buffer.from([0, 255]));

  expect(await folder.names()).toEqual(['a', 'b/c.json']);
  expect(await folder.names('b')).toEqual(['b/c.json']);
  expect((await folder.read('b/c.json'))?.toString()).toBe('second');
  expect(await folder.read('a')).toEqual(Buffer.from([0, 255]));
  expect((await readdir(join(path, 'below'), { recursive: true })).sort()).toEqual(['a', 'b', 'b/c.json']);
});

test('a folder that does not exist has no files', async () => {
  expect(await folder.names()).toEqual([]);
  expect(await folder.read('a')).toBeUndefined();
  await folder.remove('a');
});

test('a file that is being written is not listed', async () => {
  await mkdir(join(path, 'below'));
  await writeFile(join(path, 'below/half.tmp'), '{');

  expect(await folder.names()).toEqual([]);
});

test('one of several files of the same name is added, and none replaces it', async () => {
  const added = await Promise.all(['a', 'b', 'c'].map((body) => folder.add('name', body)));

  expect(added.filter(Boolean)).toHaveLength(1);
  expect(await folder.add('name', 'd')).toBe(false);
  expect(await folder.names()).toEqual(['name']);
});

test('a folder is removed if it is empty, and not before', async () => {
  await folder.write('b/c', '');
  await folder.removeEmpty('b');
  expect(await folder.names()).toEqual(['b/c']);

  await folder.remove('b/c');
  await folder.removeEmpty('b');
  expect(await readdir(join(path, 'below'))).toEqual([]);
});

test('what the file system refuses is reported in one sentence', async () => {
  await writeFile(join(path, 'below'), '');

  const works = [folder.names(), folder.read('a'), folder.write('a', ''), folder.add('a', '')];
  // All at once: one that fails while another is awaited would be a rejection that nobody handles.
  for (const error of await Promise.all(works.map((work) => work.catch((thrown: unknown) => thrown)))) {
    expect(error).toBeInstanceOf(FatalError);
    expect(error).toMatchObject({
      code: 'folder.unusable',
      message: expect.stringMatching(/^Cannot \w.+ '.+below': a (part of that path is a )?file/),
    });
  }
});
