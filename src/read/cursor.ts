import { createHash } from 'node:crypto';
import { DenormError } from '../model/basics/errors.ts';
import { decode, type EncodedKeyValue, encode, type KeyValue } from './key-value.ts';

/** The key of an item in the table: the partition key and, if there is one, the sort key. */
export type TableKey = readonly KeyValue[];

/** A position in the merged order: a sort key, as a list of its attributes, and the items with this sort key that have been read. */
export interface Position {
  readonly sk: readonly KeyValue[];
  /** By a query's number: the last item that it returned with this sort key. */
  readonly last: Map<number, TableKey>;
  /** The values of `dedupe` of these items. */
  readonly values: Set<string>;
}

type EncodedPosition = [
  /** The attribute itself if it is the only one. */
  sk: EncodedKeyValue | EncodedKeyValue[],
  last: [query: number, ...key: EncodedKeyValue[]][],
  values: string[],
];

/**
 * A position as opaque text, with keys in readable form.
 * @param queries a text for the queries that the position belongs to
 */
export function toCursor({ sk, last, values }: Position, queries: string): string {
  const keys = [...last].map(([query, key]): EncodedPosition[1][0] => [query, ...key.map(encode)]);
  const [only, ...more] = sk.map(encode);
  const position: EncodedPosition = [
    only !== undefined && more.length === 0 ? only : sk.map(encode),
    keys,
    [...values],
  ];
  return Buffer.from(JSON.stringify([checksum(queries, position), ...position])).toString('base64url');
}

/**
 * The checksum only finds mistakes. A cursor that is forged with a correct one is harmless: it contains a position, and
 * only the queries say which partitions are read.
 * @throws DenormError if the text is no cursor of these queries
 */
export function fromCursor(cursor: string, queries: string): Position {
  try {
    // Not parseJson, which is for objects with any names: it would only make bundles larger.
    const read: [string, ...EncodedPosition] = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    const [sum, ...position] = read;
    if (sum !== checksum(queries, position)) throw new TypeError('another checksum');
    const [sk, last, values] = position;
    return {
      sk: isOne(sk) ? [decode(sk)] : sk.map(decode),
      last: new Map(last.map(([query, ...key]) => [query, key.map(decode)])),
      values: new Set(values),
    };
  } catch {
    throw new DenormError(
      'read.cursor',
      'Expected the cursor of a page of the same table, queries, direction and `dedupe`, got another text: start again without a cursor',
    );
  }
}

function isOne(sk: EncodedPosition[0]): sk is EncodedKeyValue {
  return typeof sk[0] === 'string';
}

function checksum(queries: string, position: EncodedPosition): string {
  return createHash('sha256')
    .update(JSON.stringify([queries, position]))
    .digest('base64url')
    .slice(0, 16);
}
