import { bug, type PlantedBug } from './planted-bug.ts';

const roots = 'src/execution/sweep/sweep-roots.ts';
const group = 'src/execution/sweep/group.ts';
const aging = 'src/planning/aging.ts';
const found = 'src/execution/sweep/aged-roots.ts';
const sweep = 'src/execution/sweep.ts';

/** What can go wrong where things are given an expiry. */
export const bugsInSweep: readonly PlantedBug[] = [
  bug(
    'let things expire whatever has changed since they were archived',
    aging,
    'expect: { ...expect, [table.ttl]: undefined }',
    'expect: {}',
  ),
  bug(
    'let expire first, archive later',
    roots,
    '  const states = await archiveMembers(\n    work,\n    members.map(({ member }) => member),\n  );',
    '  const states = new Map(members.map(({ member }) => [member, member.item]));',
  ),
  bug(
    'take no notice of what a scan shows',
    found,
    "['aged', 'unjudged'].includes(judgeAge(table, rule, item, now).is)",
    'false',
  ),
  bug(
    'leave what goes with it behind',
    roots,
    "for (const role of ['root', 'companion'] as const) {",
    "for (const role of ['root'] as const) {",
  ),
  bug(
    'never look again at a root that has an expiry',
    group,
    "const waits = restored.size > 0 && bare.some(({ role }) => role === 'root') ? bare : [...restored];",
    "const waits = bare.some(({ role }) => role === 'root') ? [...restored] : bare;",
  ),
  bug(
    'go past a page before it is visited',
    found,
    'await visit(page.entries);',
    'void visit(page.entries);',
  ),
  bug(
    'never come to the end of a pass',
    sweep,
    'if (finished) this.point = { ...this.point, finished: engine.clock.now() };',
    'if (finished) this.point = { ...this.point };',
  ),
];
