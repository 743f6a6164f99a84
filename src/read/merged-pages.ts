import { DenormError } from '../model/basics/errors.ts';
import { fromCursor, type Position, toCursor } from './cursor.ts';
import type { PartitionQuery } from './key-range.ts';
import { compareKeys, encode, isKeyValue, type KeyValue } from './key-value.ts';
import { PartitionReader, type ReadItem, type Source } from './partition-reader.ts';

export interface MergedPagesOptions extends Source {
  /** The partitions to read, in any order. If there are none, the page is empty. */
  readonly queries: readonly PartitionQuery[];
  /** The cursor of the page before. Default: the first page. */
  readonly cursor?: string | undefined;
  /** An attribute: of several items with the same value of it, only the first is returned. Default: every item is. */
  readonly dedupe?: string | undefined;
}

export interface MergedPage {
  readonly items: ReadItem[];
  /** For the next page; undefined if this page is the last. */
  readonly cursor: string | undefined;
}

/**
 * Reads one page of several partitions side by side, in the order of their sort keys. Reads are eventually consistent.
 *
 * The pages that follow each other by their cursors contain every item once that is in the partitions all the time with the
 * same sort key. An item that is written meanwhile is returned if its sort key is ahead of the cursor. An item whose sort
 * key changes meanwhile may be returned twice, or not at all.
 *
 * Each partition is read once at least, and again only if its items are used up; nothing is kept between calls.
 * @throws DenormError `read.cursor` if the cursor belongs to another table, other queries, direction or `dedupe`
 */
export async function mergedPages(options: MergedPagesOptions): Promise<MergedPage> {
  const { newestFirst = false, limit, cursor, dedupe } = options;
  if (!Number.isSafeInteger(limit) || limit < 1)
    throw new DenormError('read.count', `Expected \`limit\` to be a whole number from 1 up, got ${limit}`);
  const { queries, identity } = querySet(options);
  let position = cursor === undefined ? undefined : fromCursor(cursor, identity);
  const readers = queries.map((query, number) => new PartitionReader(options, query, number, position));
  const values = new Set(position?.values);
  const items: ReadItem[] = [];
  const page = (last?: Position): MergedPage => ({ items, cursor: last && toCursor(last, identity) });
  for (;;) {
    const waiting = readers.filter(({ needsPage }) => needsPage);
    if (waiting.length > 0) {
      if (items.length === limit) return page(position);
      await Promise.all(waiting.map((reader) => reader.readPage()));
      continue;
    }
    const reader = firstOf(readers, newestFirst);
    const head = reader?.heads[0];
    if (reader === undefined || head === undefined) return page();
    const value = dedupe === undefined ? undefined : comparable(head.item[dedupe]);
    const repeated = value !== undefined && values.has(value);
    if (!repeated && items.length === limit) return page(position);
    reader.heads.shift();
    if (position === undefined || compareKeys(position.sk, head.sk) !== 0)
      position = { sk: head.sk, last: new Map(), values: new Set() };
    position.last.set(reader.number, head.key);
    if (!repeated) items.push(head.item);
    if (value === undefined) continue;
    position.values.add(value);
    values.add(value);
  }
}

/**
 * The queries without repetitions, in an order that does not depend on the one in which they are given, and what a cursor
 * belongs to, as text.
 */
export function querySet(options: Omit<MergedPagesOptions, 'client' | 'table' | 'limit'>) {
  const { tableName, index, newestFirst = false, dedupe } = options;
  const byText = new Map(options.queries.map((query) => [textOf(query), query]));
  const sorted = [...byText].sort(([a], [b]) => (a < b ? -1 : 1));
  const texts = sorted.map(([text]) => text);
  const identity = JSON.stringify([tableName, index?.name, newestFirst, dedupe, texts]);
  return { queries: sorted.map(([, query]) => query), identity };
}

function textOf({ pk, sk = [], begins, from, to }: PartitionQuery): string {
  const encoded = (value: KeyValue | undefined) => (value === undefined ? null : encode(value));
  const equal = [...[pk].flat(), ...sk].map(encode);
  return JSON.stringify([...equal, begins ?? null, encoded(from), encoded(to)]);
}

/** The reader whose next item comes first in the merged order: by sort key, then by the queries' order. */
function firstOf(readers: readonly PartitionReader[], newestFirst: boolean): PartitionReader | undefined {
  return readers
    .filter(({ heads }) => heads.length > 0)
    .reduce<PartitionReader | undefined>((first, reader) => {
      const [one, other] = [first?.heads[0], reader.heads[0]];
      if (one === undefined || other === undefined) return reader;
      return compareKeys(other.sk, one.sk) * (newestFirst ? -1 : 1) < 0 ? reader : first;
    }, undefined);
}

/** A value of `dedupe` as text; undefined if it is missing, or neither text, number nor bytes. */
function comparable(value: unknown): string | undefined {
  return isKeyValue(value) ? encode(value).join(' ') : undefined;
}
