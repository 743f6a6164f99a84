import { createHash } from 'node:crypto';
import { DenormError } from '../model/errors.ts';
import { compareKeyValues, decode, encode, type KeyValue } from './key-value.ts';

/** The key of an item in the table. */
export type TableKey = readonly [pk: KeyValue, sk: KeyValue];

/** A position in the merged order: a sort key, and the items with this sort key that have been read. */
export interface Position {
  readonly sk: KeyValue;
  /** By a query's number: the last item that it returned with this sort key. */
  readonly last: Map<number, TableKey>;
  /** The values of `dedupe` of these items. */
  readonly values: Set<string>;
}

/** The position of the next item. */
export function positionAt(sk: KeyValue, before: Position | undefined): Position {
  if (before !== undefined && compareKeyValues(before.sk, sk) === 0) return before;
  return { sk, last: new Map(), values: new Set() };
}

const version = 1;

/**
 * A position as opaque text, with keys in readable form.
 * @param queries a text for the queries that the position belongs to
 */
export function toCursor({ sk, last, values }: Position, queries: string): string {
  const position = [encode(sk), [...last].map(([query, key]) => [query, ...key.map(encode)]), [...values]];
  const text = JSON.stringify(position);
  return Buffer.from(JSON.stringify([version, checksum(queries, text), text])).toString('base64url');
}

/**
 * The checksum only finds mistakes. A cursor that is forged with a correct one is harmless: it contains a position, and
 * only the queries say which partitions are read.
 * @throws DenormError if the text is no cursor of these queries
 */
export function fromCursor(cursor: string, queries: string): Position {
  const [read, sum, text] = list(parsed(Buffer.from(cursor, 'base64url').toString()));
  if (read !== version || typeof text !== 'string' || sum !== checksum(queries, text)) throw refusal();
  const [sk, last, values] = list(parsed(text));
  return {
    sk: keyValue(sk),
    last: new Map(
      list(last).map((entry): [number, TableKey] => {
        const [query, ...key] = list(entry);
        if (typeof query !== 'number') throw refusal();
        return [query, [keyValue(key[0]), keyValue(key[1])]];
      }),
    ),
    values: new Set(
      list(values).map((value) => {
        if (typeof value !== 'string') throw refusal();
        return value;
      }),
    ),
  };
}

function keyValue(encoded: unknown): KeyValue {
  const [type, text] = list(encoded);
  if ((type !== 'S' && type !== 'N' && type !== 'B') || typeof text !== 'string') throw refusal();
  return decode([type, text]);
}

/** Cursors contain lists and text alone: `parseJson`, which is for objects with any names, would only make bundles larger. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw refusal();
  }
}

function list(value: unknown): readonly unknown[] {
  if (!Array.isArray(value)) throw refusal();
  return value;
}

function checksum(queries: string, position: string): string {
  return createHash('sha256')
    .update(JSON.stringify([queries, position]))
    .digest('base64url')
    .slice(0, 16);
}

function refusal(): DenormError {
  return new DenormError(
    'read.cursor',
    'Expected the cursor of a page of the same table, queries, direction and `dedupe`, got another text: start again without a cursor',
  );
}
