/** A thread that plays the seeds it is given, on the rules of a project. */
import { parentPort, workerData } from 'node:worker_threads';
import { answerExplored } from '../../develop/testing/simulation/exhaustive/answer.ts';
import type { ExploreAsked } from '../../develop/testing/simulation/exhaustive/explore-on-threads.ts';
import { smallWorlds } from '../../develop/testing/simulation/exhaustive/small-worlds.ts';
import { projectOf } from '../../develop/testing/simulation/project.ts';
import { projectScenario } from '../../develop/testing/simulation/scenario.ts';
import { runSeeds, type SeedRange } from '../../develop/testing/simulation/summary.ts';
import type { RuleSettings } from '../../model/config.ts';
import { loadProject } from '../project.ts';

// The parent is the command beside this file.
const { file, settings } = workerData as { readonly file: string; readonly settings: RuleSettings };
const { config } = await loadProject(file);
const { project: projectFound } = projectOf(config.registry(settings));
const scenario = projectScenario(projectFound);

const worlds = smallWorlds(projectFound);

parentPort?.on('message', async (asked: SeedRange | ExploreAsked) => {
  if (parentPort === null) return;
  if ('explore' in asked) await answerExplored(parentPort, worlds, asked.explore);
  else parentPort.postMessage(await runSeeds(scenario, asked));
});
