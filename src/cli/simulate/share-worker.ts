/** A thread that plays the seeds it is given, on the rules of a project. */
import { parentPort, workerData } from 'node:worker_threads';
import { projectOf } from '../../develop/testing/simulation/project.ts';
import { projectScenario } from '../../develop/testing/simulation/scenario.ts';
import { playShare, type Share } from '../../develop/testing/simulation/summary.ts';
import type { RuleSettings } from '../../model/config.ts';
import { loadProject } from '../project.ts';

// The parent is the command beside this file.
const { file, settings } = workerData as { readonly file: string; readonly settings: RuleSettings };
const { config } = await loadProject(file);
const scenario = projectScenario(projectOf(config.registry(settings)).project);

parentPort?.on('message', async (share: Share) => {
  parentPort?.postMessage(await playShare(scenario, share));
});
