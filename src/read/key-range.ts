import { DenormError } from '../model/basics/errors.ts';
import { compareKeyValues, type KeyValue } from './key-value.ts';

/** The sort keys of a query: all of a partition unless they are restricted. */
export interface KeyRange {
  /** The sort key, which is text, begins with this. */
  readonly begins?: string | undefined;
  /** The sort key is this or comes after it. */
  readonly from?: KeyValue | undefined;
  /** The sort key is this or comes before it. */
  readonly to?: KeyValue | undefined;
}

/** One partition, and the part of it that is read. */
export interface PartitionQuery extends KeyRange {
  /** Of an index with several attributes in its partition key, one for each. */
  readonly pk: KeyValue | readonly KeyValue[];
  /** Of an index with several attributes in its sort key, the values of the first ones; the range is of the next. Default: none. */
  readonly sk?: readonly KeyValue[] | undefined;
}

/** @throws DenormError if the query restricts the sort key in two ways, which DynamoDB does not allow */
export function rangeOf({ begins, from, to }: PartitionQuery): KeyRange {
  if (begins === undefined || begins === '') return { from, to };
  if (from !== undefined || to !== undefined)
    throw new DenormError(
      'read.query',
      'Expected a query to have either `begins` or `from` and `to`, got both: leave one of them out',
    );
  return { begins, from: begins, to: successor(begins) };
}

/** What of a range is at a position and ahead of it: the range itself if all of it is ahead. */
export function restOf(range: KeyRange, position: KeyValue, newestFirst: boolean): KeyRange {
  const { from, to } = range;
  if (newestFirst)
    return to !== undefined && compareKeyValues(to, position) < 0 ? range : { ...range, to: position };
  return from !== undefined && compareKeyValues(from, position) > 0 ? range : { ...range, from: position };
}

/** The condition of a range on the sort key, named `#sk`, with its values; without a condition, every sort key is in it. */
export function conditionOf({ begins, from, to }: KeyRange): readonly [string, Record<string, KeyValue>] {
  if (begins !== undefined && begins === from && to === successor(begins))
    return [' AND begins_with(#sk, :begins)', { ':begins': begins }];
  if (from !== undefined && to !== undefined)
    return [' AND #sk BETWEEN :from AND :to', { ':from': from, ':to': to }];
  if (from !== undefined) return [' AND #sk >= :from', { ':from': from }];
  return to === undefined ? ['', {}] : [' AND #sk <= :to', { ':to': to }];
}

/** A condition from a prefix up to a position may find the text that follows all texts with the prefix. */
export function isIn({ begins }: KeyRange, sk: KeyValue): boolean {
  return begins === undefined || (typeof sk === 'string' && sk.startsWith(begins));
}

/** No range contains anything if it ends before it begins, and DynamoDB would refuse the condition. */
export function isEmpty({ from, to }: KeyRange): boolean {
  return from !== undefined && to !== undefined && compareKeyValues(from, to) > 0;
}

/** The first text after all texts with a prefix, in the order of UTF-8 bytes; undefined if there is none. */
function successor(prefix: string): string | undefined {
  const points = Array.from(prefix, (character) => character.codePointAt(0) ?? 0);
  for (let last = points.pop(); last !== undefined; last = points.pop())
    if (last < 0x10ffff) return String.fromCodePoint(...points, last === 0xd7ff ? 0xe000 : last + 1);
  return undefined;
}
