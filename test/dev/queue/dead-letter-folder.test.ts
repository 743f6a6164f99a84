import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { deadLetterFolder } from '../../../src/dev/queue/dead-letter-folder.ts';
import { readDeadLetter } from '../../../src/operate/dead-letters/dead-letters.ts';
import { describeDeadLetterReader, lookAt } from '../../suites/dead-letter-reader.suite.ts';
import { newFolder } from '../../suites/new-folder.ts';
import { message } from '../../suites/queue-port.suite.ts';

const at = Date.parse('2026-11-21T06:39:00.123Z');
const deadLettered = { code: 'root.invalid', reason: 'Expected State', message: message('ORDER#1') };

let folder: string;

beforeEach(() => {
  folder = newFolder();
});

describeDeadLetterReader('the folder of `denorm dev`', async () => {
  const deadLetters = deadLetterFolder(folder);
  return {
    open: () => deadLetterFolder(folder),
    deadLetter: (one) => deadLetters.deadLetter([one]),
    bury: (body) => deadLetters.add(body),
    close: async () => {},
  };
});

const names = () => readdir(join(folder, 'dead-letters'));

describe('a folder of dead letters', () => {
  test('lists what any process has added, oldest first, with the time', async () => {
    await deadLetterFolder(folder).add('not JSON', at + 877);
    await deadLetterFolder(folder).add(JSON.stringify(deadLettered), at);

    const { deadLetters } = await lookAt(deadLetterFolder(folder));
    expect(deadLetters).toMatchObject([
      { at, ...deadLettered },
      { at: at + 877, code: 'dead-letter.unreadable' },
    ]);
  });

  test('names a file by time, order, code and rule', async () => {
    await deadLetterFolder(folder).add(JSON.stringify(deadLettered), at);

    expect(await names()).toEqual([
      expect.stringMatching(
        /^2026-11-21T06-39-00-123Z_000001_root-invalid_username-on-memberships_[\da-f]{8}\.json$/,
      ),
    ]);
  });

  test('names a file safely, whatever the rule and the code are', async () => {
    const rule = `../../§\0${'x'.repeat(300)}`;
    const hostile = { code: '..', reason: '', message: { ...message('a'), rule } };
    await deadLetterFolder(folder).deadLetter([hostile]);

    expect(await names()).toEqual([expect.stringMatching(/^[\w-]{20,150}\.json$/)]);
  });

  test('separates dead letters that several processes add at the same moment', async () => {
    await Promise.all(Array.from({ length: 5 }, () => deadLetterFolder(folder).add('{}', at)));

    expect(await names()).toHaveLength(5);
  });

  test('lists a file that a person has put there, and leaves out what is no JSON file', async () => {
    await deadLetterFolder(folder).add('{}', at);
    await writeFile(join(folder, 'dead-letters', 'mine.json'), '{}');
    await writeFile(join(folder, 'dead-letters', 'notes.txt'), 'mine');

    expect((await lookAt(deadLetterFolder(folder))).deadLetters.slice(1)).toEqual([
      { id: 'mine.json', at: 0, ...readDeadLetter('') },
    ]);
  });
});
