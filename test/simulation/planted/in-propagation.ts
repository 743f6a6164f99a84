// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are source code, template strings among it
import { bug, type PlantedBug } from './planted-bug.ts';

/** What can go wrong in taking propagations, reading pages, handing on and acknowledging. */
export const bugsInPropagation: readonly PlantedBug[] = [
  {
    name: 'read the root before the page',
    edits: [
      {
        in: 'propagatePages',
        find: 'let $visited = 0; for await (const $page of pagesOf($engine, $rule, $rest)) {',
        replace:
          'let $visited = 0; const early = await $engine.table.get($rest.root); for await (const $page of pagesOf($engine, $rule, $rest)) {',
      },
      {
        in: 'propagatePages',
        find: 'await updateCopies($engine, $rule, $rest, $read, $pace, $tally);',
        replace: 'await updateCopies($engine, $rule, { ...$rest, early } as any, $read, $pace, $tally);',
      },
      {
        in: 'updateCopies',
        find: "for (let $round = 1; $pending.copies.length + $pending.missing.length > 0 || $asks; $round += 1) { const $root = $rule.located.in === 'itself' ? $pending.copies[0] : await $engine.table.get($key);",
        replace:
          "for (let $round = 1; $pending.copies.length + $pending.missing.length > 0 || $asks; $round += 1) { const $root = $rule.located.in === 'itself' ? $pending.copies[0] : $round === 1 ? (message as any).early : await $engine.table.get($key);",
      },
    ],
  },
  // Applications seldom lose a condition to a change of the root: their first seed is 1,181.
  {
    ...bug(
      'read the root once, not again after a lost condition',
      'updateCopies',
      "const $root = $rule.located.in === 'itself' ? $pending.copies[0] : await $engine.table.get($key);",
      "const $root = $rule.located.in === 'itself' ? $pending.copies[0] : ((message as any).kept ??= await $engine.table.get($key));",
    ),
    in: 'catalogues',
  },
  bug(
    'skip the check of copies that come back',
    'propagateBatch',
    '$checks.filter(($one) => !isCovered($engine, $one, $matches))',
    '[]',
  ),
  bug(
    'check against a root read before the copies',
    'withRoots',
    'const { $copies, $unread } = await readKeys({ $table, $memory }, [...$keys.values()]);',
    `const known = ((globalThis as any).knownRoots ??= new WeakMap());
    const cache = known.get(registry) ?? new Map();
    known.set(registry, cache);
    const text = [...$keys.keys()].join();
    const { $copies, $unread } = cache.get(text) ?? (await readKeys({ $table, $memory }, [...$keys.values()]));
    cache.set(text, { $copies, $unread });`,
  ),
  bug(
    'acknowledge first, work later',
    'propagateBatch',
    'await Promise.all([...$unreadable',
    'void Promise.all([...$unreadable',
  ),
  bug('acknowledge messages first', 'fanOutBatch', 'await Promise.all(', 'void Promise.all('),
  bug(
    'acknowledge what failed',
    'BatchWork.fail',
    'for (const $id of $ids) if (!isFatal(this.failures.get($id))) this.failures.set($id, $error);',
    '',
  ),
  bug(
    'group by concatenated key',
    'groupByItem',
    'const $item = keyText($says.key);',
    'const $item = $says.key.pk + $says.key.sk;',
  ),
  bug(
    'forget the recheck',
    'rechecksCopies',
    "return $rule.located.in === 'index' &&",
    "return $rule.located.in !== 'index' &&",
  ),
  bug('recheck again after a recheck', 'rechecksCopies', '&& $recheck !== true', ''),
  bug('recheck at once', 'nextOf', 'delay: recheckDelaySeconds', 'delay: 0'),
  bug(
    'recheck while the fan-out goes on',
    'propagatePages',
    "if ($page.following === undefined) return rechecksCopies($rule, $rest) ? [...$left, { is: 'recheck', message: $rest }] : $left;",
    "if (rechecksCopies($rule, $rest)) $left.push({ is: 'recheck', message: $rest }); if ($page.following === undefined) return $left;",
  ),
  bug(
    'recheck as if the root had changed',
    'nextOf',
    'const $message = { $rule, $root, $cause,',
    "const $message = { $rule, $root, cause: 'changed',",
  ),
  bug(
    'hand a check to the queue without its copies',
    'checkCopies',
    "({ is: 'unavailable', $message })",
    "({ is: 'unavailable', message: { ...$message, copies: [] } })",
  ),
  bug(
    'take roots that cannot be read for gone',
    'checkCopies',
    '$engine.telemetry.failed($error); await settle(',
    '$engine.telemetry.failed($error); if (false) await settle(',
  ),
  bug(
    'go on after the unfinished page, not at its start',
    'propagatePages',
    'for await (const $page of pagesOf($engine, $rule, $rest)) {',
    'for await (const $page of pagesOf($engine, $rule, $rest)) { if ($page.following !== undefined) $rest = { ...untried($rest), ...$page.following };',
  ),
  bug('stop after the first page', 'propagatePages', 'if ($page.following === undefined)', ''),
  bug(
    'drop the rest of a large fan-out',
    'propagatePages',
    "|| $engine.outOfTime()) return [...$left, { is: 'rest', message: $rest, delaySeconds: $pace.debtSeconds() }];",
    '|| $engine.outOfTime()) return $left;',
  ),
  bug(
    'drop what could not be done for now',
    'settle',
    'const $next = nextOf($engine, $one);',
    "if ($one.is === 'unavailable') continue; const $next = nextOf($engine, $one);",
  ),
  bug(
    'take a refusal of the queue for done',
    'settle',
    'await $engine.queue.send($messages, $delay);',
    'await $engine.queue.send($messages, $delay).catch(() => {});',
  ),
  bug(
    'drop what cannot be projected instead of dead-lettering it',
    'leftBy',
    "return { is: 'refused', code: $error.code, reason: $error.message, $message };",
    "return { is: 'rest', message: { ...$message, copies: [] } };",
  ),
  {
    name: 'retry no copies at all',
    edits: [
      { in: 'leftOf', find: 'naming($again, lost)', replace: 'naming($again, [])' },
      { in: 'leftOf', find: 'naming($again, unavailable)', replace: 'naming($again, [])' },
    ],
  },
  bug(
    'forget the next place',
    'copiesInLocations',
    '$next === undefined && $index === $locations.length - 1',
    '$next === undefined',
  ),
  bug(
    'forget where the page ended',
    'copiesInLocations',
    '+ 1 : $index, cursor: $next }',
    '+ 1 : $index, cursor: undefined }',
  ),
  bug(
    'forget the copies after the first page of named ones',
    'namedCopies',
    '$rest.length === 0 ? undefined : { copies: $rest }',
    'undefined',
  ),
  bug(
    'take the content of the index page',
    'queryPage',
    'await $table.queryIndex($place, $limit, $from); return ofKeys($entries, $next);',
    'await $table.queryIndex($place, $limit, $from); return { bytes: 0, read: async () => ({ copies: $entries.flatMap((key) => ($table as any).indexed($place.index, key) ?? []), size: $entries.length, next: $next }) };',
  ),
  bug(
    'leave out every copy that a recheck finds',
    'differing',
    "$plans[$index]?.is !== 'unchanged'",
    "$plans[$index]?.is === 'unchanged'",
  ),
  bug(
    'drop a lost condition',
    'writePlans',
    'else $lost.push($key);',
    "else if (outcome === 'partial') $lost.push($key);",
  ),
  bug(
    'drop a write that is not known to be done',
    'writePlans',
    "if ($outcome === 'unavailable') $unavailable.push($key);",
    "if ($outcome === 'unavailable') continue;",
  ),
  bug(
    'drop what a few rounds did not do',
    'updateCopies',
    'return { lost, unavailable, refused };',
    'return { lost: [], unavailable, refused };',
  ),
  bug(
    'remove without looking at the root',
    'write',
    '{ key: $root, expect: $rootExpect }',
    "{ key: { pk: 'no', sk: 'no' }, expect: 'absent' }",
  ),
  bug(
    'drop instead of dead-letter what is unavailable for too long',
    'settle',
    "if ('code' in $next) {",
    "if ('code' in $next && $next.code === 'unavailable.too-long') continue; if ('code' in $next) {",
  ),
  bug(
    'begin nothing and say nothing when time is up',
    'takeMessage',
    "if ($engine.outOfTime()) await settle($engine, [{ is: 'rest', $message }]);",
    'if ($engine.outOfTime()) return;',
  ),
];
