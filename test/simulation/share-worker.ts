import { parentPort } from 'node:worker_threads';
import type { Share } from '../../src/develop/testing/simulation/summary.ts';
import { playShare } from './run.ts';

/** A thread that plays the seeds it is given. */
parentPort?.on('message', async (share: Share) => {
  parentPort?.postMessage(await playShare(share));
});
