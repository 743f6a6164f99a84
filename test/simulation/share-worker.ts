import { parentPort } from 'node:worker_threads';
import { playShare } from './play-share.ts';
import type { Share } from './summary.ts';

/** A thread that plays the seeds it is given. */
parentPort?.on('message', async (share: Share) => {
  parentPort?.postMessage(await playShare(share));
});
