import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { openArchiveFolder } from '../../../../src/develop/dev/archive-folder/archive-folder.ts';
import { pathOf } from '../../../../src/develop/dev/archive-folder/paths.ts';
import { newFolder } from '../../../suites/new-folder.ts';

const counter = fileURLToPath(new URL('archive-folder-counter.ts', import.meta.url));
const key = 'archive/Order/ORDER%231/METADATA.json';

let folder: string;

beforeEach(() => {
  folder = newFolder();
});

describe('an archive folder that several processes use', () => {
  test('loses no put', async () => {
    await Promise.all([ended(count(12)), ended(count(12)), ended(count(12))]);

    expect(await latest()).toBe('36');
    expect(await readdir(pathOf(folder, key))).toHaveLength(36);
  });

  test('keeps whole versions, and accepts the next put, whenever a process is killed', async () => {
    for (let round = 1; round <= 6; round += 1) {
      const process = count(10_000);
      await once(process.stdout, 'data');
      const before = await latest();
      await vi.waitUntil(async () => (await latest()) !== before, { timeout: 10_000, interval: 3 + round });
      process.kill('SIGKILL');
      await once(process, 'exit');

      const archive = await openArchiveFolder(folder);
      const seen = await archive.head(key);
      expect(seen?.digest).toBe(await latest());
      expect(await archive.put(key, { body: `${round}00000\n`, digest: `${round}00000` }, seen?.etag)).toBe(
        true,
      );
    }
    const versions = (await readdir(pathOf(folder, key))).sort();
    expect(versions).toEqual(versions.map((_, index) => `@${String(index + 1).padStart(8, '0')}`));
  });
});

function count(times: number): ChildProcessByStdio<null, Readable, null> {
  return spawn(process.execPath, [counter, folder, key, String(times)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

async function ended(child: ChildProcessByStdio<null, Readable, null>): Promise<void> {
  child.stdout.resume();
  const [code] = await once(child, 'exit');
  expect(code).toBe(0);
}

/** The first line of the object's body; undefined if there is no object. */
async function latest(): Promise<string | undefined> {
  try {
    const path = pathOf(folder, key);
    const version = (await readdir(path)).sort().at(-1) ?? '';
    return (await readFile(join(path, version, 'body'), 'utf8')).split('\n')[0];
  } catch {
    return undefined;
  }
}
