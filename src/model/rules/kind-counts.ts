import * as z from 'zod/mini';
import { attribute, type ItemKey, itemKeySchema, type KeyedItem, text } from '../items/item.ts';
import type { BoundKind } from '../kinds/kind.ts';
import { type AnyKind, isOfKind } from '../kinds/kind.ts';
import { isOfLedger } from './ledger.ts';
import type { Registry } from './registry.ts';

const count = z.int().check(z.gte(0));

/**
 * What an item that is of no kind has in common with some:
 * - `key`: it has their keys, and another type;
 * - `type`: it has their type, and other keys;
 * - `nothing`.
 */
const likenesses = ['key', 'type', 'nothing'] as const;

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
  strangers: z.array(strangersSchema),
});

export type KindCounts = z.output<typeof kindCountsSchema>;

export const noKindCounts: KindCounts = { items: 0, kinds: {}, ofNoKind: 0, strangers: [] };

/** Groups of strangers that are kept for each likeness: of others, the items are only counted. */
const maxGroups = 30;

/** Types that are longer are cut in reports. */
const maxTypeCharacters = 40;

export type Stranger = Omit<Strangers, 'items' | 'kinds'> & { readonly kinds: readonly BoundKind[] };

/** What an item is: of kinds, or a stranger. Undefined for an item of a ledger, which is the worker's own. */
export function classifier(
  registry: Registry,
): (item: KeyedItem) => { readonly kinds: readonly AnyKind[] } | Stranger | undefined {
  const { table, disabled } = registry;
  const aggregates = [...registry.aggregates, ...disabled.aggregates];
  const all = registry.kinds;
  const words = knownWords(all);
  return ({ key, item }) => {
    if (aggregates.some((one) => isOfLedger(one, key))) return undefined;
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
    const byType = all.filter((kind) => kind.type !== undefined && kind.type === name);
    return { ...stranger, like: byType.length > 0 ? 'type' : 'nothing', kinds: byType };
  };
}

/** Stands for what differs from item to item. */
const varying = '…';

/** What is not of these separates the words of a key. */
const wordsOf = /[\p{L}\p{N}_.@+-]+/gu;

/** A word in capitals is taken for a label, as in `ORDER#17`. */
const label = /^[A-Z][A-Z_-]+$/;

/** Shapes of key parts that are longer are cut. */
const maxShapeCharacters = 80;

/**
 * The pattern that a key seems to have, such as `ORDER#… / ITEM#…`: labels, and the words of the known kinds and types. Every other
 * word may be an item's content, and is left out.
 * @param known as {@link knownWords} returns them
 */
export function keyShape({ pk, sk }: ItemKey, known: ReadonlySet<string>): string {
  return [pk, sk]
    .filter((part) => part !== '')
    .map((part) => partShape(part, known))
    .join(' / ');
}

function partShape(part: string, known: ReadonlySet<string>): string {
  // ElectroDB's keys are made of names and values: `$app#tenant_7`, `$booking_1#id_9`.
  const isNamed = part.startsWith('$');
  const shape = part.replace(wordsOf, (word, at: number) => {
    if (label.test(word) || known.has(word.toLowerCase())) return word;
    const [, name = '', rest] = /^([a-z]+_)(.*)$/i.exec(word) ?? [];
    if (rest !== undefined && (isNamed || known.has(name.toLowerCase()))) return `${name}${varying}`;
    return isNamed && at === 1 ? word : varying;
  });
  const short = shape.replace(/…(?:[: ]…)+/g, varying);
  return short.length <= maxShapeCharacters ? short : `${short.slice(0, maxShapeCharacters)}${varying}`;
}

/** The words of kinds' patterns, names and types, in lower case. */
export function knownWords(kinds: readonly AnyKind[]): ReadonlySet<string> {
  const texts = kinds.flatMap(({ name, type, pkPattern, skPattern }) => [
    ...[name, type ?? ''],
    ...[pkPattern, skPattern].flatMap(({ literals }) => literals),
  ]);
  return new Set(texts.flatMap((text) => (text.match(wordsOf) ?? []).map((word) => word.toLowerCase())));
}

/** Counts items by what they are, in bounded memory. */
export class KindCounter {
  private readonly classify: ReturnType<typeof classifier>;
  private readonly kinds: Map<string, number>;
  private readonly groups: Map<string, Strangers>;
  private items: number;
  private ofNoKind: number;

  /** @param from what was counted before */
  constructor(registry: Registry, from: KindCounts = noKindCounts) {
    this.classify = classifier(registry);
    this.kinds = new Map(Object.entries(from.kinds));
    this.groups = new Map(from.strangers.map((one) => [groupOf(one), { ...one }]));
    this.items = from.items;
    this.ofNoKind = from.ofNoKind;
  }

  add(items: readonly KeyedItem[]): void {
    for (const item of items) this.addOne(item);
  }

  private addOne(item: KeyedItem): void {
    this.items += 1;
    const found = this.classify(item);
    if (found === undefined) return;
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
      strangers: [...this.groups.values()].map((one) => ({ ...one })),
    };
  }
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
  return strangers
    .filter(({ kinds }) => kinds.includes(name))
    .toSorted((one, other) => other.items - one.items);
}
