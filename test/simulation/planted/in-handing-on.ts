import { bug, type PlantedBug } from './planted-bug.ts';

const turn = 'src/execution/turn.ts';

/** What can go wrong between an invocation, its answer and the queue. */
export const bugsInHandingOn: readonly PlantedBug[] = [
  bug(
    'acknowledge all but the last record of a check',
    'src/execution/propagate-batch.ts',
    '      attempts.run(idsOf(asked), () =>\n        takeOrHandOn(',
    '      attempts.run(idsOf(asked.slice(-1)), () =>\n        takeOrHandOn(',
  ),
  bug(
    'count no delivery of copies that do not get on',
    turn,
    'hops: advanced ? 0 : message.hops }',
    'hops: 0 }',
  ),
  bug(
    'count no delivery at all',
    'src/execution/hand-on.ts',
    'const hops = message.hops + 1;',
    'const hops = Math.min(message.hops + 1, 1);',
  ),
  bug(
    'go on counting deliveries where a fan-out gets on',
    turn,
    'rest = { ...rest, ...page.following, hops: 0 };',
    'rest = { ...rest, ...page.following };',
  ),
  bug(
    'acknowledge a message of no rule',
    turn,
    '  if (rule === undefined)\n',
    '  if (rule === undefined) return tally.report();\n  if (rule === undefined)\n',
  ),
  bug(
    'never split a message',
    'src/execution/hand-on.ts',
    'const mostKeyBytes = 90_000;',
    'const mostKeyBytes = 9_000_000;',
  ),
];
