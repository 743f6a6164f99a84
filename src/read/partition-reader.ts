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
  readonly client: { query(request: QueryRequest): Promise<QueryResult> };
  readonly tableName: string;
  readonly table: { readonly pk: string; readonly sk: string };
  readonly index?: { readonly name: string; readonly pk: string; readonly sk: string } | undefined;
  readonly newestFirst?: boolean | undefined;
  readonly limit: number;
}

/** An item that is not returned yet, with what the merge compares. */
interface Head {
  readonly item: ReadItem;
  readonly sk: KeyValue;
  readonly key: TableKey;
}

/** Reads one query from a position on, a page whenever it is asked to. */
export class PartitionReader {
  /** The query's place in the order in which items with one sort key are returned. */
  readonly number: number;
  /** The items that are read and not returned. */
  readonly heads: Head[] = [];
  private readonly source: Source;
  private readonly pk: KeyValue;
  private readonly range: KeyRange;
  private next: Record<string, unknown> | undefined;
  private ended: boolean;

  /**
   * It goes on behind the last item that the query returned with the position's sort key, or, if it returned none, with the
   * first item that has this sort key.
   */
  constructor(source: Source, query: PartitionQuery, number: number, position: Position | undefined) {
    const { table, index = table, newestFirst = false } = source;
    const range = rangeOf(query);
    this.source = source;
    this.number = number;
    this.pk = query.pk;
    this.range = position === undefined ? range : restOf(range, position.sk, newestFirst);
    this.ended = isEmpty(range) || isEmpty(this.range);
    const key = position?.last.get(number);
    if (position === undefined || key === undefined || this.range === range || !isIn(range, position.sk))
      return;
    this.next = { [table.pk]: key[0], [table.sk]: key[1], [index.pk]: query.pk, [index.sk]: position.sk };
  }

  /** Whether only another page can tell what the next item is. */
  get needsPage(): boolean {
    return this.heads.length === 0 && !this.ended;
  }

  async readPage(): Promise<void> {
    const { client, table, index = table } = this.source;
    const { Items = [], LastEvaluatedKey } = await client.query(this.request());
    for (const item of Items) {
      const sk = keyOf(item, index.sk);
      if (isIn(this.range, sk))
        this.heads.push({ item, sk, key: [keyOf(item, table.pk), keyOf(item, table.sk)] });
    }
    this.next = LastEvaluatedKey;
    // What is not in the range comes after all that is.
    this.ended = this.next === undefined || this.heads.length < Items.length;
  }

  private request(): QueryRequest {
    const { tableName, table, index, newestFirst = false, limit } = this.source;
    const names = index ?? table;
    const [condition, values] = conditionOf(this.range);
    return {
      TableName: tableName,
      ...(index !== undefined && { IndexName: index.name }),
      KeyConditionExpression: `#pk = :pk${condition}`,
      ExpressionAttributeNames: { '#pk': names.pk, ...(condition !== '' && { '#sk': names.sk }) },
      ExpressionAttributeValues: { ':pk': this.pk, ...values },
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
