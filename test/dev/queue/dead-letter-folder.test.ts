import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Unworkable } from '../../../src/model/errors.ts';
import { type DeadLetter, deadLetterFolder } from '../../../src/dev/queue/dead-letter-folder.ts';
import { message } from '../../suites/queue-port.suite.ts';

const at = '2026-11-21T06:39:00.123Z';
const parked: DeadLetter = {
  kind: 'parked',
  at,
  parked: { code: 'root.unprojectable', reason: 'Expected State', message: message('ORDER#1') },
};
const dead: DeadLetter = { kind: 'dead', at, messageId: 'm1', receiveCount: 5, body: 'not JSON' };

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dead-letters-'));
});

afterEach(() => rm(folder, { recursive: true, force: true }));

describe('deadLetterFolder', () => {
  test('lists what was added, oldest first, to any process', async () => {
    const letters = deadLetterFolder(folder);
    await letters.add({ ...dead, at: '2026-11-21T06:39:01.000Z' });
    await letters.add(parked);
    await letters.add(dead);

    const listed = await deadLetterFolder(folder).list();
    expect(listed.map(({ letter }) => letter)).toEqual([
      parked,
      dead,
      { ...dead, at: '2026-11-21T06:39:01.000Z' },
    ]);
  });

  test('lists nothing where nothing was ever added', async () => {
    expect(await deadLetterFolder(join(folder, 'none')).list()).toEqual([]);
  });

  test('names a file by time, order, code and rule', async () => {
    await deadLetterFolder(folder).add(parked);

    expect(await names()).toEqual([
      expect.stringMatching(
        /^2026-11-21T06-39-00-123Z_000001_root-unprojectable_username-on-memberships_[\da-f]{8}\.json$/,
      ),
    ]);
  });

  test('names a file safely, whatever the rule and the code are', async () => {
    const rule = `../../§\0${'x'.repeat(300)}`;
    await deadLetterFolder(folder).add({
      ...parked,
      parked: { code: '..', reason: '', message: { ...message('a'), rule } },
    });

    expect(await names()).toEqual([expect.stringMatching(/^[\w-]{20,150}\.json$/)]);
  });

  test('keeps apart what several processes add at the same moment', async () => {
    const processes = Array.from({ length: 5 }, () => deadLetterFolder(folder));
    await Promise.all(processes.map((letters) => letters.add(dead)));

    expect(await names()).toHaveLength(5);
  });

  test('lists a file that holds no letter as such', async () => {
    await deadLetterFolder(folder).add(dead);
    await writeFile(join(folder, 'dead-letters', 'a.json'), '{');
    await writeFile(join(folder, 'dead-letters', 'b.json'), '{}');
    await writeFile(join(folder, 'dead-letters', 'notes.txt'), 'mine');

    const listed = await deadLetterFolder(folder).list();
    expect(listed.map(({ letter }) => letter)).toEqual([dead, undefined, undefined]);
  });

  test('says that it cannot be written to', async () => {
    await writeFile(join(folder, 'file'), '');
    const letters = deadLetterFolder(join(folder, 'file'));

    await expect(letters.add(dead)).rejects.toThrow(Unworkable);
    await expect(letters.list()).rejects.toThrow(Unworkable);
  });

  test('is no list of what is being written', async () => {
    await mkdir(join(folder, 'dead-letters', '.in-progress'), { recursive: true });
    await writeFile(join(folder, 'dead-letters', '.in-progress', 'half.json'), '{');

    expect(await deadLetterFolder(folder).list()).toEqual([]);
  });
});

async function names(): Promise<string[]> {
  const entries = await readdir(join(folder, 'dead-letters'), { withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map(({ name }) => name);
}
