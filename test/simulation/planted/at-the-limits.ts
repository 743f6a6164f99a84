import { bug, type PlantedBug } from './planted-bug.ts';

/** What can go wrong with what is very wide, very large or very long, and with what nobody can read. */
export const bugsAtTheLimits: readonly PlantedBug[] = [
  bug(
    'drop the rest of a partial clear',
    'write',
    'if (noted($removal, $removed[$index], $partial)) $tally.removed += 1;',
    'if (noted($removal, $removed[$index])) $tally.removed += 1;',
  ),
  bug(
    'never narrow a guard',
    'guardOf',
    'const $narrowed = !($others.size === 0 ? $alwaysFit : fits($all));',
    'const $narrowed = false;',
  ),
  bug(
    'dead-letter the whole page for one copy that would be too large',
    'refuseTooLarge',
    "new InvalidItemError('copy', 'copy.too-large'",
    "new InvalidItemError('root', 'copy.too-large'",
  ),
  bug(
    'drop a copy that would be too large instead of dead-lettering it',
    'writePlans',
    'refused: $work.refused }',
    "refused: $work.refused.filter(({ code }) => code !== 'copy.too-large') }",
  ),
  bug(
    'acknowledge an unreadable record without dead-lettering it',
    'propagateBatch',
    "$attempts.run([$id], () => settle($engine, [{ is: 'refused', ...unreadableAsDeadLetter($says) }]))",
    '$attempts.run([$id], async () => void $says)',
  ),
  bug(
    'acknowledge a record that cannot be archived because nobody can read it',
    'deadLetterUnreadable',
    'await $queue.deadLetter([$letter]);',
    '',
  ),
  bug(
    'acknowledge a removal that cannot be archived because nobody can read it',
    'deadLetterUnreadable',
    'if ($says.lastImage)',
    'if ($says.lastImage && false)',
  ),
  bug(
    'let one unreadable record stop its batch',
    'groupByItem',
    '$unreadable.push({ $id, $says });',
    'throw new Error($says.unreadable);',
  ),
  bug(
    'acknowledge an unreadable message',
    'fanOutBatch',
    'readMessage($body) ?? unreadable($id)',
    'readMessage($body)',
  ),
  bug(
    'send a split message without its second part',
    'partsOf',
    'return halves($copies).flatMap(',
    'return halves($copies).slice(0, 1).flatMap(',
  ),
];
