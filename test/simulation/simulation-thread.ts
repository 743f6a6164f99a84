import { parentPort } from 'node:worker_threads';
import { answerExplored } from '../../src/develop/testing/simulation/exhaustive/answer.ts';
import type { ExploreAsked } from '../../src/develop/testing/simulation/exhaustive/explore-on-threads.ts';
import { runSeeds, type SeedRange } from '../../src/develop/testing/simulation/summary.ts';
import { allSmallWorlds, scenario } from './scenario.ts';

/** A thread that plays the seeds it is given. */
parentPort?.on('message', async (asked: SeedRange | ExploreAsked) => {
  if (parentPort === null) return;
  if ('explore' in asked) await answerExplored(parentPort, allSmallWorlds, asked.explore);
  else parentPort.postMessage(await runSeeds(scenario, asked));
});
