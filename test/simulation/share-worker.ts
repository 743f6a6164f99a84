import { parentPort } from 'node:worker_threads';
import { playShare, type Share } from '../../src/develop/testing/simulation/summary.ts';
import { scenario } from './scenario.ts';

/** A thread that plays the seeds it is given. */
parentPort?.on('message', async (share: Share) => {
  parentPort?.postMessage(await playShare(scenario, share));
});
