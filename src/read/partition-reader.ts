import { DenormError } from '../model/errors.ts';
import type { Position, TableKey } from './cursor.ts';
import {
  conditionOf,
  isEmpty,
  isIn,
  type KeyRange,
  type PartitionQuery,
  rangeOf,
  restOf,
} from './key-range.ts';
import { isKeyValue, type KeyValue } from './key-value.ts';

/** An item, as the document client returns it. */
export type ReadItem = Readonly<Record<string, unknown>>;

/** What a page asks of DynamoDB: part of the input of `QueryCommand` of `@aws-sdk/lib-dynamodb`. */
export interface QueryRequest {
  TableName: string;
  IndexName?: string;
  KeyConditionExpression: string;
  ExpressionAttributeNames: Record<string, string>;
  ExpressionAttributeValues: Record<string, KeyValue>;
  ScanIndexForward: boolean;
  ConsistentRead: boolean;
  Limit: number;
  ExclusiveStartKey?: Record<string, unknown>;
}

/** What is used of the output of `QueryCommand`. */
export interface QueryResult {
  readonly Items?: Record<string, unknown>[] | undefined;
  readonly LastEvaluatedKey?: Record<string, unknown> | undefined;
}

/** What all queries of a page have in common. */
export interface Source {
  query(request: QueryRequest): Promise<QueryResult>;
  readonly tableName: string;
  readonly table: { readonly pk: string; readonly sk: string };
  readonly index: { readonly name: string; readonly pk: string; readonly sk: string } | undefined;
  readonly newestFirst: boolean;
  readonly consistent: boolean;
  readonly pageSize: number;
}

/** An item that is not returned yet, with what the merge compares. */
export interface Head {
  readonly item: ReadItem;
  readonly sk: KeyValue;
  readonly key: TableKey;
}

/** Reads one query from a position on, a page whenever it is asked to. */
export interface PartitionReader {
  /** The next item; undefined if there is none, or if a page must be read first. */
  head(): Head | undefined;
  /** Whether only another page can tell what the next item is. */
  needsPage(): boolean;
  readPage(): Promise<void>;
  shift(): void;
}

/** @param number the query's place in the order in which items with one sort key are returned */
export function partitionReader(
  source: Source,
  query: PartitionQuery,
  number: number,
  position: Position | undefined,
): PartitionReader {
  const { range, start } = startOf(source, query, number, position);
  const { table, index = table } = source;
  let heads: Head[] = [];
  let ended = isEmpty(range);
  let next = start;
  return {
    head: () => heads[0],
    needsPage: () => heads.length === 0 && !ended,
    async readPage() {
      const { Items = [], LastEvaluatedKey } = await source.query(requestOf(source, query.pk, range, next));
      const found = Items.map((item) => ({
        item,
        sk: keyOf(item, index.sk),
        key: [keyOf(item, table.pk), keyOf(item, table.sk)] as const,
      }));
      heads = found.filter(({ sk }) => isIn(range, sk));
      next = LastEvaluatedKey;
      // What is not in the range comes after all that is.
      ended = next === undefined || heads.length < found.length;
    },
    shift: () => {
      heads.shift();
    },
  };
}

/**
 * Where a query goes on: behind the last item that it returned with the position's sort key. If it returned none, with the
 * first item that has this sort key.
 */
function startOf(
  { table, index, newestFirst }: Source,
  query: PartitionQuery,
  number: number,
  position: Position | undefined,
): { readonly range: KeyRange; readonly start?: Record<string, unknown> } {
  const range = rangeOf(query);
  if (position === undefined || isEmpty(range)) return { range };
  const { sk, last } = position;
  const rest = restOf(range, sk, newestFirst);
  const key = last.get(number);
  if (rest === range || key === undefined || !isIn(range, sk)) return { range: rest };
  const names = index ?? table;
  return {
    range: rest,
    start: { [table.pk]: key[0], [table.sk]: key[1], [names.pk]: query.pk, [names.sk]: sk },
  };
}

function requestOf(
  { tableName, table, index, newestFirst, consistent, pageSize }: Source,
  pk: KeyValue,
  range: KeyRange,
  start: Record<string, unknown> | undefined,
): QueryRequest {
  const names = index ?? table;
  const condition = conditionOf(range);
  return {
    TableName: tableName,
    ...(index !== undefined && { IndexName: index.name }),
    KeyConditionExpression: condition === undefined ? '#pk = :pk' : `#pk = :pk AND ${condition.expression}`,
    ExpressionAttributeNames: { '#pk': names.pk, ...(condition !== undefined && { '#sk': names.sk }) },
    ExpressionAttributeValues: { ':pk': pk, ...condition?.values },
    ScanIndexForward: !newestFirst,
    ConsistentRead: consistent,
    Limit: pageSize,
    ...(start !== undefined && { ExclusiveStartKey: start }),
  };
}

function keyOf(item: ReadItem, name: string): KeyValue {
  const value = item[name];
  if (isKeyValue(value)) return value;
  throw new DenormError(
    'read.no-key',
    `Expected every item to have the key attribute ${name} as text, number or bytes, got another value: give the names of the table's and the index's keys, and a document client`,
  );
}
