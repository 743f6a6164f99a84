import { attribute, type KeyedItem, text } from '../model/items/item.ts';
import { indexParts, keyParts, type TableNames } from '../model/items/table-names.ts';
import { anId, capitals, dividedInto, shapeOf } from './key-words.ts';

/** Items that seem to be of one kind. */
export interface Cluster {
  /** The value of their type attribute. */
  readonly type: string | undefined;
  readonly items: readonly KeyedItem[];
  /** The shapes of both key parts: the last piece has what a key has more than others of its kind. */
  readonly pk: readonly string[];
  readonly sk: readonly string[];
}

interface Group extends Cluster {
  /** Attributes that most have, without the keys. */
  readonly attributes: ReadonlySet<string>;
}

/** How libraries call the type attribute. */
const libraryTypes = ['__edb_e__', '_et', '__typename', '_type'];
const usualTypes = [
  ...['Type', 'type', 'EntityType', 'entityType', 'entity_type', 'Entity', 'entity', 'ItemType', 'itemType'],
  ...['item_type', 'Kind', 'kind', '_kind', 'Model', 'model', 'ObjectType', 'objectType', 'et', '_entity'],
];

/** The attribute that names the items' kinds: one that libraries use or, if its value decides the key's shape, any. */
export function typeAttributeOf(table: TableNames, items: readonly KeyedItem[]): string | undefined {
  const keys = new Set([...keyParts(table).names, ...indexParts(table).keys()]);
  const valuesOf = (name: string) => items.map(({ item }) => text(attribute(item, name)));
  const isFrequent = (name: string) =>
    valuesOf(name).filter((value) => value !== undefined).length > items.length / 2;
  const library = libraryTypes.find(isFrequent);
  if (library !== undefined) return library;
  const names = [...new Set(items.flatMap(({ item }) => Object.keys(item)))].filter(
    (name) => !keys.has(name),
  );
  const usual = usualTypes.filter((name) => names.includes(name));
  return [...usual, ...names.filter((name) => !usual.includes(name)).toSorted()]
    .filter(isFrequent)
    .find((name) => decides(valuesOf(name), items, usual.includes(name)));
}

/** Whether each value comes with one shape of keys and, of an unusual name, each shape with one value. */
function decides(
  values: readonly (string | undefined)[],
  items: readonly KeyedItem[],
  isUsual: boolean,
): boolean {
  const pairs = items.flatMap(({ key }, index) => {
    const value = values[index];
    return value === undefined ? [] : [[value, JSON.stringify([shapeOf(key.pk), shapeOf(key.sk)])] as const];
  });
  const types = new Set(pairs.map(([value]) => value));
  const shapes = new Set(pairs.map(([, shape]) => shape));
  const both = new Set(pairs.map((pair) => JSON.stringify(pair)));
  if (isUsual) return types.size <= Math.max(shapes.size, pairs.length / 3);
  return (
    types.size > 1 && both.size === types.size && both.size === shapes.size && types.size * 3 <= pairs.length
  );
}

export function clustersOf(
  table: TableNames,
  items: readonly KeyedItem[],
  type: string | undefined,
): readonly Cluster[] {
  const keys = new Set([
    ...keyParts(table).names,
    ...indexParts(table).keys(),
    ...(type === undefined ? [] : [type]),
  ]);
  const typed = Map.groupBy(items, ({ item }) =>
    type === undefined ? undefined : text(attribute(item, type)),
  );
  const least = Math.max(2, items.length / 1000);
  const clusters = [...typed].flatMap(([type, some]) => {
    const groups = Map.groupBy(some, ({ key }) => JSON.stringify([shapeOf(key.pk), shapeOf(key.sk)]));
    const first = [...groups.values()].map((items) => groupOf(items, keys, type));
    const alike = merged(type === undefined ? first : withRests(first), keys);
    return merged(
      alike.map((group) => withoutValues(group, least)),
      keys,
    );
  });
  return clusters.toSorted((one, other) => other.items.length - one.items.length);
}

/** A word that only few items have may be a value, unless it is in capitals. */
function withoutValues(group: Group, least: number): Group {
  const { items, pk, sk } = group;
  if (items.length >= least) return group;
  const isText = (piece: string) => !/^[A-Za-z]/.test(piece) || capitals.test(piece);
  const masked = (shape: readonly string[]) => shape.map((piece) => (isText(piece) ? piece : anId));
  return { ...group, pk: masked(pk), sk: masked(sk) };
}

function groupOf(items: readonly KeyedItem[], keys: ReadonlySet<string>, type: string | undefined): Group {
  const [first] = items;
  const counts = new Map<string, number>();
  for (const { item } of items)
    for (const name of Object.keys(item)) counts.set(name, (counts.get(name) ?? 0) + 1);
  const most = [...counts].filter(([name, count]) => !keys.has(name) && count * 2 > items.length);
  return {
    ...{ type, items, attributes: new Set(most.map(([name]) => name)) },
    ...{ pk: shapeOf(first?.key.pk ?? ''), sk: shapeOf(first?.key.sk ?? '') },
  };
}

/** Groups of one type whose keys differ in length become one, if the shorter ones end with an id: it has all that follows. */
function withRests(groups: readonly Group[]): readonly Group[] {
  const lengths = (part: 'pk' | 'sk', group: Group) =>
    groups
      .filter((other) => {
        const shape = other[part];
        return (
          shape.at(-1) === anId &&
          shape.every((piece, at) => at === shape.length - 1 || piece === group[part][at])
        );
      })
      .map((other) => other[part].length);
  const cut = (shape: readonly string[], all: readonly number[]) => {
    const least = Math.min(shape.length, ...all);
    return least === shape.length ? shape : [...shape.slice(0, least - 1), anId];
  };
  return groups.map((group) => ({
    ...group,
    pk: cut(group.pk, lengths('pk', group)),
    sk: cut(group.sk, lengths('sk', group)),
  }));
}

/** Groups whose shapes are equal or, with the same attributes, differ in one word become one: the word is an id. */
function merged(groups: readonly Group[], keys: ReadonlySet<string>): readonly Group[] {
  let now = groups;
  for (let before = -1; before !== now.length; ) {
    before = now.length;
    const pieces = Math.max(1, ...now.map(({ pk, sk }) => pk.length + sk.length));
    for (let at = 0; at < pieces; at += 1) now = mergedAt(now, at, keys);
  }
  return now;
}

function mergedAt(groups: readonly Group[], at: number, keys: ReadonlySet<string>): readonly Group[] {
  const buckets = Map.groupBy(groups, (group) => JSON.stringify(masked(group, at)));
  return [...buckets.values()].flatMap((some) => {
    const done: Group[] = [];
    for (let left = some; left.length > 0; ) {
      const [largest, ...others] = left.toSorted((one, other) => other.items.length - one.items.length);
      if (largest === undefined) break;
      const alike = others.filter((other) => isMergeable(largest, other));
      left = others.filter((other) => !alike.includes(other));
      const items = [largest, ...alike].flatMap(({ items }) => items);
      const differ = alike.some((other) => shapeText(other) !== shapeText(largest));
      done.push({
        ...groupOf(items, keys, largest.type),
        ...(differ ? masked(largest, at) : shapes(largest)),
      });
    }
    return done;
  });
}

function shapes({ pk, sk }: Cluster): Pick<Cluster, 'pk' | 'sk'> {
  return { pk, sk };
}

function shapeText(cluster: Cluster): string {
  return JSON.stringify(shapes(cluster));
}

/** The shapes with an id instead of one piece, unless that is a mark. */
function masked({ pk, sk }: Cluster, at: number): Pick<Cluster, 'pk' | 'sk'> {
  const mask = (shape: readonly string[], index: number) =>
    index >= 0 && index < shape.length && index % 2 === 0 && shape[index] !== ''
      ? shape.with(index, anId)
      : shape;
  return { pk: mask(pk, at), sk: mask(sk, at - pk.length) };
}

/** Of groups of one type, fewer attributes need be the same. */
function isMergeable(one: Group, other: Group): boolean {
  if (shapeText(one) === shapeText(other)) return true;
  const shared = [...one.attributes].filter((name) => other.attributes.has(name)).length;
  const share = shared / (one.attributes.size + other.attributes.size - shared);
  return share >= (one.type === undefined ? 0.8 : 0.5);
}

/** The pieces of a key as a cluster's shape divides it: the last one has the rest. Undefined if its marks or words are others. */
export function piecesBy(shape: readonly string[], part: string): readonly string[] | undefined {
  const found = dividedInto(shape.length, part);
  const fits = (piece: string, index: number) => {
    const expected = shape[index] ?? '';
    if (!expected.endsWith(anId)) return piece === expected;
    const prefix = expected.slice(0, -anId.length);
    return piece.startsWith(prefix) && piece.length > prefix.length;
  };
  return found.length === shape.length && found.every(fits) ? found : undefined;
}
