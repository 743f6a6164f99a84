import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { openArchiveFolder } from '../../../src/dev/archive-folder/archive-folder.ts';
import { whileLocked } from '../../../src/dev/archive-folder/lock.ts';
import { pathsOf } from '../../../src/dev/archive-folder/paths.ts';

const counter = fileURLToPath(new URL('archive-folder-counter.ts', import.meta.url));
const key = 'archive/Order/ORDER%231/METADATA.json';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'archive-processes-'));
});

afterEach(async () => {
  vi.restoreAllMocks();
  await rm(folder, { recursive: true, force: true });
});

describe('an archive folder that several processes have open', () => {
  test('loses no put', async () => {
    await Promise.all([ended(count(12)), ended(count(12)), ended(count(12))]);

    expect(await standing()).toBe('36');
    expect(await readdir(pathsOf(folder, key).versions)).toHaveLength(35);
  });

  test('holds an object whole with its own digest, and takes the next put, whenever a process is killed', async () => {
    for (let round = 1; round <= 6; round += 1) {
      const process = count(10_000);
      await once(process.stdout, 'data');
      const before = await standing();
      await vi.waitUntil(async () => (await standing()) !== before, { timeout: 10_000, interval: 3 + round });
      process.kill('SIGKILL');
      await once(process, 'exit');

      const archive = await openArchiveFolder(folder);
      const seen = await archive.head(key);
      expect(seen?.digest).toBe(await standing());
      expect(await archive.put(key, { body: `${round}00000\n`, digest: `${round}00000` }, seen?.etag)).toBe(
        true,
      );
    }
    const numbers = (await readdir(pathsOf(folder, key).versions))
      .sort()
      .map((name) => Number(name.slice(0, 8)));
    expect(numbers).toEqual(numbers.map((_, index) => index + 1));
  });
});

describe('whileLocked', () => {
  const nobody = 2 ** 22 + 1;

  test.each([
    ['by a process that is gone', holder({ pid: nobody }), 0],
    ['by an earlier process of the same number', holder({ pid: process.pid }), 0],
    ['by nobody, two seconds ago', '', 2_100],
    ['on another machine, a minute ago', holder({ host: 'elsewhere' }), 60_100],
  ])('takes over a lock that was held %s', async (_, text, age) => {
    const lock = await lockWith(text, age);

    expect(await whileLocked(lock, async () => 'done')).toBe('done');
    expect(await readdir(folder)).toEqual([]);
  });

  test('takes over the lock of a process that was killed while it took over', async () => {
    const lock = await lockWith(holder({ pid: nobody }), 0);
    await writeFile(`${lock}.takeover`, holder({ pid: nobody }));

    expect(await whileLocked(lock, async () => 'done')).toBe('done');
    expect(await readdir(folder)).toEqual([]);
  });

  test('leaves a lock alone that another has taken over and given on meanwhile', async () => {
    const lock = await lockWith(holder({ pid: nobody }), 0);
    await writeFile(`${lock}.takeover`, holder({ pid: process.ppid }));
    const entering = track(whileLocked(lock, async () => 'done'));
    await severalLooks();

    const third = holder({ pid: process.ppid });
    await writeFile(lock, third);
    await rm(`${lock}.takeover`);
    await severalLooks();
    expect(entering.done).toBe(false);
    expect(await readFile(lock, 'utf8')).toBe(third);

    await rm(lock);
    await entering.end;
  });

  test('is held by one at a time where many find it abandoned', async () => {
    const lock = await lockWith(holder({ pid: nobody }), 0);
    let holding = 0;
    let most = 0;
    await Promise.all(
      Array.from({ length: 20 }, () =>
        whileLocked(lock, async () => {
          holding += 1;
          most = Math.max(most, holding);
          await readdir(folder);
          holding -= 1;
        }),
      ),
    );

    expect(most).toBe(1);
  });

  test.each([
    ['by a process that runs', holder({ pid: process.ppid }), 1_000_000],
    ['by nobody, a moment ago', '', 0],
    ['on another machine, a moment ago', holder({ host: 'elsewhere' }), 0],
  ])('waits for a lock that is held %s', async (_, text, age) => {
    const lock = await lockWith(text, age);
    const entering = track(whileLocked(lock, async () => 'done'));
    await severalLooks();
    expect(entering.done).toBe(false);

    await rm(lock);
    await entering.end;
    expect(entering.done).toBe(true);
  });

  test('gives up in time, and says what to do', async () => {
    const lock = await lockWith(holder({ pid: process.ppid }), 0);
    vi.spyOn(Date, 'now').mockReturnValueOnce(Date.now() - 60_000);

    await expect(whileLocked(lock, async () => 'done')).rejects.toMatchObject({
      name: 'TransientError',
      code: 'folder.locked',
      message: expect.stringContaining(`process ${process.ppid} holds ${lock}`),
    });
  });

  test('is free again after work that throws', async () => {
    const lock = join(folder, 'a.lock');
    const failing = whileLocked(lock, async () => {
      throw new Error('no');
    });

    await expect(failing).rejects.toThrow('no');
    expect(await whileLocked(lock, async () => 'done')).toBe('done');
  });
});

/** Lets whoever waits for a lock look at it several times: it does so every ten milliseconds at the latest. */
async function severalLooks(): Promise<void> {
  const until = performance.now() + 40;
  await vi.waitUntil(() => performance.now() > until, { interval: 5 });
}

function track(end: Promise<unknown>): { done: boolean; readonly end: Promise<void> } {
  const state = {
    done: false,
    end: end.then(() => {
      state.done = true;
    }),
  };
  return state;
}

function holder(of: { readonly pid?: number; readonly host?: string }): string {
  return JSON.stringify({ host: hostname(), pid: 1, process: 'another', hold: 'this', ...of });
}

async function lockWith(text: string, age: number): Promise<string> {
  await mkdir(folder, { recursive: true });
  const lock = join(folder, 'a.lock');
  await writeFile(lock, text);
  const since = new Date(Date.now() - age);
  await utimes(lock, since, since);
  return lock;
}

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

/** What the object's body says, or nothing where there is none. */
async function standing(): Promise<string | undefined> {
  try {
    return (await readFile(pathsOf(folder, key).object, 'utf8')).split('\n')[0];
  } catch {
    return undefined;
  }
}
