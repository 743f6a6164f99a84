import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { resumePath, resumePoint } from '../../../src/cli/drift/resume-point.ts';
import { newFolder } from '../../suites/new-folder.ts';

const schema = z.object({ done: z.number(), keys: z.array(z.string()) });
const state = { done: 3, keys: ['a§', 'b'] };
const identity = { table: 'orders', rules: 'abc' };

describe('a resume file', () => {
  test('returns the last saved point to any process', async () => {
    const path = join(newFolder(), 'below/other/point.json');
    const file = resumePoint(path, schema, identity);
    await file.keepNow({ ...state, done: 1 });
    await file.keepNow(state);

    expect(await resumePoint(path, schema, identity).load()).toEqual(state);
    expect(await readdir(join(path, '..'))).toEqual(['point.json']);
  });

  test('reports that there is no point before the first save and after the end', async () => {
    const path = join(newFolder(), 'point.json');
    const file = resumePoint(path, schema, identity);
    const none = {
      code: 'usage.resume',
      message: expect.stringContaining(`a resume point in ${path}, found none`),
    };

    await expect(file.load()).rejects.toMatchObject(none);
    await file.keepNow(state);
    await file.clear();
    await file.clear();
    await expect(file.load()).rejects.toMatchObject(none);
  });

  test.each([
    [{ table: 'customers', rules: 'abc' }, 'table was orders then and is customers now'],
    [{ table: 'orders' }, 'rules was abc then and is none now'],
    [{ ...identity, rcu: '10' }, 'rcu was none then and is 10 now'],
  ])('is not used for other work: %o', async (other, says) => {
    const path = join(newFolder(), 'point.json');
    await resumePoint(path, schema, identity).keepNow(state);

    await expect(resumePoint(path, schema, other).load()).rejects.toMatchObject({
      code: 'usage.resume',
      message: expect.stringContaining(says),
    });
  });

  test.each(['', '{', '{"identity": {}, "state": {}}', '{"identity": {"table": 1}}', 'null'])(
    'is reported as invalid if it contains %j',
    async (text) => {
      const path = join(newFolder(), 'point.json');
      await writeFile(path, text);

      await expect(resumePoint(path, schema, identity).load()).rejects.toMatchObject({
        code: 'usage.resume',
        message: expect.stringContaining('found something else: delete it'),
      });
    },
  );

  test('reports that it cannot be saved, and keeps the point before', async () => {
    const cwd = newFolder();
    await writeFile(join(cwd, 'file'), '');
    const file = resumePoint(join(cwd, 'file/point.json'), schema, identity);

    await expect(file.keepNow(state)).rejects.toMatchObject({ code: 'folder.unusable' });
    expect(await readFile(join(cwd, 'file'), 'utf8')).toBe('');
    await mkdir(join(cwd, 'point.json'));
    await expect(resumePoint(join(cwd, 'point.json'), schema, identity).load()).rejects.toMatchObject({
      code: 'folder.unusable',
    });
  });
});

test('resumePath differs for each command and table, whatever the table is called', () => {
  expect(resumePath('.denorm', 'verify', 'orders-1.a_b')).toBe('.denorm/verify-orders-1.a_b.resume.json');
  expect(resumePath('.denorm', 'repair', '../a/b')).toBe('.denorm/repair-..-a-b.resume.json');
});
