import { bug, type PlantedBug } from './planted-bug.ts';

/** What only some ways of locating and naming copies, or some tables, bring to light. */
export const bugsInForms: readonly PlantedBug[] = [
  bug(
    'let a propagation stand for the check of a copy that stops naming its root',
    'isCovered',
    "rule.located.in === 'index' || isUnlinked(table, rule, image)",
    "rule.located.in === 'index'",
  ),
  bug(
    'take a root that becomes an item of another kind for no removal',
    'propagationOfRoot',
    "case 'left-kind':",
    "case 'left-kind': return 'unconcerned';",
  ),
];
