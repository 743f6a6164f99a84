import type { KeyedItem } from '../model/items/item.ts';
import { keyParts, type TableNames } from '../model/items/table-names.ts';
import { type PulledIndex, pulledIndexes } from './index-keys.ts';
import { type Join, joinOf, type Pair, pairsOf, unusableName } from './joins.ts';
import { bare, camelCase, withoutId } from './key-words.ts';
import type { Column, IdNames, PulledKind } from './kinds.ts';

/** An id or an attribute of the root. */
export interface RootSource {
  readonly name: string;
  readonly is: 'id' | 'attribute';
}

/** Text, or an id of the root. */
export type Composed = readonly (string | RootSource)[];

/** Where the root's copies are found. */
export type Found =
  | { readonly in: 'partition'; readonly ids: ReadonlyMap<string, RootSource>; readonly begins: string }
  | {
      readonly in: 'index';
      readonly property: string;
      readonly pk: Composed | 'root';
      readonly begins: string;
    }
  | { readonly in: 'key'; readonly ids: ReadonlyMap<string, RootSource> };

export interface PulledRule {
  readonly join: Join;
  readonly pairs: readonly Pair[];
  readonly found: Found | undefined;
}

export interface PulledRules {
  /** Those that the items leave no doubt of. */
  readonly sure: readonly (PulledRule & { readonly found: Found })[];
  /** With the reason. */
  readonly unsure: readonly (PulledRule & { readonly because: string })[];
  readonly notes: readonly string[];
}

export function pulledRules(
  table: TableNames,
  kinds: readonly PulledKind[],
  copies?: ReadonlySet<KeyedItem>,
): PulledRules {
  const indexes = new Map(kinds.map((kind) => [kind, pulledIndexes(table, kind)]));
  const candidates = kinds
    .flatMap((root) => kinds.flatMap((copy) => joinOf(table, root, copy, copies) ?? []))
    .flatMap((join): readonly PulledRule[] => {
      const pairs = pairsOf(table, join);
      if (pairs.length === 0) return [];
      return [{ join, pairs, found: foundBy(table, join, indexes.get(join.copy) ?? []) }];
    })
    .toSorted((one, other) => compare(ranks(one), ranks(other)));
  const sure: (PulledRule & { found: Found })[] = [];
  const unsure: (PulledRule & { because: string })[] = [];
  for (const candidate of candidates) {
    const { join, pairs, found } = candidate;
    const { root, copy } = join;
    // Between two kinds, one of both directions is right: never both.
    if (reaches(sure, copy, root)) continue;
    const taken = new Set(
      sure.filter((rule) => rule.join.copy === copy).flatMap((rule) => rule.pairs.map(({ to }) => to)),
    );
    const free = pairs.filter(({ to }) => !taken.has(to));
    const certain = free.filter(({ isSure }) => isSure);
    const because = doubtOf(candidate, certain, candidates);
    if (because === undefined && found !== undefined) sure.push({ join, pairs: certain, found });
    const doubtful = because === undefined ? free.filter(({ isSure }) => !isSure) : free;
    if (doubtful.length > 0 && (certain.length > 0 || join.isNamed))
      unsure.push({ ...candidate, pairs: doubtful, because: because ?? tooFew });
  }
  // The first of two directions is the likelier one.
  const isFirst = ({ join }: PulledRule, at: number) =>
    ![...sure, ...unsure.slice(0, at)].some(
      (rule) => rule.join.root === join.copy && rule.join.copy === join.root,
    );
  return { sure, unsure: unsure.filter(isFirst), notes: unnamed(kinds, candidates) };
}

const tooFew = 'it may be chance';

const minRoots = 3;

/** How much names say that the copy means this root: that they are alike, or the name of its kind. */
function meansRoot({ naming, root, isNamed }: Join): number {
  const names =
    naming.by === 'key' ? [naming.attribute] : [...naming.sources.values()].map(({ name }) => name);
  return names.some((name) => bare(withoutId(name)) === bare(root.name)) ? 2 : Number(isNamed);
}

/** Why a rule is not sure. */
function doubtOf(
  candidate: PulledRule,
  certain: readonly Pair[],
  all: readonly PulledRule[],
): string | undefined {
  const { join, found } = candidate;
  // Items that are made together have one time, which says nothing alone. Of few roots, ids are equal by chance.
  const says = certain.filter(({ to }) => !isTime(to)).map(({ to }) => to);
  const roots = new Set(join.pairs.map(([root]) => root)).size;
  if (says.length === 0 || roots < minRoots) return tooFew;
  if (found === undefined) return 'nothing finds the copies';
  const rival = all.find(
    (rule) =>
      rule.join.copy === join.copy &&
      rule.join.root !== join.root &&
      meansRoot(rule.join) >= meansRoot(join) &&
      says.every((to) => rule.pairs.some((pair) => pair.to === to && pair.isSure)),
  );
  if (rival !== undefined) return `${rival.join.root.name} may be the root, too`;
  const reverse = all.find((rule) => rule.join.root === join.copy && rule.join.copy === join.root);
  if (!reverse?.join.isNamed) return undefined;
  const isAsNear = attributesOf(reverse.join) <= attributesOf(join);
  const isEither = !join.isNamed || (isAsNear && !hasMany(join) && !hasMany(reverse.join));
  return isEither ? 'either may be the root of the other' : undefined;
}

/** Attributes by which a copy names its root: the fewer, the more it means it. */
function attributesOf({ naming }: Join): number {
  if (naming.by === 'key') return 1;
  return [...naming.sources.values()].filter(({ is }) => is === 'attribute').length;
}

/** Whether a root has several copies. */
function hasMany({ pairs }: Join): boolean {
  return new Set(pairs.map(([root]) => root)).size < pairs.length;
}

/** Names for ids of copies: of what they equal in their root. */
export function idNamesBy({ sure }: PulledRules): IdNames {
  return new Map(
    sure.flatMap(({ join, found }) => {
      if (found.in !== 'key') return [];
      const names = [...found.ids].map(([id, { name }]) => [id, camelCase(withoutId(name))] as const);
      return [[join.copy.name, new Map(names)] as const];
    }),
  );
}

function isTime(name: string): boolean {
  return /created|updated|modified|changed|timestamp/i.test(name);
}

/** A root with several copies first, then what names say, then what most attributes say. */
function ranks({ join, pairs }: PulledRule): readonly number[] {
  const { root, copy } = join;
  return [
    Number(!hasMany(join)),
    -meansRoot(join),
    -pairs.filter(({ isSure }) => isSure).length,
    attributesOf(join),
    copy.columns.size - root.columns.size,
  ];
}

function compare(one: readonly number[], other: readonly number[]): number {
  const at = one.findIndex((value, index) => value !== other[index]);
  return at < 0 ? 0 : (one[at] ?? 0) - (other[at] ?? 0);
}

function reaches(rules: readonly PulledRule[], from: PulledKind, to: PulledKind): boolean {
  return from === to || rules.some(({ join }) => join.root === from && reaches(rules, join.copy, to));
}

function unnamed(kinds: readonly PulledKind[], candidates: readonly PulledRule[]): readonly string[] {
  return kinds.flatMap((root) =>
    kinds.flatMap((copy) => {
      const name = unusableName(root, copy);
      if (name === undefined || candidates.some(({ join }) => join.root === root && join.copy === copy))
        return [];
      return `${copy.name}.${name.to} is ${name.from} of ${root.name}, which is not in the key of ${root.name}: no rule can name ${root.name} by it. Let ${copy.name} hold the ids of that key.`;
    }),
  );
}

/** A partition of the table, else of an index, else a key. */
function foundBy(table: TableNames, join: Join, indexes: readonly PulledIndex[]): Found | undefined {
  const { copy } = join;
  const follow = (
    columns: readonly { readonly name: string; readonly column: Column }[],
    from: readonly RootSource['is'][],
  ) => {
    const found = columns.map(({ name, column }) => [name, sourceOf(join, column, from)] as const);
    const known = found.flatMap(([name, source]) => (source === undefined ? [] : [[name, source] as const]));
    return known.length === found.length ? new Map(known) : undefined;
  };
  const ofPk = copy.pk.ids.length === 0 ? undefined : follow(copy.pk.ids, ['id']);
  if (ofPk !== undefined && table.sk !== undefined)
    return { in: 'partition', ids: ofPk, begins: copy.sk.begins };
  for (const one of indexes) {
    const pk = composed(join, one);
    if (pk !== undefined) return { in: 'index', property: one.property, pk, begins: beginOf(one) };
  }
  const ofKey = follow(copy.ids, ['id', 'attribute']);
  return ofKey === undefined || copy.ids.length === 0 ? undefined : { in: 'key', ids: ofKey };
}

/** What of the root equals a column of its copies, in all pairs. */
function sourceOf(
  { root, copy, naming, pairs }: Join,
  column: Column,
  from: readonly RootSource['is'][],
): RootSource | undefined {
  const isVarying = new Set(pairs.map(([, at]) => column[at])).size > 1;
  const follows = (values: Column) =>
    pairs.every(([one, other]) => values[one] !== undefined && values[one] === column[other]);
  const id = root.ids.find(({ name, column: values }) => {
    const source = naming.by === 'ids' ? naming.sources.get(name) : undefined;
    const named =
      source &&
      (source.is === 'id'
        ? copy.ids.find((one) => one.name === source.name)?.column
        : copy.columns.get(source.name));
    const isSame = named !== undefined && pairs.every(([, at]) => named[at] === column[at]);
    return follows(values) && (isVarying || isSame);
  });
  if (id !== undefined) return { name: id.name, is: 'id' };
  if (!from.includes('attribute') || !isVarying) return undefined;
  const attribute = [...root.columns].find(([, values]) => follows(values) && !values.includes(undefined));
  return attribute === undefined ? undefined : { name: attribute[0], is: 'attribute' };
}

function composed(join: Join, { index, pk }: PulledIndex): Composed | 'root' | undefined {
  const [part, ...others] = pk;
  const [ofIndex] = keyParts(index).pk;
  if (part === undefined || others.length > 0 || ofIndex?.type !== 'S') return undefined;
  const { root, copy, pairs } = join;
  const values = copy.columns.get(part.attribute) ?? [];
  if (pairs.some(([, at]) => values[at] === undefined)) return undefined;
  if (pairs.every(([one, at]) => root.items[one]?.key.pk === values[at])) return 'root';
  const pieces = part.pieces.map((piece) =>
    'text' in piece ? piece.text : sourceOf(join, piece.column, ['id']),
  );
  const known = pieces.flatMap((piece) => (piece === undefined ? [] : [piece]));
  return known.length === pieces.length && known.some((piece) => typeof piece !== 'string')
    ? known
    : undefined;
}

/** The text with which the index's sort keys begin. */
function beginOf({ sk: [part] }: PulledIndex): string {
  const pieces = part?.pieces ?? [];
  const end = pieces.findIndex((piece) => !('text' in piece));
  return pieces
    .slice(0, end < 0 ? pieces.length : end)
    .map((piece) => ('text' in piece ? piece.text : ''))
    .join('');
}
