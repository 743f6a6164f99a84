import fc from 'fast-check';
import {
  type MergedPagesOptions,
  mergedPages,
  type PartitionQuery,
  type QueryClient,
} from 'stream-denormalizer/read';
import { expect } from 'vitest';
import { compare, index, type StoredItem, table, tie } from './partitions.ts';

type KeyType = 'S' | 'N' | 'B';

/** Sort keys; among the texts are some whose order is another in UTF-16. */
const sortKeys = {
  S: ['a', 'ab', 'b', 'b\u{1f600}', 'b\uffff', 'ba', 'c', 'c\u{10ffff}x'],
  N: [-20, -1.5, 0, 0.25, 1, 2, 10, 1e10],
  B: [[], [0], [0, 1], [1], [127], [128], [255], [255, 0]].map((bytes) => Uint8Array.from([9, ...bytes])),
} as const;

/** One of the items that a case may store: its id decides its sort key. */
interface Stored {
  readonly partition: number;
  readonly id: number;
}

interface Write extends Stored {
  readonly does: 'put' | 'delete';
}

/** What is stored, how it is read, and what is written after each page. */
export interface Case {
  readonly type: KeyType;
  readonly stored: readonly Stored[];
  readonly options: Pick<MergedPagesOptions, 'queries' | 'limit' | 'newestFirst' | 'dedupe'> & {
    readonly index?: typeof index | undefined;
  };
  readonly writes: readonly (readonly Write[])[];
}

function caseOf(type: KeyType, of: typeof index | undefined): fc.Arbitrary<Case> {
  const keys: readonly (string | number | Uint8Array)[] = sortKeys[type];
  // In an index, two ids have the same sort key.
  const stored = { partition: fc.nat(3), id: fc.nat(keys.length * (of === undefined ? 1 : 2) - 1) };
  const key = fc.constantFrom(...keys);
  const range = fc.oneof(
    fc.constant({}),
    fc.record({ from: key, to: key }, { requiredKeys: [] }),
    ...(type === 'S'
      ? [fc.record({ begins: fc.constantFrom('', 'a', 'b', 'b\u{1f600}', 'c\u{10ffff}', 'd') })]
      : []),
  );
  const query = fc.record({ partition: fc.nat(3), range });
  return fc.record({
    type: fc.constant(type),
    stored: fc.array(fc.record(stored), { maxLength: 30 }),
    options: fc.record(
      {
        queries: fc
          .uniqueArray(query, { selector: ({ partition }) => partition, minLength: 1 })
          .map((all) =>
            all.map(({ partition, range }): PartitionQuery => ({ pk: `p${partition}`, ...range })),
          ),
        limit: fc.oneof(fc.integer({ min: 1, max: 4 }), fc.integer({ min: 1, max: 32 })),
        newestFirst: fc.boolean(),
        dedupe: fc.constant('id'),
        index: fc.constant(of),
      },
      { requiredKeys: ['queries', 'limit', 'index'] },
    ),
    writes: fc.array(fc.array(fc.record({ ...stored, does: fc.constantFrom('put', 'delete') })), {
      maxLength: 10,
    }),
  });
}

/** Tables and indexes with sort keys of a type. */
export const casesOf = (...types: readonly KeyType[]): fc.Arbitrary<Case> =>
  fc.oneof(...types.flatMap((type) => [caseOf(type, undefined), caseOf(type, index)]));

export function itemOf({ type, options }: Case, { partition, id }: Stored): StoredItem {
  const keys = sortKeys[type];
  const sk = keys[id % keys.length] ?? '';
  if (options.index === undefined) return { PK: `p${partition}`, SK: sk, id };
  return { PK: `item ${partition} ${id}`, SK: 'x', GSI1PK: `p${partition}`, GSI1SK: sk, id };
}

/** What a list of all items contains of the queries, sorted and without repetitions. */
export function expected({ options }: Case, all: readonly StoredItem[]): StoredItem[] {
  const { queries, newestFirst = false, dedupe, index: of } = options;
  const { pk, sk } = of ?? table;
  const sign = newestFirst ? -1 : 1;
  const found = queries.flatMap((query) =>
    all.filter((item) => item[pk] === query.pk && isIn(query, item[sk])),
  );
  found.sort((a, b) => sign * compare(a[sk], b[sk]) || compare(a[pk], b[pk]) || sign * tie(a, b));
  return dedupe === undefined
    ? found
    : found.filter(({ id }, at) => found.findIndex((one) => one['id'] === id) === at);
}

function isIn({ begins = '', from, to }: PartitionQuery, sk: unknown): boolean {
  if (begins !== '') return String(sk).startsWith(begins);
  return (from === undefined || compare(sk, from) >= 0) && (to === undefined || compare(sk, to) <= 0);
}

/** A table that a test writes to. */
export interface Writer {
  put(item: StoredItem): unknown;
  delete(item: StoredItem): unknown;
}

/**
 * Reads all pages and writes after each, and compares what was returned with what was stored all the time, and with what
 * was written ahead of the cursor and stayed.
 */
export async function readWhileWritten(
  one: Case,
  writer: Writer,
  client: QueryClient,
  tableName = 't',
): Promise<void> {
  const { sk } = one.options.index ?? table;
  const sign = one.options.newestFirst === true ? -1 : 1;
  const present = new Map(one.stored.map((stored) => [nameOf(stored), stored]));
  /** What must be returned. */
  const due = new Map(present);
  /** What may be returned. */
  const ever = new Map(present);
  const returned: Readonly<Record<string, unknown>>[] = [];
  let cursor: string | undefined;
  let pages = 0;
  do {
    const page = await mergedPages({ client, tableName, table, ...one.options, cursor });
    returned.push(...page.items);
    cursor = page.cursor;
    if (cursor === undefined) break;
    expect(page.items).toHaveLength(one.options.limit);
    const last = returned.at(-1);
    for (const write of one.writes[pages] ?? []) {
      const item = itemOf(one, write);
      if (write.does === 'delete') {
        await writer.delete(item);
        present.delete(nameOf(write));
        due.delete(nameOf(write));
        continue;
      }
      await writer.put(item);
      if (!present.has(nameOf(write)) && sign * compare(item[sk], last?.[sk]) > 0)
        due.set(nameOf(write), write);
      present.set(nameOf(write), write);
      ever.set(nameOf(write), write);
    }
    pages += 1;
  } while (pages < 1_000);

  const told = (item: Readonly<Record<string, unknown>>) =>
    one.options.dedupe === undefined
      ? JSON.stringify([item['id'], item['GSI1PK'] ?? item['PK']])
      : String(item['id']);
  const toldOf = (all: ReadonlyMap<string, Stored>) =>
    expected(
      one,
      [...all.values()].map((stored) => itemOf(one, stored)),
    ).map(told);
  const got = returned.map(told);

  expect(got.length).toBe(new Set(got).size);
  expect(got).toEqual(expect.arrayContaining(toldOf(due)));
  expect(toldOf(ever)).toEqual(expect.arrayContaining(got));
  for (const [at, item] of returned.entries())
    if (at > 0) expect(sign * compare(returned[at - 1]?.[sk], item[sk])).toBeLessThanOrEqual(0);
}

function nameOf({ partition, id }: Stored): string {
  return `${partition} ${id}`;
}
