/** A thread that simulates the rules of a project. */
import { workerData } from 'node:worker_threads';
import { projectOf } from '../../examples/project-examples.ts';
import type { RuleSettings } from '../../model/rules/config.ts';
import { smallWorlds } from '../../simulator/exhaustive/small-worlds.ts';
import { projectScenario } from '../../simulator/scenario.ts';
import { runSeeds } from '../../simulator/summary.ts';
import { answerJobs } from '../../simulator/threads.ts';
import { loadProject } from '../project.ts';

// The parent is the command beside this file.
const { file, settings } = workerData as { readonly file: string; readonly settings: RuleSettings };
const { config } = await loadProject(file);
const { project } = projectOf(config.registry(settings));
const scenario = projectScenario(project);
answerJobs((range) => runSeeds(scenario, range), smallWorlds(project));
