import { bug, type PlantedBug } from './planted-bug.ts';

/** Which propagations and checks follow from a batch, and when it is acknowledged. */
const bugsInBatches: readonly PlantedBug[] = [
  bug('group by concatenated key', 'groupByItem', 'keyText(parsed.key)', 'parsed.key.pk + parsed.key.sk'),
  bug(
    'compare the first image with the last',
    'matchChanges',
    'const ordered = inSequence(changes);',
    'const ordered = inSequence(changes); ordered.splice(0, ordered.length, { ...ordered.at(-1), before: ordered[0].before });',
  ),
  bug(
    'visit the new location only',
    'propagationOfRoot',
    'locations: [...earlier, ...now]',
    'locations: now',
  ),
  bug(
    'decide by the event whether the rule applies',
    'propagationOfRoot',
    'asks: true,',
    "asks: !('Closed' in after),",
  ),
  bug('acknowledge first, work later', 'propagateBatch', 'await Promise.all([', 'void Promise.all(['),
];

const bugsInChecks: readonly PlantedBug[] = [
  bug(
    'skip the check of copies that come back',
    'propagateBatch',
    '.filter((check) => !isCovered(check, propagations));',
    '.slice(0, 0);',
  ),
  {
    name: 'check against a root read before the copies',
    edits: [
      {
        in: 'withRoots',
        find: '{ table, memory }: PropagationContext',
        replace: '{ table, memory, registry }: PropagationContext',
      },
      {
        in: 'withRoots',
        find: 'const { copies, unread } = await readKeys({ table, memory }, [...keys.values()]);',
        replace: `const known = ((globalThis as any).knownRoots ??= new WeakMap());
        const cache = known.get(registry) ?? new Map();
        known.set(registry, cache);
        const text = [...keys.keys()].join();
        const { copies, unread } = cache.get(text) ?? (await readKeys({ table, memory }, [...keys.values()]));
        cache.set(text, { copies, unread });`,
      },
    ],
  },
  bug(
    'hand a check to the queue without its copies',
    'checkCopies',
    "({ is: 'unavailable', message })",
    "({ is: 'unavailable', message: { ...message, copies: [] } })",
  ),
  bug(
    'remove the orphans that a check finds',
    'policyFor',
    'const last = locations.at(-1);',
    "if (root === undefined && cause === 'check') return rule.onDelete; const last = locations.at(-1);",
  ),
];

/** In which order root and copies are read, and where a fan-out goes on. */
const bugsInReading: readonly PlantedBug[] = [
  {
    name: 'read the root before the page',
    edits: [
      {
        in: 'propagatePages',
        find: 'let visited = 0;',
        replace: 'let visited = 0; const early = await context.table.get(rest.root);',
      },
      {
        in: 'propagatePages',
        find: 'const current = { ...propagation, message: rest };',
        replace: 'const current = { ...propagation, message: { ...rest, early } as any };',
      },
      {
        in: 'CopiesOfRoot.plan',
        find: 'await context.table.get(rootKey)',
        replace: `await (async () => {
          if (!('early' in message)) return await context.table.get(rootKey);
          const { early } = message as any;
          delete (message as any).early;
          return early;
        })()`,
      },
    ],
  },
  bug(
    'read the root once, not again after a lost condition',
    'CopiesOfRoot.plan',
    'await context.table.get(rootKey)',
    `await (async () => {
      const known = ((globalThis as any).rootsRead ??= new WeakMap());
      if (!known.has(message)) known.set(message, await context.table.get(rootKey));
      return known.get(message);
    })()`,
  ),
  bug(
    'read roots eventually consistent',
    'requestedTable',
    'return table.keyedAt(key);',
    `const late = verb === 'get' ? table.readLate(key) : table.read(key);
      return late && { key, item: late };`,
  ),
  bug(
    'take the content of the index page',
    'pageAt',
    'await readKeys(context, pending)',
    "location.in !== 'index' ? await readKeys(context, pending) : { copies: (await table.query(location, settings.pageLimit, cursor, true)).entries, unread: [] }",
  ),
  bug(
    'go on after the unfinished page, not at its start',
    'propagatePages',
    'of derived.pages(rest)) {',
    'of derived.pages(rest)) { if (page.following !== undefined) rest = { ...untried(rest), ...page.following };',
  ),
  bug(
    'forget the recheck',
    'propagatePages',
    "if (needsRecheck(writer, rest, unfinished)) unfinished.push({ is: 'recheck', message: rest });",
    '',
  ),
  {
    ...bug(
      'take the entries of an index for the copies of a root that is gone',
      'pagesOf',
      "message.recheck === true && cause === 'changed' && locations.length === 1",
      'message.recheck === true',
    ),
    world: 'board-on-pins: removal and a late write',
  },
  bug(
    'recheck while the fan-out goes on',
    'propagatePages',
    'if (page.following === undefined)',
    "if (page.following !== undefined && needsRecheck(writer, rest, unfinished)) unfinished.push({ is: 'recheck', message: rest }); if (page.following === undefined)",
  ),
];

/** What is written, on what condition, and what is removed. */
const bugsInWriting: readonly PlantedBug[] = [
  bug('drop the condition', 'guardOf', 'expect: expectation(item, names)', 'expect: {}'),
  bug(
    'condition only on what is written',
    'guardOf',
    'narrowed ? [...compared, ...changes] : all',
    'changes',
  ),
  bug('write on what is a copy no more', 'bindRule', ', ...typeIn(copy)', ''),
  bug(
    'write across tenants',
    'planCopy',
    'planned(snapshot, key, () => update(root, copy))',
    'update(root, copy)',
  ),
  bug('compare unmarshalled numbers', 'equal', 'return a.N === b.N;', 'return Number(a.N) === Number(b.N);'),
  bug(
    'upsert',
    'ModelTable.guardedUpdate',
    'item === undefined || !holds(item, expect)',
    'item !== undefined && !holds(item, expect)',
  ),
  bug(
    'remove without looking at the root',
    'onRoot',
    'key: propagation.message.root, expect:',
    "key: plans[0]?.is === 'remove' ? { pk: 'no', sk: 'no' } : propagation.message.root, expect: plans[0]?.is === 'remove' ? 'absent' :",
  ),
  {
    name: 'take throttled writes for written',
    edits: [
      {
        in: 'writeAtPace',
        find: "if (outcome !== 'throttled') outcomes[one.index] = outcome;",
        replace: "outcomes[one.index] = outcome === 'throttled' ? 'written' : outcome;",
      },
      {
        in: 'writeAtPace',
        find: '[...waiting.slice(next.length), ...throttled]',
        replace: 'waiting.slice(next.length)',
      },
    ],
  },
];

/** What becomes of work that is not finished. */
const bugsInRequeueing: readonly PlantedBug[] = [
  bug(
    'take a refusal of the queue for done',
    'settle',
    'context.queue.send(messages, delay)',
    'context.queue.send(messages, delay).catch(() => {})',
  ),
  bug(
    'go on counting deliveries where a fan-out gets on',
    'propagatePages',
    'page.isPart ? rest : untried(rest)',
    'rest',
  ),
  bug(
    'count unavailability as attempts',
    'nextOf',
    'afterUnavailable(context, one.message)',
    'afterLost(context, one.message)',
  ),
  bug(
    'drop instead of dead-letter what is unavailable for too long',
    'settle',
    "if ('code' in next) {",
    "if ('code' in next && next.code === 'unavailable.too-long') continue; if ('code' in next) {",
  ),
];

/** What can go wrong between a batch of records and its copies. */
/** A rule that an operator has paused. */
const bugsInPauses: readonly PlantedBug[] = [
  bug(
    'drop what a paused rule is asked for',
    'deliver',
    'await settle(context, [{ is: held, message }]);',
    ';',
  ),
  bug(
    'count the deliveries of a paused rule',
    'nextOf',
    "case 'paused':",
    "case 'paused': return afterLost(context, one.message);",
  ),
  bug(
    'keep what waits during a pause as old as it was',
    'nextOf',
    'message: untried(one.message)',
    'message: one.message',
  ),
  bug('ask only once what is paused', 'pausesReader', 'now - known.at >= freshForMs', 'false'),
  bug(
    'take nothing for paused where nobody can say',
    'withPauses',
    "held: () => 'unavailable'",
    'held: () => undefined',
  ),
];

export const bugsInPropagation: readonly PlantedBug[] = [
  ...bugsInBatches,
  ...bugsInChecks,
  ...bugsInReading,
  ...bugsInWriting,
  ...bugsInRequeueing,
  ...bugsInPauses,
];
