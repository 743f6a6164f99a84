import { bug, type PlantedBug } from './planted-bug.ts';

/** What can go wrong in computing totals. */
export const bugsInTotals: readonly PlantedBug[] = [
  bug(
    'increment the total that is there',
    'planUpdate',
    'const value = projection.get(name);',
    "const there = item[name]; const sum = projection.get(name); const value = role === 'target' && there !== undefined && 'N' in there && sum !== undefined && 'N' in sum && Number(there.N) > 0 ? { N: String(Number(there.N) + 1) } : sum;",
  ),
  bug(
    'merge changes into a computation of their period that is over',
    'deliverNowOrLater',
    'const delaySeconds =',
    `const periods = ((globalThis as any).periods ??= new WeakMap());
    const known = periods.get(context.registry) ?? new Map();
    periods.set(context.registry, known);
    const last = known.get(keyText(message.root)) ?? Number.NEGATIVE_INFINITY;
    const now = context.clock.now();
    if (now - last < every * 1000) return;
    known.set(keyText(message.root), now);
    const delaySeconds =`,
  ),
  bug(
    'match a member by its new image only',
    'matchTotals',
    'membersIn(aggregate, change)',
    'membersIn(aggregate, { ...change, before: undefined })',
  ),
  bug(
    'read members eventually consistent',
    'requestedTable',
    "return table.query(location, !isIndex && fault === 'partial' ? 1 : limit, from, whole);",
    `const page = table.query(location, !isIndex && fault === 'partial' ? 1 : limit, from, whole);
    if (isIndex) return page;
    const late = ({ key }: any) => {
      const item = table.readLate(key);
      return item === undefined ? [] : [{ key, item }];
    };
    return { ...page, entries: page.entries.flatMap(late) };`,
  ),
];

/** What can go wrong in creating copies, and in following a list of keys. */
export const bugsInCreations: readonly PlantedBug[] = [
  bug(
    'create a copy whatever the root says by then',
    'planCreation',
    'rootExpect: expect,',
    'rootExpect: {},',
  ),
  {
    name: 'create a deleted copy again only once',
    edits: [
      {
        in: 'writePlans',
        find: "const creations = ofKind('create');",
        replace: `const memories = ((globalThis as any).madeAgain ??= new WeakMap());
        const known = memories.get(context.registry) ?? new Set();
        memories.set(context.registry, known);
        const textOf = ({ pk, sk }: ItemKey) => JSON.stringify([pk, sk]);
        const isCheck = message.cause === 'check';
        const creations = ofKind('create').filter(({ write }) => !isCheck || !known.has(textOf(write.key)));`,
      },
      {
        in: 'writePlans',
        find: 'const waits = ',
        replace: `for (const { write } of creations)
          if (isCheck && !unwritten.some(({ key }) => key === write.key)) known.add(textOf(write.key));
        const waits = `,
      },
    ],
  },
  bug(
    'forget the keys that left the list',
    'keysInOrder',
    'locations.flatMap(listedKeys)',
    'locations.slice(-1).flatMap(listedKeys)',
  ),
];
