/**
 * A lock between processes: a file that only one of them can create. One that a killed process left behind is taken
 * over:
 *
 *   free ──created──> held ──removed by its holder──> free
 *                      │                               ^
 *                      └─holder gone─> abandoned ──────┘ removed by whoever holds the lock's own lock,
 *                                                        and finds it as it was when it was seen to be abandoned
 *
 * So no two processes remove it one after the other, the second one removing what a third has just created. Whoever
 * dies in between leaves that second lock behind, which is taken over likewise.
 */
import { randomUUID } from 'node:crypto';
import { readFile, rm, stat, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { dirname } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import * as z from 'zod';
import { TransientError } from '../../model/errors.ts';
import { codeOf, makeFolder } from './files.ts';

/** How long to wait for a lock, in milliseconds. It is held for as long as two files take to be written. */
const maxWait = 10_000;

/** After how many milliseconds a lock is abandoned whose holder cannot be asked: it runs, or ran, on another machine. */
const maxUnknown = 60_000;

/** The same for a lock that does not say whose it is: its holder was killed before it wrote that. */
const maxNameless = 2_000;

const holderSchema = z.object({ host: z.string(), pid: z.int(), process: z.string(), hold: z.string() });

type Holder = z.output<typeof holderSchema>;

/** Tells this process from an earlier one that had its number, as in a container that is started again. */
const thisProcess = randomUUID();

/**
 * Does the work while nobody else holds this lock, in this process or another.
 * @throws TransientError `folder.locked` where its holder does not give it up within ten seconds
 */
export async function whileLocked<Result>(lock: string, work: () => Promise<Result>): Promise<Result> {
  await makeFolder(dirname(lock));
  await acquire(lock, Date.now() + maxWait);
  try {
    return await work();
  } finally {
    await rm(lock, { force: true });
  }
}

async function acquire(lock: string, deadline: number): Promise<void> {
  while (!(await created(lock))) {
    const seen = await snapshot(lock);
    if (seen !== undefined && isAbandoned(seen)) await takeOver(lock, seen, deadline);
    else if (Date.now() < deadline) await wait(1 + Math.random() * 9);
    else
      throw new TransientError(
        'folder.locked',
        `Cannot put an object: ${seen?.holder ? `process ${seen.holder.pid}` : 'a process'} holds ${lock}. ` +
          'Where no such process works on this folder, delete that file',
      );
  }
}

async function created(lock: string): Promise<boolean> {
  const holder: Holder = { host: hostname(), pid: process.pid, process: thisProcess, hold: randomUUID() };
  try {
    await writeFile(lock, JSON.stringify(holder), { flag: 'wx' });
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  }
}

async function takeOver(lock: string, seen: RootSnapshot, deadline: number): Promise<void> {
  const lockOfLock = `${lock}.takeover`;
  await acquire(lockOfLock, deadline);
  try {
    const now = await snapshot(lock);
    if (now?.text === seen.text && now.since === seen.since) await rm(lock, { force: true });
  } finally {
    await rm(lockOfLock, { force: true });
  }
}

interface RootSnapshot {
  readonly text: string;
  /** When it was created, in epoch milliseconds. */
  readonly since: number;
  readonly holder: Holder | undefined;
}

async function snapshot(lock: string): Promise<RootSnapshot | undefined> {
  try {
    const { mtimeMs } = await stat(lock);
    const text = await readFile(lock, 'utf8');
    return { text, since: mtimeMs, holder: holderOf(text) };
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

function holderOf(text: string): Holder | undefined {
  try {
    return holderSchema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

function isAbandoned({ holder, since }: RootSnapshot): boolean {
  const age = Date.now() - since;
  if (holder === undefined) return age > maxNameless;
  if (holder.host !== hostname()) return age > maxUnknown;
  if (holder.pid === process.pid) return holder.process !== thisProcess;
  return !isRunning(holder.pid);
}

/** Whether there is a process of this number: signal 0 is delivered to nobody, and refused where there is one of another user. */
function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return codeOf(error) === 'EPERM';
  }
}
