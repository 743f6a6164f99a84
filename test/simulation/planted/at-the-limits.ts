import { bug, type PlantedBug } from './planted-bug.ts';

const upToDate = 'src/execution/up-to-date.ts';
const guard = 'src/planning/guard.ts';

/** What can go wrong with what is very wide, very large or very long, and with what nobody can read. */
export const bugsAtTheLimits: readonly PlantedBug[] = [
  bug(
    'drop the rest of a partial clear',
    upToDate,
    "    if (partial) unfinished.push({ key: removal.key, outcome: 'partial' });\n",
    '',
  ),
  bug('never narrow a guard', guard, 'const narrowed = !fits(all);', 'const narrowed = false;'),
  bug(
    'park the whole page for one copy that would be too large',
    'src/planning/plan-update.ts',
    "new Unprojectable('copy', 'copy.too-large'",
    "new Unprojectable('root', 'copy.too-large'",
  ),
  bug(
    'drop a copy that would be too large instead of parking it',
    upToDate,
    '    await parkRefused(engine, message, work.refused, tally);\n',
    "    await parkRefused(engine, message, work.refused.filter(({ code }) => code !== 'copy.too-large'), tally);\n",
  ),
  bug(
    'acknowledge an unreadable record without parking it',
    'src/execution/propagate-batch.ts',
    'attempts.run([id], () => park(engine, unreadableAsParked(says)))',
    'attempts.run([id], async () => void says)',
  ),
  bug(
    'acknowledge a record that cannot be archived because nobody can read it',
    'src/execution/archive-batch.ts',
    '        await engine.queue.park([unreadableAsParked(says)]);\n',
    '',
  ),
  bug(
    'let one unreadable record stop its batch',
    'src/execution/group.ts',
    '      unreadable.push({ id, says });\n',
    '      throw new Error(says.unreadable);\n',
  ),
  bug(
    'acknowledge an unreadable message without parking it',
    'src/execution/fan-out.ts',
    '  if (message === undefined) {\n',
    '  if (message === undefined) {\n    return;\n',
  ),
  bug(
    'send a split message without its second part',
    'src/execution/hand-on.ts',
    'return parts.map(',
    'return parts.slice(0, 1).map(',
  ),
];
