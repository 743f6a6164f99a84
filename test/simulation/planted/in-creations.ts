import { bug, type PlantedBug } from './planted-bug.ts';

/** What can go wrong in creating copies, and in following a list of keys. */
export const bugsInCreations: readonly PlantedBug[] = [
  bug(
    'create a copy without any condition on the root',
    'ModelTable.guardedCreation',
    "if (!this.meets($root)) return $creations.map(() => 'root');",
    '',
  ),
  bug(
    'create a copy whatever the root says by then',
    'planCreation',
    'rootExpect: $expect, $narrowed',
    'rootExpect: {}, $narrowed',
  ),
  bug(
    'create a copy over another item',
    'ModelTable.guardedCreation',
    'this.read($key) === undefined',
    "$key.pk !== ''",
  ),
  bug(
    'pass over a removed copy',
    'matchRules',
    '$rule.creates ? checkOfLostCopy($table.table, $rule, $change, $check) : undefined',
    'undefined',
  ),
  bug('check a removed copy and leave it missing', 'differingFrom', "$is === 'missing' ||", ''),
  bug(
    'create a deleted copy again only once',
    'writePlans',
    'for (const { $key, $outcome } of await write($context, $message, $work, $pace, $tally)) {',
    `const memories = ((globalThis as any).madeAgain ??= new WeakMap());
    const known = memories.get($context.registry) ?? new Set();
    memories.set($context.registry, known);
    const isCheck = $message.cause === 'check';
    const textOf = ({ pk, sk }: ItemKey) => JSON.stringify([pk, sk]);
    if (isCheck)
      $work.creations.splice(0, Infinity, ...$work.creations.filter(({ creation }) => !known.has(textOf(creation.key))));
    const unfinished = await write($context, $message, $work, $pace, $tally);
    for (const { creation } of $work.creations)
      if (isCheck && !unfinished.some(({ $key }) => $key === creation.key)) known.add(textOf(creation.key));
    for (const { $key, $outcome } of unfinished) {`,
  ),
  bug('create copies for a root that is excluded', 'isWanted', '$root.applies &&', ''),
  bug(
    'create a copy without its type',
    'bareCopy',
    '...($copy.type !== undefined &&',
    "...($copy.type === '' &&",
  ),
  bug(
    'derive for every copy of a page what its first copy says, if it reads no attribute of copies',
    'derived',
    '$ofRootAlone = false; return viewOf($table, $rule.copy,',
    '$ofRootAlone = $rule.reads.copy.length === 0; return viewOf($table, $rule.copy,',
  ),
  bug(
    'forget the keys that left the list',
    'pagesOf',
    'distinctKeys($locations.filter(isListed).flatMap(listedKeys))',
    'distinctKeys($locations.filter(isListed).slice(-1).flatMap(listedKeys))',
  ),
  bug(
    'clear what is to be deleted',
    'planRemoval',
    "const $clear = $policy === 'clear' ? $cleared : undefined;",
    'const $clear = Object.keys(copy).filter((name) => owns(table, rule, name));',
  ),
  bug(
    'cut a list of more than a hundred keys silently',
    'locate',
    "if ($keys.length > maxKeys) throw tooManyKeys($rule, $key, $keys.length); return { in: 'keys', $keys };",
    "return { in: 'keys', keys: $keys.slice(0, maxKeys) };",
  ),
  bug(
    'take a creation that lost its condition for done',
    'write',
    'if (!noted($creation, $created[$index])) return;',
    "if ($created[$index] !== 'written') return;",
  ),
  bug(
    'read again only the copies that were there',
    'updateCopies',
    'const $again = await readNamed($context, $rule, $unwritten.lost);',
    'const $again = { ...(await readNamed($context, $rule, $unwritten.lost)), missing: [] };',
  ),
];
