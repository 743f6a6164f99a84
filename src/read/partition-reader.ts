import { DenormError } from '../model/basics/errors.ts';
import { type IndexNames, type KeyNames, type KeyPart, keyParts } from '../model/items/table-names.ts';
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
import { compareKeys, isKeyValue, type KeyValue } from './key-value.ts';

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
  Limit: number;
  ExclusiveStartKey?: Record<string, unknown>;
}

/** What is used of the output of `QueryCommand`. */
export interface QueryResult {
  readonly Items?: Record<string, unknown>[] | undefined;
  readonly LastEvaluatedKey?: Record<string, unknown> | undefined;
}

/** Anything that queries as `DynamoDBDocument` of `@aws-sdk/lib-dynamodb` does, in any version of the SDK. */
export interface QueryClient {
  query(request: QueryRequest): Promise<QueryResult>;
}

/** What all queries of a page have in common. */
export interface Source {
  readonly client: QueryClient;
  readonly tableName: string;
  /** The names of the table's key attributes. */
  readonly table: KeyNames;
  /** The index to read, whose sort key then decides the order. Default: the table itself. */
  readonly index?: IndexNames | undefined;
  /** Whether the greatest sort key comes first. Default: false. */
  readonly newestFirst?: boolean | undefined;
  /** The number of items on a page, from 1 up. Only the last page has fewer. */
  readonly limit: number;
}

/** An item that is not returned yet, with what the merge compares. */
interface Head {
  readonly item: ReadItem;
  readonly sk: readonly KeyValue[];
  readonly key: TableKey;
}

/** Reads one query from a position on, a page whenever it is asked to. */
export class PartitionReader {
  /** The query's place in the order in which items with one sort key are returned. */
  readonly number: number;
  /** The items that are read and not returned. */
  readonly heads: Head[] = [];
  private readonly source: Source;
  private readonly query: PartitionQuery;
  private readonly range: KeyRange;
  /** Items before it were returned. */
  private readonly start: readonly KeyValue[] | undefined;
  private next: Record<string, unknown> | undefined;
  private ended: boolean;

  /**
   * It goes on behind the last item that the query returned with the position's sort key, or, if it returned none, with the
   * first item that has this sort key.
   */
  constructor(source: Source, query: PartitionQuery, number: number, position: Position | undefined) {
    const { newestFirst = false } = source;
    const range = rangeOf(query);
    const { sk: equal = [] } = query;
    // Of several attributes, the first ones may be ahead of the position, or behind it.
    const ahead = position === undefined ? 0 : compareKeys(equal, position.sk) * (newestFirst ? -1 : 1);
    const at = ahead === 0 ? position?.sk[equal.length] : undefined;
    this.source = source;
    this.number = number;
    this.query = query;
    this.start = position?.sk;
    this.range = at === undefined ? range : restOf(range, at, newestFirst);
    this.ended = ahead < 0 || isEmpty(range) || isEmpty(this.range);
    const key = position?.last.get(number);
    if (position === undefined || key === undefined || ahead !== 0) return;
    if (at !== undefined && (this.range === range || !isIn(range, at))) return;
    this.next = this.keyAt(position.sk, key);
  }

  private keyAt(sk: readonly KeyValue[], key: TableKey): Record<string, unknown> {
    const { table, index = table } = this.source;
    const parts = keyParts(index);
    const named = (names: readonly KeyPart[], values: readonly KeyValue[]) =>
      Object.fromEntries(names.map(({ name }, place) => [name, values[place]]));
    return {
      ...named(keyParts(table).all, key),
      ...named(parts.pk, [this.query.pk].flat()),
      ...named(parts.sk, sk),
    };
  }

  /** Whether only another page can tell what the next item is. */
  get needsPage(): boolean {
    return this.heads.length === 0 && !this.ended;
  }

  async readPage(): Promise<void> {
    const { client, table, index = table } = this.source;
    const { Items = [], LastEvaluatedKey } = await client.query(this.request());
    const inRange = Items.map((item) => ({
      item,
      sk: keyParts(index).sk.map(({ name }) => keyOf(item, name)),
      key: keyParts(table).names.map((name) => keyOf(item, name)),
    })).filter(({ sk }) => isIn(this.range, sk[this.query.sk?.length ?? 0] ?? ''));
    this.heads.push(...inRange.filter(({ sk }) => !this.isReturned(sk)));
    this.next = LastEvaluatedKey;
    // What is not in the range comes after all that is.
    this.ended = this.next === undefined || inRange.length < Items.length;
  }

  /** Of several attributes, only the first one is asked for. */
  private isReturned(sk: readonly KeyValue[]): boolean {
    const { newestFirst = false } = this.source;
    const order = this.start === undefined ? 0 : compareKeys(sk, this.start);
    return newestFirst ? order > 0 : order < 0;
  }

  private request(): QueryRequest {
    const { tableName, table, index, newestFirst = false, limit } = this.source;
    const { pk, sk } = keyParts(index ?? table);
    const [condition, values] = conditionOf(this.range);
    const { pk: ofPk, sk: ofSk = [] } = this.query;
    const equal = [
      ...[ofPk].flat().map((value, at) => [pk[at], value] as const),
      ...ofSk.map((value, at) => [sk[at], value] as const),
    ];
    const placeholder = (at: number) => (at === 0 ? 'pk' : `pk${at}`);
    return {
      TableName: tableName,
      ...(index !== undefined && { IndexName: index.name }),
      KeyConditionExpression: `${equal.map((_, at) => `#${placeholder(at)} = :${placeholder(at)}`).join(' AND ')}${condition}`,
      ExpressionAttributeNames: {
        ...Object.fromEntries(equal.map(([part], at) => [`#${placeholder(at)}`, part?.name ?? ''])),
        ...(condition !== '' && { '#sk': sk[ofSk.length]?.name ?? '' }),
      },
      ExpressionAttributeValues: {
        ...Object.fromEntries(equal.map(([, value], at) => [`:${placeholder(at)}`, value])),
        ...values,
      },
      ScanIndexForward: !newestFirst,
      Limit: limit,
      ...(this.next !== undefined && { ExclusiveStartKey: this.next }),
    };
  }
}

function keyOf(item: ReadItem, name: string): KeyValue {
  const value = item[name];
  if (isKeyValue(value)) return value;
  throw new DenormError(
    'read.no-key',
    `Expected every item to have the key attribute ${name} as text, number or bytes, got another value: give the names of the table's and the index's keys, and a document client`,
  );
}
