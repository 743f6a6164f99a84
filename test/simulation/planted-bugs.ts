import { bugsInArchive, bugsInSweep } from './planted/in-archive-and-sweep.ts';
import { bugsInForeignKeys } from './planted/in-foreign-keys.ts';
import { bugsInForms, bugsInTrees } from './planted/in-forms.ts';
import { bugsInGroups } from './planted/in-groups.ts';
import { bugsInLedgers } from './planted/in-ledgers.ts';
import { bugsInPropagation } from './planted/in-propagation.ts';
import { bugsInCreations, bugsInTotals } from './planted/in-totals-and-creations.ts';
import type { PlantedBug } from './planted/planted-bug.ts';

/**
 * Every wrong change that the simulator has to find: another design or order, a missing step or guard, a wrong source of
 * truth. `npm run mutate` makes the smaller ones.
 */
export const plantedBugs: readonly PlantedBug[] = [
  ...bugsInPropagation,
  ...bugsInTotals.map((one) => ({ ...one, in: 'tournament' as const })),
  ...bugsInCreations.map((one) => ({ ...one, in: 'catalogue' as const })),
  ...bugsInForeignKeys.map((one) => ({ ...one, in: 'notebook' as const })),
  ...bugsInForms.map((one) => ({ ...one, in: 'forms' as const })),
  ...bugsInTrees.map((one) => ({ ...one, in: 'tree' as const })),
  ...bugsInGroups.map((one) => ({ ...one, in: 'groups' as const })),
  ...bugsInLedgers.map((one) => ({ ...one, in: one.in ?? ('counter' as const) })),
  ...bugsInArchive,
  ...bugsInSweep,
];
