import type { AttributeValue } from '../../../../model/attribute-value.ts';
import type { Item, ItemKey } from '../../../../model/item.ts';
import { type AnyKind, idNames, keyWith } from '../../../../model/kind.ts';
import { allKinds, type Registry } from '../../../../model/registry.ts';
import { indexKeyNames } from '../../../../model/table-names.ts';
import { attributeValue } from '../../plain-values.ts';
import type { Random } from '../random.ts';
import { accepts, type Pool, poolOf } from './value-pool.ts';

/** Ids of keys, few so that items meet. One has a capital letter: a rule must not fold its case. */
export const idPool: readonly string[] = ['1', 'B2', 'c'];

/** Keys of one kind at most. */
const maxKeys = 4;

/** What items of a kind are made of. */
export interface KindValues {
  readonly kind: AnyKind;
  /** Values by attribute: those that rules name, of which some value is known. */
  readonly pools: ReadonlyMap<string, Pool>;
  readonly keys: readonly ItemKey[];
  /** Attributes that rules need and whose schema accepts none of the values that were tried. */
  readonly unknown: readonly string[];
  /** Attributes of which the schema rejects an example. */
  readonly rejected: readonly string[];
}

/** The values of every kind of the rules. */
export function valuesOfKinds(registry: Registry): ReadonlyMap<AnyKind, KindValues> {
  return new Map(allKinds(registry).map((kind) => [kind, valuesOf(registry, kind)]));
}

function valuesOf(registry: Registry, kind: AnyKind): KindValues {
  const keys = new Set([...indexKeyNames(registry.table), registry.table.ttl]);
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

/** Whether a rule or an aggregate reads this attribute, or a rule copies it by name. */
function isNeeded({ rules, aggregates }: Registry, kind: AnyKind, name: string): boolean {
  const isAdded = aggregates.some(
    ({ of, on, reads }) =>
      (of === kind && reads.member.includes(name)) || (on === kind && reads.target.includes(name)),
  );
  if (isAdded) return true;
  return rules.some(({ root, copy, reads, copies }) => {
    const isRead =
      (root === kind && reads.root.includes(name)) || (copy === kind && reads.copy.includes(name));
    return isRead || (root === kind && copies !== 'all' && copies.includes(name));
  });
}

function keysOf(kind: AnyKind): ItemKey[] {
  const all = combinations(idNames(kind).map((name) => [name, idPool] as const));
  // Not the first ones only: they would all have the same first ids.
  const step = Math.max(1, Math.floor(all.length / maxKeys));
  return all
    .filter((_, index) => index % step === 0)
    .flatMap((ids) => keyWith(kind, ids) ?? [])
    .slice(0, maxKeys);
}

/** The ways to choose one of each, at most so many; where there are more, those with the first choices of the first. */
export function combinations<T>(
  choices: readonly (readonly [name: string, values: readonly T[]])[],
  most = 10_000,
): Record<string, T>[] {
  return choices.reduce<Record<string, T>[]>(
    (some, [name, values]) =>
      some.flatMap((one) => values.map((value) => ({ ...one, [name]: value }))).slice(0, most),
    [{}],
  );
}

/** An item of the kind with this key and random attributes, without index keys and expiry. */
export function itemWith(
  registry: Registry,
  { kind, pools }: KindValues,
  key: ItemKey,
  random: Random,
): Item {
  const { pk, sk, type } = registry.table;
  const attributes = [...pools].flatMap(([name, pool]): [string, AttributeValue][] => {
    const value = randomValue(pool, random);
    return value === undefined ? [] : [[name, value]];
  });
  return {
    [pk]: { S: key.pk },
    [sk]: { S: key.sk },
    ...Object.fromEntries(attributes),
    ...(kind.type !== undefined && { [type]: { S: kind.type } }),
  };
}

/** One of the values; undefined if the item is to lack the attribute. */
export function randomValue(pool: Pool, random: Random): AttributeValue | undefined {
  const value = pool[random.int(0, pool.length - 1)];
  return value === undefined ? undefined : attributeValue(value);
}
