import { Worker } from 'node:worker_threads';

/** How long after its time a test is ended from outside, in milliseconds: until then it may end by itself. */
const grace = 1_000;

const thread = `
  const { workerData: deadline } = require('node:worker_threads');
  const parent = process.ppid;
  setInterval(() => {
    const late = deadline[0] > 0 && Date.now() > deadline[0];
    if (late || process.ppid !== parent) process.kill(process.pid, 'SIGKILL');
  }, 250);`;

const deadline = new Float64Array(new SharedArrayBuffer(8));

/** Ends this process when its parent has ended, or a test goes on beyond its time: a loop without end hears of neither. */
export function endWithParent(): void {
  new Worker(thread, { eval: true, workerData: deadline }).unref();
}

/** A test or a seed of the simulator. It throws if it fails. */
export interface TestCase {
  readonly name: string;
  run(): Promise<unknown>;
}

/** Why a test failed, and whether it was given up: then some of it may still go on. */
export interface Failure {
  readonly reason: string;
  readonly timedOut: boolean;
}

/** Runs a test for at most so many milliseconds. Undefined if it passes. */
export async function runWithin(test: TestCase, milliseconds: number): Promise<Failure | undefined> {
  const { promise: late, resolve } = Promise.withResolvers<'late'>();
  const timer = setTimeout(() => resolve('late'), milliseconds);
  deadline[0] = Date.now() + milliseconds + grace;
  try {
    const ended = await Promise.race([test.run(), late]);
    return ended === 'late' ? { reason: 'it does not end', timedOut: true } : undefined;
  } catch (error) {
    return { reason: firstLine(error), timedOut: false };
  } finally {
    deadline[0] = 0;
    clearTimeout(timer);
  }
}

/** The first line of what was thrown. */
export function firstLine(error: unknown): string {
  return String(error).split('\n')[0] ?? '';
}
