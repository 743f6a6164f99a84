import { bug, type PlantedBug } from './planted-bug.ts';

/** What can go wrong where things are given an expiry. */
export const bugsInSweep: readonly PlantedBug[] = [
  bug(
    'let things expire whatever has changed since they were archived',
    'planExpiry',
    'expect: { ...$expect, [$table.ttl]: undefined }',
    'expect: {}',
  ),
  bug(
    'let expire first, archive later',
    'sweepOnce',
    'const $states = await archiveMembers($work, $members.map(({ $member }) => $member));',
    'const $states = new Map($members.map(({ $member }) => [$member, $member.item]));',
  ),
  bug(
    'take no notice of what a scan shows',
    'searchTable',
    "['aged', 'unclassified'].includes(classifyAge($table, $rule, $item, $now).is)",
    'false',
  ),
  bug(
    'leave what goes with it behind',
    'sweepOnce',
    "for (const $role of ['root', 'companion'] as const) {",
    "for (const $role of ['root'] as const) {",
  ),
  bug(
    'never look again at a root that has an expiry',
    'groupOf',
    "const $waits = $restored.size > 0 && $bare.some(({ $role }) => $role === 'root') ? $bare : [...$restored];",
    "const $waits = $bare.some(({ $role }) => $role === 'root') ? [...$restored] : $bare;",
  ),
  bug(
    'go past a page before it is visited',
    'searchIndex',
    'await $visit($page.entries);',
    'void $visit($page.entries);',
  ),
  bug(
    'never come to the end of a pass',
    'Pass.run',
    'if ($done) this.point = { ...this.point, finished: $engine.clock.now() };',
    'if ($done) this.point = { ...this.point };',
  ),
];
