import { DenormError } from '../model/errors.ts';
import { fromCursor, type Position, positionAt, toCursor } from './cursor.ts';
import type { PartitionQuery } from './key-range.ts';
import { compareKeyValues, encode, isKeyValue } from './key-value.ts';
import {
  type Head,
  type PartitionReader,
  partitionReader,
  type QueryRequest,
  type QueryResult,
  type ReadItem,
} from './partition-reader.ts';
import { querySet } from './query-set.ts';

/** Anything that queries as `DynamoDBDocument` of `@aws-sdk/lib-dynamodb` does, in any version of the SDK. */
export interface QueryClient {
  query(request: QueryRequest): Promise<QueryResult>;
}

export interface MergedPagesOptions {
  readonly client: QueryClient;
  readonly tableName: string;
  /** The names of the table's key attributes. */
  readonly table: { readonly pk: string; readonly sk: string };
  /** The index to read, whose sort key then decides the order. Default: the table itself. */
  readonly index?: { readonly name: string; readonly pk: string; readonly sk: string } | undefined;
  /** The partitions to read, in any order. If there are none, the page is empty. */
  readonly queries: readonly PartitionQuery[];
  /** Whether the greatest sort key comes first. Default: false. */
  readonly newestFirst?: boolean | undefined;
  /** The number of items on a page, from 1 up. Only the last page has fewer. */
  readonly limit: number;
  /** The cursor of the page before. Default: the first page. */
  readonly cursor?: string | undefined;
  /** An attribute: of several items with the same value of it, only the first is returned. Default: every item is. */
  readonly dedupe?: string | undefined;
  /** The number of items that a request reads of a partition, from 1 up. Default: `limit`, so that one is mostly enough. */
  readonly pageSize?: number | undefined;
  /** Whether reads are strongly consistent, at twice the price; not for an index. Default: false. */
  readonly consistent?: boolean | undefined;
}

export interface MergedPage {
  readonly items: ReadItem[];
  /** For the next page; undefined if this page is the last. */
  readonly cursor: string | undefined;
}

/**
 * Reads one page of several partitions side by side, in the order of their sort keys.
 *
 * The pages that follow each other by their cursors contain every item once that is in the partitions all the time with the
 * same sort key. An item that is written meanwhile is returned if its sort key is ahead of the cursor. An item whose sort
 * key changes meanwhile may be returned twice, or not at all.
 *
 * Each partition is read once at least, and again only if its items are used up; nothing is kept between calls.
 * @throws DenormError `read.cursor` if the cursor belongs to another table, other queries, direction or `dedupe`
 */
export async function mergedPages(options: MergedPagesOptions): Promise<MergedPage> {
  const { client, tableName, table, index, newestFirst = false, limit, cursor, dedupe } = options;
  const { pageSize = limit, consistent = false } = options;
  requireCount('limit', limit);
  requireCount('pageSize', pageSize);
  if (consistent && index !== undefined)
    throw new DenormError(
      'read.consistent',
      'Expected `consistent` for the table itself, got it for an index, which DynamoDB always reads eventually consistent: leave it out',
    );
  const query = (request: QueryRequest) => client.query(request);
  const source = { query, tableName, table, index, newestFirst, consistent, pageSize };
  const { queries, identity } = querySet(options.queries, options);

  let position = cursor === undefined ? undefined : fromCursor(cursor, identity);
  const readers = queries.map((one, number) => partitionReader(source, one, number, position));
  const values = new Set(position?.values);
  const items: ReadItem[] = [];
  const page = (last?: Position): MergedPage => ({ items, cursor: last && toCursor(last, identity) });
  for (;;) {
    const waiting = readers.filter((reader) => reader.needsPage());
    if (waiting.length > 0) {
      if (items.length === limit) return page(position);
      await Promise.all(waiting.map((reader) => reader.readPage()));
      continue;
    }
    const first = firstOf(readers, newestFirst);
    if (first === undefined) return page();
    const { reader, number, head } = first;
    const value = dedupe === undefined ? undefined : comparable(head.item[dedupe]);
    const repeated = value !== undefined && values.has(value);
    if (!repeated && items.length === limit) return page(position);
    reader.shift();
    position = positionAt(head.sk, position);
    position.last.set(number, head.key);
    if (!repeated) items.push(head.item);
    if (value === undefined) continue;
    position.values.add(value);
    values.add(value);
  }
}

interface First {
  readonly reader: PartitionReader;
  readonly number: number;
  readonly head: Head;
}

/** The next item in the merged order: by sort key, then by the queries' order. */
function firstOf(readers: readonly PartitionReader[], newestFirst: boolean): First | undefined {
  let first: First | undefined;
  for (const [number, reader] of readers.entries()) {
    const head = reader.head();
    if (head === undefined) continue;
    const order =
      first === undefined ? -1 : compareKeyValues(head.sk, first.head.sk) * (newestFirst ? -1 : 1);
    if (order < 0) first = { reader, number, head };
  }
  return first;
}

/** A value of `dedupe` as text; undefined if it is missing, or neither text, number nor bytes. */
function comparable(value: unknown): string | undefined {
  return isKeyValue(value) ? encode(value).join(' ') : undefined;
}

function requireCount(name: string, value: number): void {
  if (!Number.isSafeInteger(value) || value < 1)
    throw new DenormError('read.count', `Expected \`${name}\` to be a whole number from 1 up, got ${value}`);
}
