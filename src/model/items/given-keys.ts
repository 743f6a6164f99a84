import { type CopyLocation, indexNamed, type QueriedRange } from './copy-location.ts';
import { plainNumber } from './decimal.ts';
import type { ItemKey } from './item.ts';
import {
  type IndexNames,
  type KeyAttribute,
  type KeyAttributes,
  type KeyNames,
  type KeyPart,
  keyParts,
  type TableNames,
} from './table-names.ts';

/** The value of a key attribute, as a rule's function gives it: text for an S, a number for an N, or the number's text. */
export type KeyValue = string | number | bigint;

/** The key of an item, as a rule's function gives it. `sk` is left out in a table without sort keys. */
export interface GivenKey {
  readonly pk: KeyValue;
  readonly sk?: KeyValue | undefined;
}

/**
 * A partition, or a part of it. Of the sort key's attributes the first ones may be given, and for the next one either
 * `begins`, of text, or `from` and `to`, which are within the range.
 */
export interface KeyRange {
  readonly pk: KeyValue | readonly KeyValue[];
  readonly sk?: readonly KeyValue[];
  readonly begins?: string | undefined;
  readonly from?: KeyValue | undefined;
  readonly to?: KeyValue | undefined;
}

type ValueOf<Attribute> = Attribute extends { readonly type: 'N' } ? number | bigint : string;

type ValuesOf<Attributes> = Attributes extends readonly KeyAttribute[]
  ? { readonly [Position in keyof Attributes]: ValueOf<Attributes[Position]> }
  : ValueOf<Attributes>;

type FirstOf<Attributes> = Attributes extends readonly [infer First, ...infer Rest]
  ? readonly [] | readonly [ValueOf<First>, ...FirstOf<Rest>]
  : readonly [];

type LimitsOf<Attributes> = Attributes extends readonly KeyAttribute[]
  ? LimitsOf<Attributes[number]>
  : Attributes extends { readonly type: 'N' }
    ? { readonly from?: number | bigint; readonly to?: number | bigint }
    : { readonly begins?: string; readonly from?: string; readonly to?: string };

/** Lets the compiler take a list for a tuple before it knows the index. */
interface Tuples {
  readonly pk: KeyValue | readonly KeyValue[] | readonly [KeyValue];
  readonly sk?: readonly KeyValue[] | readonly [KeyValue];
}

/** A range of this index: all attributes of its partition key, and of its sort key the first ones. */
export type RangeOf<Index extends IndexNames> = Tuples & AttributesOf<Index>;

type AttributesOf<Index extends IndexNames> = IndexNames extends Index
  ? KeyRange
  : { readonly pk: ValuesOf<Index['pk']> } & (Index extends { readonly sk: infer Sk extends KeyAttributes }
      ? { readonly sk?: FirstOf<Sk> } & LimitsOf<Sk>
      : { readonly begins?: never; readonly from?: never; readonly to?: never });

/** @param given of the types of the table's key attributes */
export function keyGiven(table: KeyNames, { pk, sk }: GivenKey): ItemKey {
  const [ofPk, ofSk] = keyParts(table).all;
  return { pk: textGiven(ofPk, pk), sk: sk === undefined ? '' : textGiven(ofSk, sk) };
}

/** @param given of the types of the key attributes */
export function rangeGiven(keys: KeyNames, { pk, sk, begins, from, to }: KeyRange): QueriedRange {
  const parts = keyParts(keys);
  const equal = parts.sk.length > 1 ? (sk ?? []) : [];
  const firstOf = (some: readonly KeyPart[], values: readonly KeyValue[]) =>
    values.map((value, index) => textGiven(some[index], value));
  const [only = '', ...more] = firstOf(parts.pk, [pk].flat());
  const next = parts.sk[equal.length];
  return {
    pk: more.length === 0 ? only : [only, ...more],
    ...(equal.length > 0 && { sk: firstOf(parts.sk, equal) }),
    ...(begins !== undefined && { begins }),
    ...(from !== undefined && { from: textGiven(next, from) }),
    ...(to !== undefined && { to: textGiven(next, to) }),
  };
}

/** A location that a function gives: `{ in: 'key', pk, sk }`, or a range of a partition or of an index. */
export type GivenLocation =
  | ({ readonly in: 'key' } & GivenKey)
  | ({ readonly in: 'partition' } & KeyRange)
  | ({ readonly in: 'index'; readonly index: string } & KeyRange);

/** @param location of the table, or of an index that it has */
export function locationGiven(
  table: TableNames,
  location: GivenLocation,
): Exclude<CopyLocation, { in: 'keys' }> {
  if (location.in === 'key') return { in: 'key', ...keyGiven(table, location) };
  if (location.in === 'partition') return { in: 'partition', ...rangeGiven(table, location) };
  const { index } = location;
  return { in: 'index', index, ...rangeGiven(indexNamed(table, index) ?? table, location) };
}

/** Whether a value is of the attribute's type, whatever its length. */
export function fitsPart(part: KeyPart | undefined, value: unknown): value is KeyValue {
  if (part === undefined) return false;
  if (part.type === 'S') return typeof value === 'string' && value.isWellFormed();
  const isNumber = typeof value === 'number' || typeof value === 'bigint' || typeof value === 'string';
  return isNumber && plainNumber(String(value)) !== undefined;
}

export function textGiven(part: KeyPart | undefined, value: KeyValue): string {
  const text = String(value);
  return part?.type === 'N' ? (plainNumber(text) ?? text) : text;
}
