import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { deadLetterFolder, deadLetterFolderReader } from '../../../src/dev/queue/dead-letter-folder.ts';
import { FatalError } from '../../../src/model/errors.ts';
import { describeDeadLetterReader } from '../../suites/dead-letter-reader.suite.ts';

const now = () => new Date().toISOString();

describeDeadLetterReader('the folder of `denorm dev`', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'dead-letters-'));
  const deadLetters = deadLetterFolder(folder);
  return {
    open: () => deadLetterFolderReader(folder),
    deadLetter: (deadLettered) => deadLetters.add({ kind: 'dead-lettered', at: now(), deadLettered }),
    bury: (body) => deadLetters.add({ kind: 'dead', at: now(), messageId: 'm', receiveCount: 5, body }),
    close: () => rm(folder, { recursive: true, force: true }),
  };
});

async function folder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'dead-letters-'));
  onTestFinished(() => rm(path, { recursive: true, force: true }));
  return path;
}

test('a file without a dead letter is listed as unreadable, with the time in its name', async () => {
  const path = await folder();
  await mkdir(join(path, 'dead-letters'));
  await writeFile(join(path, 'dead-letters', '2026-11-21T06-39-00-123Z_000001_dead.json'), '{');
  await writeFile(join(path, 'dead-letters', 'mine.json'), '{}');

  expect((await deadLetterFolderReader(path).look()).deadLetters).toEqual([
    {
      id: '2026-11-21T06-39-00-123Z_000001_dead.json',
      at: Date.UTC(2026, 10, 21, 6, 39, 0),
      content: { is: 'unreadable' },
    },
    { id: 'mine.json', at: 0, content: { is: 'unreadable' } },
  ]);
});

test('a dead letter that another process removed is not an error', async () => {
  const path = await folder();
  await deadLetterFolder(path).add({ kind: 'dead', at: now(), messageId: 'm', receiveCount: 5, body: '' });
  const [mine, other] = [deadLetterFolderReader(path), deadLetterFolderReader(path)];
  const { deadLetters } = await mine.look();
  await other.remove(deadLetters);

  await expect(mine.remove(deadLetters)).resolves.toBeUndefined();
});

test('a folder that cannot be read is reported', async () => {
  const path = await folder();
  await writeFile(join(path, 'file'), '');

  await expect(deadLetterFolderReader(join(path, 'file')).look()).rejects.toThrow(FatalError);
});
