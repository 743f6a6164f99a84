import { bug, type PlantedBug } from './planted-bug.ts';

/** What can go wrong where a fan-out keeps to a pace. */
export const bugsInPacing: readonly PlantedBug[] = [
  bug('go on without the pace that was kept to', 'settle', '{ ...next.message, ...pace }', 'next.message'),
  bug(
    'fall to a pace of nothing',
    'Pace.slow',
    'Math.max(Math.min(slowest, this.ceiling), this.unitsPerSecond / 2)',
    '0',
  ),
  bug('go on as fast after a throttled write', 'Pace.note', 'if ($throttled > 0) this.slow(); else', ''),
  {
    name: 'take throttled writes for written',
    edits: [
      {
        in: 'writeAtPace',
        find: "if ($outcome !== 'throttled') $outcomes[$one.index] = $outcome;",
        replace: "$outcomes[$one.index] = $outcome === 'throttled' ? 'written' : $outcome;",
      },
      {
        in: 'writeAtPace',
        find: '[...$waiting.slice($next.length), ...$throttled]',
        replace: '$waiting.slice($next.length)',
      },
    ],
  },
  bug('drop what there was no time to write', 'writePlans', "$unsent > 0 ? 'unfinished' : {", '{'),
  bug(
    'drop what is throttled again and again',
    'writeAtPace',
    "$pace.isHopeless() ? 'unavailable' : undefined",
    "$pace.isHopeless() ? 'written' : undefined",
  ),
];
