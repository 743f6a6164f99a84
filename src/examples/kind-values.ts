import type { AttributeValue } from '../model/items/attribute-value.ts';
import { type Item, type ItemKey, keyAttributes } from '../model/items/item.ts';
import { indexParts, isKeyName, keyParts } from '../model/items/table-names.ts';
import {
  type BoundKind,
  idNames,
  isSameKind,
  keyWith,
  numericId,
  type TextIds,
} from '../model/kinds/kind.ts';
import type { Registry } from '../model/rules/registry.ts';
import { sourceName } from '../model/rules/rule-attributes.ts';
import { attributeValue, itemOf } from '../testing/plain-values.ts';
import type { Random } from './random.ts';
import { accepts, type Pool, poolOf } from './value-pool.ts';

/** Few, so that items meet. One begins as another, two may read the same when joined, and case must not be folded. */
export const idPool: readonly string[] = ['A', 'AA', 'AAA'];

function idsWith(kind: BoundKind, textOf: (name: string) => string): TextIds {
  return Object.fromEntries(idNames(kind).map((name) => [name, textOf(name)]));
}

const numberPool = { number: ['1', '10', '2.5'], bigint: ['1', '10', '12345678901234567890'] } as const;

/** Values of an id, as text. */
export function idsFor(kind: BoundKind, name: string): readonly string[] {
  const numeric = numericId(kind, name);
  return numeric === undefined ? idPool : numberPool[numeric];
}

/** Variants that are tried. */
const maxVariants = 10_000;

const maxKeys = 4;

export interface KindValues {
  readonly kind: BoundKind;
  /** Values by attribute: those that rules name, of which some value is known. */
  readonly pools: ReadonlyMap<string, Pool>;
  readonly keys: readonly ItemKey[];
  /** Attributes that rules need and whose schema accepts none of the values that were tried. */
  readonly unknown: readonly string[];
  readonly rejected: readonly string[];
}

/** By the names of the kinds. */
export function valuesOfKinds(registry: Registry): ReadonlyMap<string, KindValues> {
  return new Map(registry.kinds.map((kind) => [kind.name, valuesOf(registry, kind)]));
}

function valuesOf(registry: Registry, kind: BoundKind): KindValues {
  const keys = new Set([...indexParts(registry.table).keys(), registry.table.ttl]);
  const pools = new Map<string, Pool>();
  const unknown: string[] = [];
  const rejected: string[] = [];
  for (const [name, schema] of Object.entries(kind.attributes.shape)) {
    // Index keys and expiry are written where they are needed, unless a rule reads them as well.
    if (name === registry.table.type || (keys.has(name) && !isNeeded(registry, kind, name))) continue;
    const examples = kind.examples.map((example) => example[name]).filter((one) => one !== undefined);
    if (!examples.every((example) => accepts(schema, example))) rejected.push(name);
    const pool = poolOf(schema, examples);
    if (pool.length > 0) pools.set(name, pool);
    else if (isNeeded(registry, kind, name)) unknown.push(name);
  }
  return { kind, pools, keys: keysOf(kind), unknown, rejected };
}

/** Of each attribute that the schema lists, whether or not a rule needs it. Empty if none could be guessed. */
export function poolsOf({ attributes, examples }: BoundKind): ReadonlyMap<string, Pool> {
  return new Map(
    Object.entries(attributes.shape).map(([name, schema]) => [
      name,
      poolOf(
        schema,
        examples.map((example) => example[name]),
      ),
    ]),
  );
}

function isNeeded({ rules, aggregates }: Registry, kind: BoundKind, name: string): boolean {
  const read = [
    ...aggregates.flatMap(({ of, on, reads }) => [[of, reads.member] as const, [on, reads.target] as const]),
    ...rules.flatMap((rule) => [
      ...[[rule.root, rule.reads.root] as const, [rule.copy, rule.reads.copy] as const],
      ...(rule.copies === 'all'
        ? []
        : [[rule.root, rule.copies.map((one) => sourceName(rule, one))] as const]),
    ]),
  ];
  return read.some(([of, names]) => isSameKind(of, kind) && names.includes(name));
}

function keysOf(kind: BoundKind): ItemKey[] {
  const all = [...combinations(idNames(kind).map((name) => [name, idsFor(kind, name)] as const))];
  // Not the first ones only: they would all have the same first ids.
  const step = Math.max(1, Math.floor(all.length / maxKeys));
  return all
    .filter((_, index) => index % step === 0)
    .flatMap((ids) => keyWith(kind, ids) ?? [])
    .slice(0, maxKeys);
}

/** The ways to choose one value of each; those with the first choices of the first precede others. */
export function* combinations<T>(
  choices: readonly (readonly [name: string, values: readonly T[]])[],
): Generator<Record<string, T>, undefined> {
  const [first, ...others] = choices;
  if (first === undefined) yield {};
  else
    for (const value of first[1])
      for (const rest of combinations(others)) yield { [first[0]]: value, ...rest };
}

/** Which of its values an attribute gets. Undefined if it gets none. */
export type ChooseValue = (pool: Pool, name: string) => Pool[number];

export const first: ChooseValue = ([value]) => value;

export const nth =
  (number: number): ChooseValue =>
  (pool) =>
    pool[number % pool.length];

export const anyOf =
  (random: Random): ChooseValue =>
  (pool) =>
    pool[random.int(0, pool.length - 1)];

/** An item of the kind with this key, and the values that are chosen. */
export function itemWith(
  { kind, pools }: Pick<KindValues, 'kind' | 'pools'>,
  key: ItemKey,
  choose: ChooseValue,
): Item {
  const { table } = kind;
  const chosen = [...pools].map(([name, pool]) => [name, choose(pool, name)] as const);
  return {
    ...keyAttributes(table, key),
    ...itemOf(Object.fromEntries(chosen.filter(([name]) => !isKeyName(table, name)))),
    ...(kind.type !== undefined && { [table.type]: { S: kind.type } }),
  };
}

/** An item with the first value of each attribute, and with its own key in each index of which the schema lists both keys. */
export function wholeItem(values: KindValues, key: ItemKey, mark: string): Item {
  const { kind, pools } = values;
  const isMarked = (name: string) => {
    const schema = kind.attributes.shape[name];
    const isFree = mark !== '' && !kind.examples.some((example) => example[name] !== undefined);
    return isFree && schema !== undefined && accepts(schema, mark);
  };
  const indexKeys = Object.values(kind.table.indexes)
    .map(keyParts)
    .filter(({ names }) => names.every((name) => Object.hasOwn(kind.attributes.shape, name)))
    .flatMap(({ pk, sk }) => [
      ...pk.map((part) => ({ ...part, text: key.sk || key.pk })),
      ...sk.map((part) => ({ ...part, text: key.pk })),
    ])
    .filter(({ name, type }) => type === 'S' && !pools.has(name));
  return {
    ...itemWith(values, key, (pool, name) => {
      const value = first(pool, name);
      return value !== undefined && isMarked(name) ? mark : value;
    }),
    ...Object.fromEntries(indexKeys.map(({ name, text }) => [name, { S: text }])),
  };
}

export function knownValues({ pools }: KindValues, attribute: string): AttributeValue[] {
  return (pools.get(attribute) ?? []).flatMap((value) =>
    value === undefined ? [] : [attributeValue(value)],
  );
}

/** Undefined if no other values of these attributes make an item that is wanted. */
export function variantOf(
  { pools }: KindValues,
  item: Item,
  names: readonly string[],
  isWanted: (variant: Item) => boolean,
): Item | undefined {
  const choices = names.flatMap((name) => {
    const pool = pools.get(name);
    return pool === undefined ? [] : [[name, pool] as const];
  });
  let tries = 0;
  for (const chosen of combinations(choices)) {
    tries += 1;
    if (tries > maxVariants) break;
    const kept = Object.entries(item).filter(([name]) => !Object.hasOwn(chosen, name));
    const variant = { ...Object.fromEntries(kept), ...itemOf(chosen) };
    if (isWanted(variant)) return variant;
  }
  return undefined;
}

/** The numbers of the examples of a kind: each has other ids, and other values of its attributes as far as there are any. */
const exampleNumbers = [0, 1, 2, 3, 4, 5];

/** Ids such as `postA` and `postBB`; undefined if no simple text fits the patterns of the kind's keys. */
export function exampleIds(kind: BoundKind, number: number): TextIds | undefined {
  const seed = String.fromCharCode('A'.charCodeAt(0) + number).repeat(number + 1);
  const texts = [(name: string) => `${name}${seed}`, (name: string) => `${[...name].length}0${number + 1}`];
  return texts.map((text) => idsWith(kind, text)).find((ids) => keyWith(kind, ids) !== undefined);
}

export function exampleKey(kind: BoundKind, number: number): ItemKey | undefined {
  const ids = exampleIds(kind, number);
  return ids && keyWith(kind, ids);
}

/** Lacks an attribute of which no value could be guessed: a function that reads it cannot be tried. */
export function exampleItem(kind: BoundKind, key: ItemKey, number: number): Item {
  return itemWith({ kind, pools: poolsOf(kind) }, key, nth(number));
}

export function exampleItems(kind: BoundKind): readonly Item[] {
  const values = { kind, pools: poolsOf(kind) };
  return exampleNumbers.flatMap((number) => {
    const key = exampleKey(kind, number);
    return key === undefined ? [] : [itemWith(values, key, nth(number))];
  });
}

export function numberedIds(kind: BoundKind, index: number, mark: string): TextIds {
  return idsWith(kind, (name) => numbered(index, numericId(kind, name) === undefined ? mark : ''));
}

/** Of one length, so that all items of a kind are of one size. */
export function numbered(index: number, mark: string): string {
  return `${mark}${100_000 + index}`;
}
