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
        find: 'const $located = { ...$message, $places };',
        replace: 'const $located = { ...$message, $places, early };',
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
    'readRoots',
    'const $roots = await $engine.table.getMany([...$keys.values()]);',
    `const known = ((globalThis as any).knownRoots ??= new WeakMap());
    const cache = known.get($engine.registry) ?? new Map();
    known.set($engine.registry, cache);
    const text = [...$keys.keys()].join();
    const $roots = cache.get(text) ?? (await $engine.table.getMany([...$keys.values()]));
    cache.set(text, $roots);`,
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
    'for (const $id of $ids) this.failures.set($id, $error);',
    '',
  ),
  bug(
    'group by concatenated key',
    'groupByItem',
    'const $item = keyText($says.key);',
    'const $item = $says.key.pk + $says.key.sk;',
  ),
  bug(
    'forget to settle',
    'recheckLater',
    "if ($rule.located.in !== 'index' ||",
    "if ($rule.located.in === 'index' ||",
  ),
  bug('settle again after settling', 'recheckLater', '&& $message.recheck !== true', ''),
  bug('settle at once', 'recheckLater', '$engine.settings.recheckDelaySeconds', '0'),
  bug(
    'settle as if the root had changed',
    'recheckLater',
    '[{ rule: $name, $root, $cause,',
    "[{ rule: $name, $root, cause: 'changed',",
  ),
  bug(
    'hand a check to the queue without its copies',
    'checkCopies',
    'await requeueWhenAvailable($engine, $message);',
    'await requeueWhenAvailable($engine, { ...$message, copies: [] });',
  ),
  bug(
    'take roots that cannot be read for gone',
    'readRoots',
    '$engine.telemetry.failed($error); return undefined;',
    '$engine.telemetry.failed($error); return new Map();',
  ),
  bug(
    'go on after the unfinished page, not at its start',
    'propagatePages',
    'for await (const $page of pagesOf($engine, $rule, $rest)) {',
    'for await (const $page of pagesOf($engine, $rule, $rest)) { if ($page.following !== undefined) $rest = { ...untried($rest), ...$page.following };',
  ),
  bug('stop after the first page', 'propagatePages', 'if ($page.following === undefined) break;', 'break;'),
  bug(
    'drop the rest of a large fan-out',
    'propagatePages',
    'await requeue($engine, $rest, $pace.debtSeconds(), $tally);',
    '',
  ),
  bug(
    'drop what could not be done for now',
    'requeueAfter',
    'await requeueWhenAvailable($engine, $message, $tally);',
    '',
  ),
  bug(
    'take a refusal of the queue for done',
    'requeueAfter',
    'if (!isForLater($error)) throw $error;',
    'if ($error instanceof TransientError && !isForLater($error)) return; if (!($error instanceof TransientError)) throw $error;',
  ),
  bug(
    'drop what cannot be projected instead of dead-lettering it',
    'requeueAfter',
    'await deadLetter($engine, { code: $error.code, reason: $error.message, $message }, $tally); return;',
    'return;',
  ),
  {
    name: 'retry no copies at all',
    edits: [
      { in: 'retryCopies', find: 'copies: [...lost] }', replace: 'copies: [] }' },
      { in: 'retryCopies', find: 'copies: [...unavailable] }', replace: 'copies: [] }' },
    ],
  },
  bug('forget the next place', 'copiesInLocations', '$others.length > 0', '$others.length > 9'),
  bug(
    'forget where the page ended',
    'copiesInLocations',
    '{ locations: [$place, ...$others], cursor: $next }',
    '{ locations: [$place, ...$others], cursor: atTheStart }',
  ),
  bug(
    'forget the copies after the first page of named ones',
    'namedCopies',
    '$rest.length === 0 ? undefined : { copies: $rest }',
    'undefined',
  ),
  bug(
    'take the content of the index page',
    'readQueried',
    'await $table.queryIndex($place, $limit, $from); return { items: $entries.length === 0 ? [] : await $table.getMany($entries)',
    'await $table.queryIndex($place, $limit, $from); return { items: $entries.flatMap((key) => $table.indexed($place.index, key) ?? [])',
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
    'return { lost, unavailable };',
    'return { lost: [], unavailable };',
  ),
  bug(
    'remove without looking at the root',
    'write',
    '{ key: $root, expect: $rootExpect }',
    "{ key: { pk: 'no', sk: 'no' }, expect: 'absent' }",
  ),
  bug(
    'drop instead of dead-letter what is unavailable for too long',
    'requeueWhenAvailable',
    'if ($age > maxUnavailableSeconds) {',
    'if ($age > maxUnavailableSeconds) { return;',
  ),
  bug(
    'begin nothing and say nothing when time is up',
    'propagateOrRequeue',
    'if ($engine.outOfTime()) await requeue($engine, $message);',
    'if ($engine.outOfTime()) return;',
  ),
];
