import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import {
  deadLetterFolder,
  deadLetterFolderReader,
  type FolderDeadLetter,
} from '../../../../src/develop/dev/queue/dead-letter-folder.ts';
import { FatalError } from '../../../../src/model/errors.ts';
import { describeDeadLetterReader } from '../../../suites/dead-letter-reader.suite.ts';
import { newFolder } from '../../../suites/new-folder.ts';
import { message } from '../../../suites/queue-port.suite.ts';

const at = '2026-11-21T06:39:00.123Z';
const deadLettered: FolderDeadLetter = {
  kind: 'dead-lettered',
  at,
  deadLettered: { code: 'root.invalid', reason: 'Expected State', message: message('ORDER#1') },
};
const dead: FolderDeadLetter = { kind: 'dead', at, messageId: 'm1', receiveCount: 5, body: 'not JSON' };

let folder: string;

beforeEach(() => {
  folder = newFolder();
});

describeDeadLetterReader('the folder of `denorm dev`', async () => {
  const deadLetters = deadLetterFolder(folder);
  const now = () => new Date().toISOString();
  return {
    open: () => deadLetterFolderReader(folder),
    deadLetter: (deadLettered) => deadLetters.add({ kind: 'dead-lettered', at: now(), deadLettered }),
    bury: (body) => deadLetters.add({ ...dead, at: now(), body }),
    close: async () => {},
  };
});

describe('a folder of dead letters', () => {
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

  test('lists a file without a dead letter as unreadable, with the time in its name', async () => {
    const [dated, undated] = ['2026-11-21T06-39-00-123Z_000001_dead.json', 'mine.json'] as const;
    const valid = { ...dead, at: '2025-01-01T00:00:00.000Z' };
    await deadLetterFolder(folder).add(valid);
    await writeFile(join(folder, 'dead-letters', dated), '{');
    await writeFile(join(folder, 'dead-letters', undated), '{}');
    await writeFile(join(folder, 'dead-letters', 'notes.txt'), 'mine');

    expect((await deadLetterFolder(folder).list()).map(({ deadLetter }) => deadLetter)).toEqual([
      valid,
      undefined,
      undefined,
    ]);
    expect((await deadLetterFolderReader(folder).look()).deadLetters.slice(1)).toEqual([
      { id: dated, at: Date.UTC(2026, 10, 21, 6, 39, 0), content: { is: 'unreadable' } },
      { id: undated, at: 0, content: { is: 'unreadable' } },
    ]);
  });

  test('does not list an unfinished file', async () => {
    await mkdir(join(folder, 'dead-letters', '.in-progress'), { recursive: true });
    await writeFile(join(folder, 'dead-letters', '.in-progress', 'half.json'), '{');

    expect(await deadLetterFolder(folder).list()).toEqual([]);
  });

  test('ignores that another process has removed a dead letter', async () => {
    await deadLetterFolder(folder).add(dead);
    const [mine, other] = [deadLetterFolderReader(folder), deadLetterFolderReader(folder)];
    const { deadLetters } = await mine.look();
    await other.remove(deadLetters);

    await expect(mine.remove(deadLetters)).resolves.toBeUndefined();
  });

  test('reports that it can be neither written nor read', async () => {
    await writeFile(join(folder, 'file'), '');
    const deadLetters = deadLetterFolder(join(folder, 'file'));

    await expect(deadLetters.add(dead)).rejects.toThrow(FatalError);
    await expect(deadLetters.list()).rejects.toThrow(FatalError);
    await expect(deadLetterFolderReader(join(folder, 'file')).look()).rejects.toThrow(FatalError);
  });
});

async function names(): Promise<string[]> {
  const entries = await readdir(join(folder, 'dead-letters'), { withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map(({ name }) => name);
}
