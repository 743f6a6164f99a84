import * as z from 'zod/mini';
import { attribute, itemKeySchema, type KeyedItem, text } from '../items/item.ts';
import { isOwnItem } from '../items/own-items.ts';
import { keyDifference, keyShape, knownWords, misspells } from '../kinds/key-shape.ts';
import type { BoundKind } from '../kinds/kind.ts';
import { type AnyKind, isOfKind } from '../kinds/kind.ts';
import { isOfLedger } from './ledger.ts';
import type { Registry } from './registry.ts';

const count = z.int().check(z.gte(0));

/**
 * What an item that is of no kind has in common with some:
 * - `key`: it has their keys, and another type;
 * - `type`: it has their type, and other keys;
 * - `shape`: its keys differ from theirs in little, and its type is not another one;
 * - `name`: its type differs from theirs in little;
 * - `nothing`.
 */
const likenesses = ['key', 'type', 'shape', 'name', 'nothing'] as const;

const strangersSchema = z.object({
  like: z.enum(likenesses),
  /** The names of the kinds that it is like. */
  kinds: z.array(z.string()),
  /** As a message names it: `'comment'`, `missing`. */
  type: z.string(),
  /** The pattern that the keys seem to have. */
  shape: z.string(),
  items: count,
  example: itemKeySchema,
});

/** Items of no kind that are alike. */
export type Strangers = z.output<typeof strangersSchema>;

/** What was looked at. Plain JSON: counts, names, types and keys. */
export const kindCountsSchema = z.object({
  items: count,
  /** Items by the name of their kind. */
  kinds: z.record(z.string(), count),
  ofNoKind: count,
  /** The worker's own: of ledgers, and what is paused. */
  ofLedgers: count,
  strangers: z.array(strangersSchema),
});

export type KindCounts = z.output<typeof kindCountsSchema>;

export const noKindCounts: KindCounts = { items: 0, kinds: {}, ofNoKind: 0, ofLedgers: 0, strangers: [] };

/** Groups of strangers that are kept for each likeness: of others, the items are only counted. */
const maxGroups = 30;

/** Types that are longer are cut in reports. */
const maxTypeCharacters = 40;

export type Stranger = Omit<Strangers, 'items' | 'kinds'> & { readonly kinds: readonly BoundKind[] };

/** What an item is: of kinds, or a stranger. Undefined for the worker's own. */
export function classifier(
  registry: Registry,
): (item: KeyedItem) => { readonly kinds: readonly AnyKind[] } | Stranger | undefined {
  const { table, disabled } = registry;
  const aggregates = [...registry.aggregates, ...disabled.aggregates];
  const all = registry.kinds;
  const words = knownWords(all);
  const known = new Map<string, Pick<Stranger, 'like' | 'kinds'>>();
  return ({ key, item }) => {
    if (isOwnItem(table, key) || aggregates.some((one) => isOfLedger(one, key))) return undefined;
    const kinds = all.filter((kind) => isOfKind(kind, item));
    if (kinds.length > 0) return { kinds };
    const type = attribute(item, table.type);
    const name = text(type);
    const stranger = {
      type: name === undefined ? (type ? 'no text' : 'missing') : `'${name.slice(0, maxTypeCharacters)}'`,
      shape: keyShape(key, name === undefined ? words : new Set([...words, name.toLowerCase()])),
      example: key,
    };
    const byKey = all.filter((kind) => kind.idsOf(key) !== undefined);
    if (byKey.length > 0) return { ...stranger, like: 'key', kinds: byKey };
    return { ...stranger, ...near(name, stranger.shape) };
  };

  /** Items of no kind may be most of a table, and alike. */
  function near(name: string | undefined, shape: string): Pick<Stranger, 'like' | 'kinds'> {
    const group = JSON.stringify([name, shape]);
    const before = known.get(group);
    if (before !== undefined) return before;
    const found = likenessOf(all, words, name, shape);
    if (known.size < maxKnown) known.set(group, found);
    return found;
  }
}

/** Groups whose likeness is kept. */
const maxKnown = 1000;

function likenessOf(
  all: readonly BoundKind[],
  words: ReadonlySet<string>,
  name: string | undefined,
  shape: string,
): Pick<Stranger, 'like' | 'kinds'> {
  const byType = all.filter(({ type }) => type !== undefined && type === name);
  if (byType.length > 0) return { like: 'type', kinds: byType };
  const isName = ({ type }: AnyKind) => type !== undefined && name !== undefined && misspells(name, type);
  // An item of a type of its own may have keys that differ in little.
  const mayBe = (kind: AnyKind) => kind.type === undefined || name === undefined || isName(kind);
  const byShape = all.filter((kind) => mayBe(kind) && keyDifference(shape, kind, words) !== undefined);
  if (byShape.length > 0) return { like: 'shape', kinds: byShape };
  const byName = all.filter(isName);
  return { like: byName.length > 0 ? 'name' : 'nothing', kinds: byName };
}

/** Counts items by what they are, in bounded memory. */
export class KindCounter {
  private readonly classify: ReturnType<typeof classifier>;
  private readonly kinds: Map<string, number>;
  private readonly groups: Map<string, Strangers>;
  private items: number;
  private ofNoKind: number;
  private ofLedgers: number;

  /** @param from what was counted before */
  constructor(registry: Registry, from: KindCounts = noKindCounts) {
    this.classify = classifier(registry);
    this.kinds = new Map(Object.entries(from.kinds));
    this.groups = new Map(from.strangers.map((one) => [groupOf(one), { ...one }]));
    this.items = from.items;
    this.ofNoKind = from.ofNoKind;
    this.ofLedgers = from.ofLedgers;
  }

  add(items: readonly KeyedItem[]): void {
    for (const item of items) this.addOne(item);
  }

  private addOne(item: KeyedItem): void {
    this.items += 1;
    const found = this.classify(item);
    if (found === undefined) {
      this.ofLedgers += 1;
      return;
    }
    const kinds = [...new Set(found.kinds.map(({ name }) => name))];
    if (!('like' in found)) {
      for (const name of kinds) this.kinds.set(name, (this.kinds.get(name) ?? 0) + 1);
      return;
    }
    this.ofNoKind += 1;
    const strangers = { ...found, kinds, items: 1 };
    const group = groupOf(strangers);
    const known = this.groups.get(group);
    if (known !== undefined) known.items += 1;
    else if ([...this.groups.values()].filter(({ like }) => like === found.like).length < maxGroups)
      this.groups.set(group, strangers);
  }

  counts(): KindCounts {
    return {
      items: this.items,
      kinds: Object.fromEntries(this.kinds),
      ofNoKind: this.ofNoKind,
      ofLedgers: this.ofLedgers,
      strangers: [...this.groups.values()].map((one) => ({ ...one })),
    };
  }
}

export function countedKinds(registry: Registry, items: readonly KeyedItem[]): KindCounts {
  const counter = new KindCounter(registry);
  counter.add(items);
  return counter.counts();
}

/** Items that have a kind's keys are alike by their type alone. */
function groupOf({ like, kinds, type, shape }: Pick<Strangers, 'like' | 'kinds' | 'type' | 'shape'>): string {
  return JSON.stringify([like, kinds, type, like === 'key' ? '' : shape]);
}

/** A kind, and the names of what works on it. */
export interface UsedKind {
  readonly kind: BoundKind;
  readonly users: readonly string[];
}

/** The kinds of rules, each by its name once. */
export function usedKinds({
  rules,
  aggregates,
  archives = [],
}: Pick<Registry, 'rules' | 'aggregates'> & Partial<Pick<Registry, 'archives'>>): readonly UsedKind[] {
  const uses = [
    ...rules.flatMap(({ name, root, copy }) => [root, copy].map((kind) => ({ kind, name }))),
    ...aggregates.flatMap(({ name, of, on }) => [of, on].map((kind) => ({ kind, name }))),
    ...archives.flatMap(({ name, kinds }) => kinds.map((kind) => ({ kind, name }))),
  ];
  return [...Map.groupBy(uses, ({ kind }) => kind.name).values()].flatMap((some) => {
    const [first] = some;
    return first === undefined ? [] : { kind: first.kind, users: [...new Set(some.map(({ name }) => name))] };
  });
}

/** The kinds that no item is of. */
export function unmatchedKinds(used: readonly UsedKind[], counts: KindCounts): readonly UsedKind[] {
  return used.filter(({ kind }) => (counts.kinds[kind.name] ?? 0) === 0);
}

/** Strangers that are like a kind, the most frequent first. */
export function strangersLike({ name }: BoundKind, { strangers }: KindCounts): readonly Strangers[] {
  return mostFrequent(strangers.filter(({ kinds }) => kinds.includes(name)));
}

/** Strangers that are like no kind, the most frequent first. */
export function strangersLikeNone({ strangers }: KindCounts): readonly Strangers[] {
  return mostFrequent(strangers.filter(({ like }) => like === 'nothing'));
}

function mostFrequent(strangers: readonly Strangers[]): readonly Strangers[] {
  return strangers.toSorted((one, other) => other.items - one.items);
}
