import type { KeyedItem } from '../model/items/item.ts';
import { keyParts, type TableNames } from '../model/items/table-names.ts';
import { areAlike, bare, isIdName, withoutId } from './key-words.ts';
import type { Column, PulledKind } from './kinds.ts';

/** Where a copy names its root: an id or an attribute for each id of the root's key, or its whole partition key. */
export type Naming =
  | { readonly by: 'ids'; readonly sources: ReadonlyMap<string, Source> }
  | { readonly by: 'key'; readonly attribute: string };

export interface Source {
  readonly name: string;
  readonly is: 'id' | 'attribute';
  readonly inLowerCase: boolean;
}

/** Copies with their roots, both by their place in their kind. */
export interface Join {
  readonly root: PulledKind;
  readonly copy: PulledKind;
  readonly naming: Naming;
  readonly pairs: readonly (readonly [root: number, copy: number])[];
  /** Whether the names say that the copy means this root, and not only the values. */
  readonly isNamed: boolean;
}

/** Of the copies whose roots are known, or absent, so many must have a root among the items. */
const minShare = 0.6;
/** More ways for a copy to name its root are not tried. */
const maxNamings = 200;

/**
 * The best way in which items of one kind name one of the other, if there is any.
 * @param copies those whose roots would be among the items, if they exist; undefined: all
 */
export function joinOf(
  table: TableNames,
  root: PulledKind,
  copy: PulledKind,
  copies: ReadonlySet<KeyedItem> | undefined,
): Join | undefined {
  if (root === copy) return undefined;
  const asked = [...copy.items.keys()].filter((at) => copies === undefined || isIn(copies, copy, at));
  const namings = [...namingsByIds(root, copy, asked), ...namingsByKey(table, root, copy)];
  const joins = namings.flatMap((naming) => joined(root, copy, naming, asked) ?? []);
  return joins.toSorted((one, other) => rank(one) - rank(other))[0];
}

function isIn(copies: ReadonlySet<KeyedItem>, { items }: PulledKind, at: number): boolean {
  const item = items[at];
  return item !== undefined && copies.has(item);
}

/** Names first, then ids before attributes, exact values before those in lower case. */
function rank({ naming, isNamed, pairs }: Join): number {
  const sources = naming.by === 'key' ? [] : [...naming.sources.values()];
  const lower = sources.filter(({ inLowerCase }) => inLowerCase).length;
  const attributes = naming.by === 'key' ? 1 : sources.filter(({ is }) => is === 'attribute').length;
  return (isNamed ? 0 : 1000) + lower * 100 + attributes - pairs.length / 1e6;
}

function joined(
  root: PulledKind,
  copy: PulledKind,
  naming: Naming,
  asked: readonly number[],
): Join | undefined {
  const places = new Map(root.items.map((_, at) => [rootText(root, naming, at), at]));
  const pairs = asked.flatMap((at) => {
    const text = copyText(root, copy, naming, at);
    const place = text === undefined ? undefined : places.get(text);
    return place === undefined ? [] : [[place, at] as const];
  });
  if (pairs.length === 0 || pairs.length < minShare * asked.length) return undefined;
  const isNamed =
    naming.by === 'key' ||
    [...naming.sources].every(([id, { name }]) =>
      [id, root.name].some((one) => areAlike(withoutId(name), one) || bare(name) === bare(one)),
    );
  return { root, copy, naming, pairs, isNamed };
}

function rootText(root: PulledKind, naming: Naming, at: number): string | undefined {
  if (naming.by === 'key') return root.items[at]?.key.pk;
  return JSON.stringify(root.ids.map(({ column }) => column[at]));
}

function copyText(root: PulledKind, copy: PulledKind, naming: Naming, at: number): string | undefined {
  if (naming.by === 'key') return copy.columns.get(naming.attribute)?.[at];
  const texts = root.ids.map(({ name }) => {
    const source = naming.sources.get(name);
    const value = source && columnOf(copy, source)?.[at];
    return source?.inLowerCase ? value?.toLowerCase() : value;
  });
  return texts.includes(undefined) ? undefined : JSON.stringify(texts);
}

export function columnOf(kind: PulledKind, { name, is }: Pick<Source, 'name' | 'is'>): Column | undefined {
  return is === 'id' ? kind.ids.find((id) => id.name === name)?.column : kind.columns.get(name);
}

function namingsByIds(root: PulledKind, copy: PulledKind, asked: readonly number[]): readonly Naming[] {
  if (root.ids.length === 0) return [];
  const named = [
    ...copy.ids.map(({ name }) => ({ name, is: 'id' }) as const),
    ...[...copy.columns.keys()].map((name) => ({ name, is: 'attribute' }) as const),
  ];
  const choices = root.ids.map(({ name, column }): readonly (readonly [string, Source])[] => {
    const known = new Set(column);
    const isKnown = (value: string | undefined) => value !== undefined && known.has(value);
    const enough = (values: Column) =>
      asked.filter((at) => isKnown(values[at])).length >= minShare * asked.length;
    return named.flatMap((one): readonly (readonly [string, Source])[] => {
      const values = columnOf(copy, one) ?? [];
      if (enough(values)) return [[name, { ...one, inLowerCase: false }]];
      const lower = values.map((value) => value?.toLowerCase());
      return one.is === 'attribute' && enough(lower) ? [[name, { ...one, inLowerCase: true }]] : [];
    });
  });
  const all = choices.reduce<readonly (readonly (readonly [string, Source])[])[]>(
    (before, some) => before.flatMap((chosen) => some.map((one) => [...chosen, one])).slice(0, maxNamings),
    [[]],
  );
  return all.map((sources) => ({ by: 'ids', sources: new Map(sources) }));
}

/** An attribute that is the root's whole partition key, if its sort key is the same for all. */
function namingsByKey(table: TableNames, root: PulledKind, copy: PulledKind): readonly Naming[] {
  if (root.sk.ids.length > 0 || keyParts(table).pk[0]?.type !== 'S' || root.pk.begins === '') return [];
  return [...copy.columns.keys()].map((attribute) => ({ by: 'key', attribute }));
}

/** A copy's attribute with that of its root. */
export interface Pair {
  readonly from: string;
  readonly to: string;
  /** Pairs of items that have it, of which so many are equal, with so many values. */
  readonly of: number;
  readonly equal: number;
  readonly values: number;
  readonly isSure: boolean;
}

const minEqual = 0.9;

/** The attributes that copies seem to repeat. */
export function pairsOf(table: TableNames, join: Join): readonly Pair[] {
  const { root, copy } = join;
  const left = new Set(Object.values(table.indexes).flatMap((index) => keyParts(index).names));
  const sources = sourceNames(join);
  const isFree = (kind: PulledKind) => (name: string) =>
    !left.has(name) && !kind.ofIds.has(name) && !ownOfLibraries.has(name);
  const to = [...copy.columns.keys()].filter(isFree(copy)).filter((name) => !sources.has(name));
  const from = [...root.columns.keys()].filter(isFree(root));
  return to.flatMap((name) => {
    const found = from.flatMap((one) => pairOf(join, one, name) ?? []);
    const rankOf = (pair: Pair) => (pair.from === name ? 0 : areAlike(pair.from, name) ? 1 : 2);
    return found.toSorted((one, other) => rankOf(one) - rankOf(other) || other.equal - one.equal).slice(0, 1);
  });
}

/** What libraries write on each item. */
const ownOfLibraries = new Set(['__edb_v__', '_ct', '_md', '_version', '_lastChangedAt', '_deleted']);

export function sourceNames({ naming }: Join): ReadonlySet<string> {
  if (naming.by === 'key') return new Set([naming.attribute]);
  return new Set([...naming.sources.values()].flatMap(({ name, is }) => (is === 'attribute' ? [name] : [])));
}

function pairOf({ root, copy, pairs, isNamed }: Join, from: string, to: string): Pair | undefined {
  if (root.numbers.has(from) !== copy.numbers.has(to)) return undefined;
  const [ofRoot = [], ofCopy = []] = [root.columns.get(from), copy.columns.get(to)];
  const both = pairs.flatMap(([one, other]) => {
    const values = [ofRoot[one], ofCopy[other], one] as const;
    return values[1] === undefined ? [] : [values];
  });
  const equal = both.filter(([one, other]) => one === other);
  if (both.length === 0 || equal.length < minEqual * both.length) return undefined;
  const values = new Set(equal.map(([one]) => one)).size;
  const isLike = areAlike(from, to);
  if (!isLike && values < 3) return undefined;
  // A name is of one root; a status is of many, and so it is often equal by chance.
  const isOwn = values === new Set(equal.map(([, , root]) => root)).size;
  const isEnough =
    values > (isNamed && isLike ? 1 : 2) &&
    chanceOf(equal.map(([one]) => one)) < (isNamed && isOwn ? maxChanceOfOwn : maxChance);
  const isSure = isEnough && beyondChance(both, equal.length) >= minBeyondChance;
  return { from, to, of: both.length, equal: equal.length, values, isSure };
}

/** Of what need not be equal by chance, so much must be. */
const minBeyondChance = 0.8;

/**
 * If most roots are `ACTIVE`, and most copies for reasons of their own, most pairs are equal by chance. Cohen's kappa: 1 if all are
 * equal, 0 if as many are as by chance.
 */
function beyondChance(
  both: readonly (readonly [string | undefined, string | undefined, number])[],
  equal: number,
): number {
  const count = (at: 0 | 1) => {
    const counts = new Map<string | undefined, number>();
    for (const pair of both) counts.set(pair[at], (counts.get(pair[at]) ?? 0) + 1);
    return counts;
  };
  const [ofRoots, ofCopies] = [count(0), count(1)];
  const products = [...ofRoots].map(
    ([value, times]) => (times / both.length) * ((ofCopies.get(value) ?? 0) / both.length),
  );
  const byChance = products.reduce((sum, one) => sum + one, 0);
  return byChance === 1 ? 0 : (equal / both.length - byChance) / (1 - byChance);
}

/** How likely it may be that all are equal by chance. */
const maxChance = 0.001;
/** If each root has a value of its own, and names say that the copy means it. */
const maxChanceOfOwn = 0.05;

/** The chance that as many pairs of such values are all equal. */
function chanceOf(values: Column): number {
  const counts = [...Map.groupBy(values, (value) => value).values()].map(
    (some) => some.length / values.length,
  );
  return counts.reduce((sum, share) => sum + share * share, 0) ** values.length;
}

/** An attribute of the copy that holds one of the root which is not in the root's key: no rule can name the root by it. */
export function unusableName(
  root: PulledKind,
  copy: PulledKind,
): { readonly from: string; readonly to: string } | undefined {
  if (root === copy) return undefined;
  for (const [to, values] of copy.columns) {
    if (!isIdName(to) || copy.ofIds.has(to)) continue;
    if (!areAlike(withoutId(to), root.name)) continue;
    for (const [from, ofRoot] of root.columns) {
      if (!isIdName(from) || root.ofIds.has(from)) continue;
      const known = new Set(ofRoot);
      const found = values.filter((value) => value !== undefined && known.has(value));
      const isUnique = known.size === root.items.length && !known.has(undefined);
      if (isUnique && new Set(found).size > 1 && found.length >= minShare * values.length)
        return { from, to };
    }
  }
  return undefined;
}
