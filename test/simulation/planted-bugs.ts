import { bugsAtTheLimits } from './planted/at-the-limits.ts';
import { bugsInArchive, bugsInPorts } from './planted/in-archive-and-ports.ts';
import { bugsInBatches } from './planted/in-batches.ts';
import { bugsInCreations } from './planted/in-creations.ts';
import { bugsInPacing } from './planted/in-pacing.ts';
import { bugsInPlans } from './planted/in-plans.ts';
import { bugsInPropagation } from './planted/in-propagation.ts';
import { bugsInRequeueing } from './planted/in-requeueing.ts';
import { bugsInSweep } from './planted/in-sweep.ts';
import { bugsInTotals } from './planted/in-totals.ts';
import type { PlantedBug } from './planted/planted-bug.ts';

/** Where what they change is defined, from the root of the repository. */
export const anchored: readonly string[] = ['src'];

/** Every wrong change that the simulator has to find. */
export const plantedBugs: readonly PlantedBug[] = [
  ...bugsInPropagation,
  ...bugsInRequeueing,
  ...bugsInPacing,
  ...bugsInPlans,
  ...bugsInArchive,
  ...bugsInPorts,
  ...bugsInBatches,
  ...bugsInSweep,
  ...bugsInTotals.map((one) => ({ ...one, in: 'tournaments' as const })),
  ...bugsAtTheLimits,
  ...bugsInCreations.map((one) => ({ ...one, in: 'catalogues' as const })),
];
