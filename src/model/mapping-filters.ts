import type { KeyPattern } from './key-pattern.ts';
import type { AnyKind } from './kind.ts';
import type { Registry } from './registry.ts';
import type { TableNames } from './table-names.ts';

/** Filters that a mapping takes. Source: Lambda Developer Guide, "Control which events Lambda sends to your function". */
export const maxPatterns = 5;

type Matcher = string | { readonly prefix: string } | { readonly suffix: string };

/** One pattern of a mapping's FilterCriteria: the items whose keys match; an empty list matches any. */
interface KeyFilter {
  readonly pk: readonly Matcher[];
  readonly sk: readonly Matcher[];
}

/** A pattern of FilterCriteria, as its JSON says it. */
export type MappingFilter = Readonly<Record<string, unknown>>;

/** The functions that read the stream. */
export type StreamFunctionName = 'Propagate' | 'Archive';

/** The filters of the function that propagates: roots and copies of every rule, the disabled ones aside. */
export function propagateFilters(registry: Registry): readonly MappingFilter[] {
  return filtersOf(registry.table, kindsRead(registry, 'Propagate'));
}

/** The filters of the function that archives: all archived kinds. None where nothing is archived. */
export function archiveFilters(registry: Registry): readonly MappingFilter[] {
  return filtersOf(registry.table, kindsRead(registry, 'Archive'));
}

/**
 * How many filters would say exactly which records a function reads. Where it is more than {@link mostPatterns}, its
 * filters are broader, and let records of other items pass: invocations to pay for, never a wrong write.
 */
export function exactFilterCount(registry: Registry, name: StreamFunctionName): number {
  return exactFilters(kindsRead(registry, name)).length;
}

function kindsRead({ rules, archives }: Registry, name: StreamFunctionName): readonly AnyKind[] {
  return name === 'Propagate'
    ? rules.flatMap(({ root, copy }) => [root, copy])
    : archives.flatMap(({ kinds }) => kinds);
}

/**
 * Patterns that let every record of these kinds pass, whatever happened to the item: keys alone stand in an INSERT, a
 * MODIFY and a REMOVE alike. A pattern cannot ask for a prefix and a suffix of one key; the suffix is taken where there is
 * one, since keys of several tenants begin alike. Kinds with more than five different shapes are merged, and then let
 * items of other kinds pass as well: the function looks again.
 */
function filtersOf(table: TableNames, kinds: readonly AnyKind[]): MappingFilter[] {
  let filters = exactFilters(kinds);
  if (filters.length > maxPatterns) filters = mergedWhere(filters, (a, b) => same(a.sk, b.sk));
  while (filters.length > maxPatterns) {
    const last = filters.slice(-2);
    filters = [...filters.slice(0, -2), ...mergedWhere(last, () => true)];
  }
  return filters.map((filter) => patternOf(table, filter));
}

/** One filter for each shape of a partition key. */
function exactFilters(kinds: readonly AnyKind[]): KeyFilter[] {
  const distinct = new Map(kinds.map((kind) => [kind.name, kind]));
  const filters = [...distinct.values()].map(
    ({ pkPattern, skPattern }): KeyFilter => ({
      pk: matchersOf(pkPattern),
      sk: matchersOf(skPattern),
    }),
  );
  return mergedWhere(filters, (a, b) => same(a.pk, b.pk));
}

function matchersOf({ edges: { exact, prefix, suffix } }: KeyPattern): Matcher[] {
  if (exact !== undefined) return [exact];
  if (suffix !== '') return [{ suffix }];
  return prefix === '' ? [] : [{ prefix }];
}

function mergedWhere(
  filters: readonly KeyFilter[],
  alike: (a: KeyFilter, b: KeyFilter) => boolean,
): KeyFilter[] {
  const merged: KeyFilter[] = [];
  for (const filter of filters) {
    const at = merged.findIndex((one) => alike(one, filter));
    const other = merged[at];
    if (other === undefined) merged.push(filter);
    else merged[at] = { pk: union(other.pk, filter.pk), sk: union(other.sk, filter.sk) };
  }
  return merged;
}

/** Either of two lists; what matches any key takes all in. */
function union(a: readonly Matcher[], b: readonly Matcher[]): readonly Matcher[] {
  if (a.length === 0 || b.length === 0) return [];
  return [...new Map([...a, ...b].map((matcher) => [JSON.stringify(matcher), matcher])).values()];
}

function same(a: readonly Matcher[], b: readonly Matcher[]): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

function patternOf(table: TableNames, { pk, sk }: KeyFilter): MappingFilter {
  // A record always has its keys: this matches any.
  const anything = { [table.pk]: { S: [{ exists: true }] } };
  const keys = {
    ...(pk.length > 0 && { [table.pk]: { S: pk } }),
    ...(sk.length > 0 && { [table.sk]: { S: sk } }),
  };
  return { dynamodb: { Keys: Object.keys(keys).length === 0 ? anything : keys } };
}
