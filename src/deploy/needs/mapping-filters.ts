import { type KeyPart, keyParts, type TableNames } from '../../model/items/table-names.ts';
import type { KeyPattern } from '../../model/kinds/key-pattern.ts';
import type { AnyKind } from '../../model/kinds/kind.ts';
import { kindsReadBy } from '../../model/rules/ledger.ts';
import type { Registry } from '../../model/rules/registry.ts';
import { onlyRemoves } from '../../model/rules/rule-attributes.ts';
import { heartbeatKey } from '../../model/work/heartbeat.ts';
import type { StreamFunction } from '../../model/work/settings.ts';

/** The maximum number of filters of an event source mapping. Source: Lambda Developer Guide, "Control which events Lambda sends to your function". */
export const maxPatterns = 5;

/**
 * The maximum length of a pattern, in characters without spaces. Lambda allows 4,096, and the template's spaces make a pattern
 * up to a quarter longer. Source: Lambda API Reference, "Filter".
 */
const maxPatternLength = 3200;

type Matcher = string | { readonly prefix: string } | { readonly suffix: string };

/** One filter: it passes items whose keys match. An empty list matches any key. */
interface KeyFilter {
  readonly kinds: readonly string[];
  readonly pk: readonly Matcher[];
  readonly sk: readonly Matcher[];
}

export type FilterPattern = Readonly<Record<string, unknown>>;

/**
 * The filters of a function: those of `Propagate` pass the roots of every rule, its copies unless it only removes them, the members
 * and targets of every aggregate, those of `Archive` all archived kinds. They test only keys, which INSERT, MODIFY and REMOVE
 * records all have. A filter cannot test both the prefix and the suffix of a key; it tests the suffix if there is one, because the
 * keys of several tenants share their prefixes. More than five are merged, and then also pass items of other kinds: that costs
 * invocations but never causes a wrong write.
 */
export function mappingFilters({ table, ...registry }: Registry, name: StreamFunction) {
  const kinds = kindsRead[name](registry);
  const exact = exactFilters(table, kinds);
  let filters: readonly KeyFilter[] = exact;
  if (filters.length > maxPatterns) filters = mergedWhere(filters, (a, b) => same(a.sk, b.sk));
  while (filters.length > maxPatterns) {
    const last = filters.slice(-2);
    filters = [...filters.slice(0, -2), ...mergedWhere(last, () => true)];
  }
  if (kinds.length > 0) filters = withHeartbeat(table, filters);
  return {
    /** How many would pass exactly the records that the function needs: if more than {@link maxPatterns}, these are broader. */
    exact: exact.length,
    filters: filters.map((filter) => ({ pattern: patternOf(table, filter), kinds: filter.kinds })),
  };
}

/** The same without names. Empty if the function has nothing to read. */
export function filterPatterns(registry: Registry, name: StreamFunction): readonly FilterPattern[] {
  return mappingFilters(registry, name).filters.map(({ pattern }) => pattern);
}

/** In a filter of its own, or else with the last: it alone has its keys, so that other items pass as before. */
function withHeartbeat(table: TableNames, filters: readonly KeyFilter[]): readonly KeyFilter[] {
  const key = heartbeatKey(table);
  if (key === undefined) return filters;
  const [, ofSk] = keyParts(table).all;
  const own: KeyFilter = { kinds: ['the heartbeat'], pk: [key.pk], sk: ofSk?.type === 'S' ? [key.sk] : [] };
  if (filters.length < maxPatterns) return [...filters, own];
  return [...filters.slice(0, -1), ...mergedWhere([...filters.slice(-1), own], () => true)];
}

const kindsRead: Readonly<Record<StreamFunction, (registry: Omit<Registry, 'table'>) => readonly AnyKind[]>> =
  {
    Propagate: ({ rules, aggregates }) => [
      ...rules.flatMap((rule) => (onlyRemoves(rule) ? [rule.root] : [rule.root, rule.copy])),
      ...aggregates.flatMap(kindsReadBy),
    ],
    Archive: ({ archives }) => archives.flatMap(({ kinds }) => kinds),
  };

function exactFilters(table: TableNames, kinds: readonly AnyKind[]): KeyFilter[] {
  const [ofPk, ofSk] = keyParts(table).all;
  const distinct = new Map(
    kinds.map((kind) => [JSON.stringify([kind.name, kind.pkPattern.pattern, kind.skPattern.pattern]), kind]),
  );
  const filters = [...distinct.values()].map(
    ({ name, pkPattern, skPattern }): KeyFilter => ({
      kinds: [name],
      pk: matchersOf(ofPk, pkPattern),
      sk: matchersOf(ofSk, skPattern),
    }),
  );
  return mergedWhere(filters, (a, b) => same(a.pk, b.pk));
}

/** Of a number, any: filters compare texts, and how Lambda writes a number is nowhere said. */
function matchersOf(part: KeyPart | undefined, { edges: { exact, prefix, suffix } }: KeyPattern): Matcher[] {
  if (part?.type !== 'S') return [];
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
    else
      merged[at] = {
        kinds: [...other.kinds, ...filter.kinds],
        pk: union(other.pk, filter.pk),
        sk: union(other.sk, filter.sk),
      };
  }
  return merged;
}

/** The union of two lists. An empty list matches any key, so the union with it is empty too. */
function union(a: readonly Matcher[], b: readonly Matcher[]): readonly Matcher[] {
  if (a.length === 0 || b.length === 0) return [];
  return [...new Map([...a, ...b].map((matcher) => [JSON.stringify(matcher), matcher])).values()];
}

function same(a: readonly Matcher[], b: readonly Matcher[]): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

/** A pattern that would be too long tests less: partition keys only, otherwise nothing. */
function patternOf(table: TableNames, { pk, sk }: KeyFilter): FilterPattern {
  const patterns = [keysPattern(table, pk, sk), keysPattern(table, pk, [])];
  return (
    patterns.find((pattern) => JSON.stringify(pattern).length <= maxPatternLength) ??
    keysPattern(table, [], [])
  );
}

function keysPattern(table: TableNames, pk: readonly Matcher[], sk: readonly Matcher[]): FilterPattern {
  // Every record has its keys, so this matches any record.
  const [ofPk, ofSk] = keyParts(table).all;
  const tested = (part: typeof ofPk, matchers: readonly unknown[]) =>
    part !== undefined && matchers.length > 0 ? { [part.name]: { [part.type]: matchers } } : {};
  const keys = { ...tested(ofPk, pk), ...tested(ofSk, sk) };
  const anything = tested(ofPk, [{ exists: true }]);
  return { dynamodb: { Keys: Object.keys(keys).length === 0 ? anything : keys } };
}
