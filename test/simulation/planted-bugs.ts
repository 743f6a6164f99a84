import { bugsAtTheLimits } from './planted/at-the-limits.ts';
import { bugsInArchive, bugsInPorts } from './planted/in-archive-and-ports.ts';
import { bugsInBatches } from './planted/in-batches.ts';
import { bugsInExecution } from './planted/in-execution.ts';
import { bugsInHandingOn } from './planted/in-handing-on.ts';
import { bugsInPlanning } from './planted/in-planning.ts';
import { bugsInSweep } from './planted/in-sweep.ts';
import type { PlantedBug } from './planted/planted-bug.ts';

/** Where what they change is defined, from the root of the repository. */
export const anchored: readonly string[] = ['src', 'test/table-model', 'test/simulation/world'];

/** Every wrong change that the simulator has to find. */
export const plantedBugs: readonly PlantedBug[] = [
  ...bugsInExecution,
  ...bugsInHandingOn,
  ...bugsInPlanning,
  ...bugsInArchive,
  ...bugsInPorts,
  ...bugsInBatches,
  ...bugsInSweep,
  ...bugsAtTheLimits,
];
