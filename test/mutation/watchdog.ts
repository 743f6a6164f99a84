import { Worker } from 'node:worker_threads';

/** How long after its time a case is ended from outside, in milliseconds: until then it may end by itself. */
const grace = 1_000;

const thread = `
  const { workerData: deadline } = require('node:worker_threads');
  const parent = process.ppid;
  setInterval(() => {
    const late = deadline[0] > 0 && Date.now() > deadline[0];
    if (late || process.ppid !== parent) process.kill(process.pid, 'SIGKILL');
  }, 250);`;

const deadline = new Float64Array(new SharedArrayBuffer(8));

/**
 * Ends this process when its parent is gone, or when a case goes on beyond its time: a loop without end hears of neither,
 * and a thread of its own does.
 */
export function watch(): void {
  new Worker(thread, { eval: true, workerData: deadline }).unref();
}

/** From now on, this process has so many milliseconds until the next call. */
export function allow(milliseconds: number): void {
  deadline[0] = Date.now() + milliseconds + grace;
}

/** From now on, it has all the time that it likes. */
export function allowAny(): void {
  deadline[0] = 0;
}
