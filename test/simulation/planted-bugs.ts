import { bugsAtTheLimits } from './planted/at-the-limits.ts';
import { bugsInArchive, bugsInPorts } from './planted/in-archive-and-ports.ts';
import { bugsInBatches } from './planted/in-batches.ts';
import { bugsInPlans } from './planted/in-plans.ts';
import { bugsInPropagation } from './planted/in-propagation.ts';
import { bugsInRequeueing } from './planted/in-requeueing.ts';
import { bugsInSweep } from './planted/in-sweep.ts';
import type { PlantedBug } from './planted/planted-bug.ts';

/** Where what they change is defined, from the root of the repository. */
export const anchored: readonly string[] = ['src'];

/** Every wrong change that the simulator has to find. */
export const plantedBugs: readonly PlantedBug[] = [
  ...bugsInPropagation,
  ...bugsInRequeueing,
  ...bugsInPlans,
  ...bugsInArchive,
  ...bugsInPorts,
  ...bugsInBatches,
  ...bugsInSweep,
  ...bugsAtTheLimits,
];
