import { bug, type PlantedBug } from './planted-bug.ts';

/** What only some ways of locating and naming copies, or some tables, bring to light. */
export const bugsInForms: readonly PlantedBug[] = [
  {
    ...bug(
      'let a propagation stand for the check of a copy that stops naming its root',
      'isCovered',
      "rule.located.in === 'index' || isUnlinked(rule, image)",
      "rule.located.in === 'index'",
    ),
    world: 'folder-on-files: unlink',
  },
  {
    ...bug(
      'check a copy by the last of its records in a batch',
      'matchRule',
      'for (const change of ordered) {',
      'for (const change of ordered.slice(-1)) {',
    ),
    world: 'folder-on-files: unlink',
  },
  bug(
    'take a root that becomes an item of another kind for no removal',
    'propagationOfRoot',
    "case 'left-kind':",
    "case 'left-kind': return 'unconcerned';",
  ),
  bug(
    'go on at the next page after a part of one',
    'pageAt',
    'isPart ? place : placeAfter(next)',
    'isPart ? { at: next === undefined ? at + 1 : at, cursor: next } : placeAfter(next)',
  ),
  {
    name: 'look for copies where the rule of now says they are, not the message',
    edits: [
      {
        in: 'pagesOf',
        find: 'locations.every(isListed)',
        replace: "['key', 'keys', 'itself'].includes(rule.located.in)",
      },
      {
        in: 'pagesOf',
        find: 'keysInOrder(locations)',
        replace: 'keysInOrder(locations.filter(isListed))',
      },
    ],
  },
  bug(
    'stop at so many items as members count, members or not',
    'OutermostMembers',
    'if (this.totals.hasPlace(item, this.location))',
    '',
  ),
  {
    name: 'take members with equal sort keys as the index has them',
    edits: [
      {
        in: 'OutermostMembers',
        find: 'const items = page.filter((item) => isInLocation(table, item, this.location)).toSorted(byAllKeys);',
        replace: 'const items = page.filter((item) => isInLocation(table, item, this.location));',
      },
      {
        in: 'OutermostMembers',
        find: '[...this.found, this.held(item)].toSorted(byAllKeys)',
        replace: '[...this.found, this.held(item)]',
      },
    ],
  },
  bug(
    'read no further for members with equal sort keys',
    'OutermostMembers',
    "(this.isPast || this.location.in === 'partition')",
    'true',
  ),
  bug(
    'take an item of a listed kind for one of a wider kind',
    'isOfKind',
    'fitsKind(kind, item) && !kind.narrower.some((one) => fits(one, kind.table, item))',
    'fitsKind(kind, item)',
  ),
];

/** Items that are above others, and are moved, also into circles. */
export const bugsInTrees: readonly PlantedBug[] = [
  bug(
    'write an item that is above itself',
    'RootProjection',
    'if (rule.tree === undefined) return;',
    'return;',
  ),
  bug(
    'take an item that names itself for one below another',
    'rootNamedBy',
    'return rule.tree !== undefined && sameKey(root, key) ? undefined : root;',
    'return root;',
  ),
];
