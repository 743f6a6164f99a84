import { bug, type PlantedBug } from './planted-bug.ts';

/** What is easily left out of targets that an aggregate makes. */
export const bugsInGroups: readonly PlantedBug[] = [
  bug('make a target that is gone no more', 'isChecked', 'return creates;', 'return false;'),
  bug(
    'compute no target that the worker has just made',
    'isChecked',
    "case 'new':",
    "case 'new': return !creates;",
  ),
  bug(
    'compute no target on which others have changed a total',
    'isChecked',
    "case 'differs':\n      return true;",
    "case 'differs': return !creates;",
  ),
  bug('take a sum of 0 for no members', 'countOf', "=== 'count'", "=== 'sum'"),
  bug(
    'take the head of an empty group for a member',
    'Totals',
    'if (memberCount === undefined)',
    "if (memberCount !== '')",
  ),
  bug(
    'compute no target from its heads',
    'matchAggregate',
    '...ofHeads.propagations]',
    "...ofHeads.propagations.filter(({ cause }) => cause !== 'changed')]",
  ),
  bug(
    'look for no late members of an index',
    'needsRecheck',
    'memberIndexes(writer).length > 0',
    'memberIndexes(writer).length < 0',
  ),
  bug('put a target over what is there', 'ModelTable', "if (there !== undefined) return 'lost';", ''),
  {
    ...bug(
      'remove a target with what an application has just written',
      'removalOf',
      '...written, ...listed]',
      '...written]',
    ),
    world: 'sales-of-group: a note that goes',
  },
  {
    ...bug(
      'leave an empty target that has lost its note',
      'watchedTarget',
      "(onEmpty === 'delete' && !isWritten(name))",
      '(isWritten(name) && !isWritten(name))',
    ),
    world: 'sales-of-group: a note that goes',
  },
];
