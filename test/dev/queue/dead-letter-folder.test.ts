import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { deadLetterFolder, type FolderDeadLetter } from '../../../src/dev/queue/dead-letter-folder.ts';
import { FatalError } from '../../../src/model/errors.ts';
import { message } from '../../suites/queue-port.suite.ts';

const at = '2026-11-21T06:39:00.123Z';
const deadLettered: FolderDeadLetter = {
  kind: 'dead-lettered',
  at,
  deadLettered: { code: 'root.invalid', reason: 'Expected State', message: message('ORDER#1') },
};
const dead: FolderDeadLetter = { kind: 'dead', at, messageId: 'm1', receiveCount: 5, body: 'not JSON' };

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dead-letters-'));
});

afterEach(() => rm(folder, { recursive: true, force: true }));

describe('deadLetterFolder', () => {
  test('lists every added dead letter to any process, oldest first', async () => {
    const deadLetters = deadLetterFolder(folder);
    await deadLetters.add({ ...dead, at: '2026-11-21T06:39:01.000Z' });
    await deadLetters.add(deadLettered);
    await deadLetters.add(dead);

    const listed = await deadLetterFolder(folder).list();
    expect(listed.map(({ deadLetter }) => deadLetter)).toEqual([
      deadLettered,
      dead,
      { ...dead, at: '2026-11-21T06:39:01.000Z' },
    ]);
  });

  test('lists nothing if nothing was ever added', async () => {
    expect(await deadLetterFolder(join(folder, 'none')).list()).toEqual([]);
  });

  test('names a file by time, order, code and rule', async () => {
    await deadLetterFolder(folder).add(deadLettered);

    expect(await names()).toEqual([
      expect.stringMatching(
        /^2026-11-21T06-39-00-123Z_000001_root-invalid_username-on-memberships_[\da-f]{8}\.json$/,
      ),
    ]);
  });

  test('names a file safely, whatever the rule and the code are', async () => {
    const rule = `../../§\0${'x'.repeat(300)}`;
    await deadLetterFolder(folder).add({
      ...deadLettered,
      deadLettered: { code: '..', reason: '', message: { ...message('a'), rule } },
    });

    expect(await names()).toEqual([expect.stringMatching(/^[\w-]{20,150}\.json$/)]);
  });

  test('separates dead letters that several processes add at the same moment', async () => {
    const processes = Array.from({ length: 5 }, () => deadLetterFolder(folder));
    await Promise.all(processes.map((deadLetters) => deadLetters.add(dead)));

    expect(await names()).toHaveLength(5);
  });

  test('lists a file without a dead letter as unreadable', async () => {
    await deadLetterFolder(folder).add(dead);
    await writeFile(join(folder, 'dead-letters', 'a.json'), '{');
    await writeFile(join(folder, 'dead-letters', 'b.json'), '{}');
    await writeFile(join(folder, 'dead-letters', 'notes.txt'), 'mine');

    const listed = await deadLetterFolder(folder).list();
    expect(listed.map(({ deadLetter }) => deadLetter)).toEqual([dead, undefined, undefined]);
  });

  test('reports that it cannot be written', async () => {
    await writeFile(join(folder, 'file'), '');
    const deadLetters = deadLetterFolder(join(folder, 'file'));

    await expect(deadLetters.add(dead)).rejects.toThrow(FatalError);
    await expect(deadLetters.list()).rejects.toThrow(FatalError);
  });

  test('does not list an unfinished file', async () => {
    await mkdir(join(folder, 'dead-letters', '.in-progress'), { recursive: true });
    await writeFile(join(folder, 'dead-letters', '.in-progress', 'half.json'), '{');

    expect(await deadLetterFolder(folder).list()).toEqual([]);
  });
});

async function names(): Promise<string[]> {
  const entries = await readdir(join(folder, 'dead-letters'), { withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map(({ name }) => name);
}
