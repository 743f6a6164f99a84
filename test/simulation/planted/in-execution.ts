// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are source code, template strings among it
import { bug, type PlantedBug } from './planted-bug.ts';

const turn = 'src/execution/turn.ts';
const upToDate = 'src/execution/up-to-date.ts';
const batch = 'src/execution/propagate-batch.ts';
const pages = 'src/execution/pages.ts';
const readRoot =
  "const root = rule.located.in === 'itself' ? pending[0] : await engine.table.get(message.root);";

/** What can go wrong in taking turns, reading pages, handing on and acknowledging. */
export const bugsInExecution: readonly PlantedBug[] = [
  {
    name: 'read the root before the page',
    edits: [
      {
        file: turn,
        find: '    let visited = 0;',
        replace: '    let visited = 0;\n    const early = await engine.table.get(message.root);',
      },
      {
        file: turn,
        find: '{ ...message, places }, page.copies, tally);',
        replace: '{ ...message, places, early }, page.copies, tally);',
      },
      {
        file: upToDate,
        find: readRoot,
        replace:
          "const root = rule.located.in === 'itself' ? pending[0] : round === 1 ? message.early : await engine.table.get(message.root);",
      },
    ],
  },
  bug(
    'read the root once, not again after a lost condition',
    upToDate,
    readRoot,
    "const root = rule.located.in === 'itself' ? pending[0] : ((message as any).kept ??= await engine.table.get(message.root));",
  ),
  bug(
    'skip the check of copies that come back',
    batch,
    'checks.filter((one) => !isCovered(engine, one, rings))',
    '[]',
  ),
  {
    name: 'check against a root read before the copies',
    edits: [
      {
        file: 'src/execution/check.ts',
        find: 'async function readRoots(',
        replace: 'const known = new WeakMap();\n\nasync function readRoots(',
      },
      {
        file: 'src/execution/check.ts',
        find: 'const roots = await engine.table.getMany([...keys.values()]);',
        replace: `const text = [...keys.keys()].join();
    const cache = known.get(engine.registry) ?? new Map();
    known.set(engine.registry, cache);
    const roots = cache.get(text) ?? (await engine.table.getMany([...keys.values()]));
    cache.set(text, roots);`,
      },
    ],
  },
  bug(
    'acknowledge first, work later',
    batch,
    '  await Promise.all([\n    ...unreadable',
    '  void Promise.all([\n    ...unreadable',
  ),
  bug('acknowledge messages first', 'src/execution/fan-out.ts', 'await Promise.all(', 'void Promise.all('),
  bug(
    'acknowledge what failed',
    'src/execution/attempts.ts',
    '    for (const id of ids) this.failures.set(id, error);\n',
    '',
  ),
  bug(
    'group by concatenated key',
    'src/execution/group.ts',
    'const item = keyText(says.key);',
    'const item = says.key.pk + says.key.sk;',
  ),
  bug('forget to settle', turn, "if (rule.located.in !== 'index' ||", "if (rule.located.in === 'index' ||"),
  bug('settle again after settling', turn, ' && message.settle !== true;', ';'),
  bug('settle at once', turn, '    engine.settings.settleDelaySeconds,\n', '    0,\n'),
  bug(
    'settle as if the root had changed',
    turn,
    '[{ rule: name, root, cause, ',
    "[{ rule: name, root, cause: 'changed', ",
  ),
  bug(
    'hand a check to the queue without its copies',
    'src/execution/check.ts',
    'await retry(engine, message);',
    'await retry(engine, { ...message, copies: [] });',
  ),
  bug(
    'take roots that cannot be read for gone',
    'src/execution/check.ts',
    '    return undefined;\n  }\n}',
    '    return new Map();\n  }\n}',
  ),
  bug(
    'go on after the unfinished page, not at its start',
    turn,
    '      const left = await bringUpToDate(',
    '      if (page.following !== undefined) rest = { ...rest, ...page.following, hops: 0 };\n      const left = await bringUpToDate(',
  ),
  bug('stop after the first page', turn, 'if (page.following === undefined) break;', 'break;'),
  bug('drop the rest of a large fan-out', turn, '      await defer(engine, rest, tally);\n', ''),
  bug('drop what could not be done for now', turn, '  await retry(engine, rest, tally);\n', ''),
  bug(
    'take a refusal of the queue for done',
    turn,
    '  if (!(error instanceof Unavailable) || isQueueRefusal(error)) throw error;',
    '  if (isQueueRefusal(error)) return;\n  if (!(error instanceof Unavailable)) throw error;',
  ),
  bug(
    'drop what cannot be projected instead of parking it',
    turn,
    '    await park(engine, { code: error.code, reason: error.message, message: rest }, tally);\n    return;',
    '    return;',
  ),
  bug('retry no copies at all', turn, 'copies: [...left] }', 'copies: [] }'),
  bug('forget the next place', pages, 'others.length > 0', 'others.length > 9'),
  bug(
    'forget where the page ended',
    pages,
    '{ places: [place, ...others], cursor: next }',
    '{ places: [place, ...others], cursor: atTheStart }',
  ),
  bug(
    'forget the copies after the first page of named ones',
    pages,
    'rest.length === 0 ? undefined : { copies: rest }',
    'undefined',
  ),
  bug(
    'take the content of the index page',
    pages,
    'copies: entries.length === 0 ? [] : await table.getMany(entries)',
    'copies: entries.flatMap((key) => table.indexed(place.index, key) ?? [])',
  ),
  bug(
    'drop a lost condition',
    upToDate,
    '      else again.add(key);',
    '      else if (outcome === "partial") again.add(key);',
  ),
  bug(
    'drop a write that is not known to be done',
    upToDate,
    "if (outcome === 'unavailable') unavailable.push(key);",
    "if (outcome === 'unavailable') continue;",
  ),
  bug(
    'drop what a few rounds did not do',
    upToDate,
    'return [...unavailable, ...again];',
    'return unavailable;',
  ),
  bug(
    'remove without looking at the root',
    upToDate,
    '{ key: root, expect: rootExpect },',
    "{ key: { pk: 'no', sk: 'no' }, expect: 'absent' },",
  ),
  bug(
    'drop instead of park beyond the cap of hops',
    'src/execution/hand-on.ts',
    '  if (hops > engine.settings.mostHops) {\n',
    '  if (hops > engine.settings.mostHops) {\n    return;\n',
  ),
  bug(
    'begin nothing and say nothing when time is up',
    batch,
    'if (engine.outOfTime()) await defer(engine, message);',
    'if (engine.outOfTime()) return;',
  ),
];
