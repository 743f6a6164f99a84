import type { Edit } from '../../anchors/edit.ts';

/** Something that somebody could get wrong, and that the simulator has to find. */
export interface PlantedBug {
  readonly name: string;
  readonly edits: readonly Edit[];
  /** What must be played to find it: totals are in the tournament only, created copies in the catalogue, foreign keys in the notebook, ledgers in the counter, their many forms in the ledgers, forms of rules and tables in the forms, items above others in the tree. Default: applications. */
  readonly in?: 'forms' | 'catalogue' | 'tournament' | 'notebook' | 'counter' | 'ledgers' | 'tree' | 'groups';
  /** A small world of which every schedule is played without a fault, instead of seeds. */
  readonly world?: string;
}

/** A bug of one edit: in this function, this text becomes the other. */
export function bug(name: string, where: string, find: string, replace: string): PlantedBug {
  return { name, edits: [{ in: where, find, replace }] };
}
