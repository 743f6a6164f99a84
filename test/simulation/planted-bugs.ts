import { bugsInArchive, bugsInPorts } from './planted/in-archive-and-ports.ts';
import { bugsInExecution } from './planted/in-execution.ts';
import { bugsInPlanning } from './planted/in-planning.ts';
import type { PlantedBug } from './planted/planted-bug.ts';

/** Every wrong change that the simulator has to find. */
export const plantedBugs: readonly PlantedBug[] = [
  ...bugsInExecution,
  ...bugsInPlanning,
  ...bugsInArchive,
  ...bugsInPorts,
];
