/** A thread that plays the seeds it is given, on the rules of a project. */
import { parentPort, workerData } from 'node:worker_threads';
import * as z from 'zod';
import { playShare } from '../../develop/testing/simulation/play-share.ts';
import { projectOf } from '../../develop/testing/simulation/project/project.ts';
import { projectScenario } from '../../develop/testing/simulation/project/project-scenario.ts';
import type { Share } from '../../develop/testing/simulation/summary.ts';
import { loadProject } from '../project.ts';

const settingsSchema = z.object({
  parameters: z.record(z.string(), z.unknown()).optional(),
  disabled: z.array(z.string()).optional(),
});

const { file, settings } = z.object({ file: z.string(), settings: settingsSchema }).parse(workerData);
const { config } = await loadProject(file);
const { parameters, disabled } = settings;
const registry = config.registry({ ...(parameters && { parameters }), ...(disabled && { disabled }) });
const scenario = projectScenario(projectOf(registry).project);

parentPort?.on('message', async (share: Share) => {
  parentPort?.postMessage(await playShare(scenario, share));
});
