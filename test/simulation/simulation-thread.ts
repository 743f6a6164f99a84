import { workerData } from 'node:worker_threads';
import { noteCoverage } from './coverage.ts';

// What is loaded before is not seen.
const folder = new URL('../../src/worker/propagation/', import.meta.url).href;
const notRun = workerData?.notes === 'coverage' ? await noteCoverage(folder) : async () => ({});
const { runSeeds } = await import('../../src/simulator/summary.ts');
const { answerJobs } = await import('../../src/simulator/threads.ts');
const { scenario, smallWorldsOf } = await import('./scenario.ts');

answerJobs(
  async (range) => ({ ...(await runSeeds(scenario, range)), notRun: await notRun() }),
  smallWorldsOf(workerData?.quarter),
);
