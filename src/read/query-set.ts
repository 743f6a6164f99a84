import type { PartitionQuery } from './key-range.ts';
import { encode, type KeyValue } from './key-value.ts';

/** The queries of a page. Their numbers decide which item comes first if several have the same sort key. */
export interface QuerySet {
  /** Without repetitions, in an order that does not depend on the one in which they are given. */
  readonly queries: readonly PartitionQuery[];
  /** What a cursor belongs to, as text. */
  readonly identity: string;
}

export function querySet(
  given: readonly PartitionQuery[],
  about: {
    readonly tableName: string;
    readonly index?: { readonly name: string } | undefined;
    readonly newestFirst?: boolean | undefined;
    readonly dedupe?: string | undefined;
  },
): QuerySet {
  const byText = new Map(given.map((query) => [textOf(query), query]));
  const sorted = [...byText].sort(([a], [b]) => (a < b ? -1 : 1));
  const { tableName, index, newestFirst = false, dedupe } = about;
  return {
    queries: sorted.map(([, query]) => query),
    identity: JSON.stringify([tableName, index?.name, newestFirst, dedupe, sorted.map(([text]) => text)]),
  };
}

function textOf({ pk, begins, from, to }: PartitionQuery): string {
  const encoded = (value: KeyValue | undefined) => (value === undefined ? null : encode(value));
  return JSON.stringify([encode(pk), begins ?? null, encoded(from), encoded(to)]);
}
