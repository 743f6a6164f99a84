/** A thread that simulates the rules of a project. */
import { workerData } from 'node:worker_threads';
import { projectOf } from '../../develop/examples/project-examples.ts';
import { smallWorlds } from '../../develop/testing/simulation/exhaustive/small-worlds.ts';
import { projectScenario } from '../../develop/testing/simulation/scenario.ts';
import { runSeeds } from '../../develop/testing/simulation/summary.ts';
import { answerJobs } from '../../develop/testing/simulation/threads.ts';
import type { RuleSettings } from '../../model/config.ts';
import { loadProject } from '../project.ts';

// The parent is the command beside this file.
const { file, settings } = workerData as { readonly file: string; readonly settings: RuleSettings };
const { config } = await loadProject(file);
const { project } = projectOf(config.registry(settings));
const scenario = projectScenario(project);
answerJobs((range) => runSeeds(scenario, range), smallWorlds(project));
