import type * as z from 'zod';
import { DenormError } from './errors.ts';
import { type IndexKeys, indexKeyPattern, type NamesOf } from './index-key-pattern.ts';
import { attribute, type Item, type ItemKey, keyOf, text } from './item.ts';
import { edgesOverlap, type IdsOf, type KeyPattern, keyPattern } from './key-pattern.ts';
import {
  aText,
  type FieldsOf,
  isObject,
  list,
  must,
  object,
  optional,
  record,
  requireListed,
} from './spec-fields.ts';
import type { TableNames } from './table-names.ts';

/** The keys and attributes of a kind, as a rule's author writes them. */
export interface KindSpec<
  Pk extends string,
  Sk extends string,
  Shape extends z.ZodObject,
  Keys extends KeysSpec = KeysSpec,
> {
  /** The kind's name in the archive and in reports. */
  readonly name: string;
  /** The value of the type attribute, if the kind has one. An item with another value, or without one, is not of this kind. */
  readonly type?: string;
  readonly pk: Pk;
  readonly sk: Sk;
  readonly attributes: Shape;
  /**
   * The keys of indexes by the index's name, written from ids and attributes: `{ GSI1: { pk: 'USER#{userId}', sk: 'REVIEW' } }`.
   * An item that lacks one of them has no keys in that index. Default: none.
   */
  readonly keys?: Keys & NamingOnly<Keys, IdsOf<Pk> | IdsOf<Sk> | (keyof z.output<Shape> & string)>;
  /** Values of attributes, for `denorm simulate`, `cost` and `check`, which cannot guess what a refinement accepts. Default: none. */
  readonly examples?: readonly Partial<z.input<Shape>>[];
}

type KeysSpec = Readonly<Record<string, { readonly pk: string; readonly sk: string }>>;

/** Refuses a pattern that names something else, by asking for one that does not. */
type NamingOnly<Keys extends KeysSpec, Names extends string> = {
  readonly [Index in keyof Keys]: {
    readonly [Part in keyof Keys[Index]]: Keys[Index][Part] extends infer Pattern extends string
      ? [Exclude<NamesOf<Pattern>, Names>] extends [never]
        ? Pattern
        : `a pattern of ids and attributes, without {${Exclude<NamesOf<Pattern>, Names>}}`
      : never;
  };
};

/** The ids in an item's key. */
export type Ids<Name extends string = string> = Readonly<Record<Name, string>>;

/** An item as a rule's function sees it: its typed attributes, and the ids of its key. */
export type View<Attributes, Name extends string> = Readonly<Attributes> & { readonly ids: Ids<Name> };

/** With its types erased. */
export interface AnyKind {
  readonly name: string;
  readonly type: string | undefined;
  readonly attributes: z.ZodObject;
  readonly pkPattern: KeyPattern;
  readonly skPattern: KeyPattern;
  /** The patterns of its index keys, by the index's name. */
  readonly keys: Readonly<Record<string, IndexKeys>>;
  readonly examples: readonly Readonly<Record<string, unknown>>[];
  /** Undefined if the key is not of this kind. */
  idsOf(key: ItemKey): Ids | undefined;
}

export interface Kind<Attributes, Id extends string, PkId extends string> extends AnyKind {
  key(ids: Ids<Id>): ItemKey;
  pk(ids: Ids<PkId>): string;
  /** Only for type inference: it has no value at run time. */
  readonly view?: View<Attributes, Id>;
}

export const kindFields: FieldsOf<KindSpec<string, string, z.ZodObject>> = {
  name: aText,
  type: optional(aText),
  pk: aText,
  sk: aText,
  attributes: must(
    'z.object({ … })',
    (value) => isObject(value) && isObject(value['shape']) && typeof value['parse'] === 'function',
  ),
  keys: optional(record(object({ pk: aText, sk: aText }))),
  examples: optional(
    list(
      'a list of objects with values of attributes',
      record(() => {}),
    ),
  ),
};

/**
 * Defines a kind of item. An item's kind follows from its key, which never changes, and from its type attribute if it has
 * one.
 */
export function defineKind<
  const Pk extends string,
  const Sk extends string,
  Shape extends z.ZodObject,
  const Keys extends KeysSpec = Record<never, never>,
>(spec: KindSpec<Pk, Sk, Shape, Keys>): Kind<z.output<Shape>, IdsOf<Pk> | IdsOf<Sk>, IdsOf<Pk>> {
  object(kindFields)(spec, { what: `kind ${spec.name}` });
  if ('ids' in spec.attributes.shape)
    throw new DenormError(
      'kind.ids',
      `Expected no attribute 'ids' in the schema of ${spec.name}, because functions of a rule see the ids of the key under that name: leave it out of attributes`,
    );
  const pkPattern = keyPattern(spec.pk);
  const skPattern = keyPattern(spec.sk);
  const inBoth = pkPattern.ids.filter((id) => skPattern.ids.includes(id));
  return {
    name: spec.name,
    type: spec.type,
    attributes: spec.attributes,
    pkPattern,
    skPattern,
    keys: keysOf(spec, [...pkPattern.ids, ...skPattern.ids]),
    examples: spec.examples ?? [],
    pk: (ids) => pkPattern.write(ids),
    key: (ids) => ({ pk: pkPattern.write(ids), sk: skPattern.write(ids) }),
    idsOf(key) {
      const left = pkPattern.parse(key.pk);
      const right = skPattern.parse(key.sk);
      if (left === undefined || right === undefined) return undefined;
      return inBoth.every((id) => right[id] === left[id]) ? { ...left, ...right } : undefined;
    },
  };
}

function keysOf(
  {
    name,
    attributes,
    keys = {},
  }: Pick<KindSpec<string, string, z.ZodObject>, 'name' | 'attributes' | 'keys'>,
  ids: readonly string[],
): AnyKind['keys'] {
  const entries = Object.entries(keys).map(([index, { pk, sk }]) => {
    const patterns = { pk: indexKeyPattern(pk), sk: indexKeyPattern(sk) };
    const ofAttributes = [...patterns.pk.names, ...patterns.sk.names].filter((one) => !ids.includes(one));
    requireListed(ofAttributes, { name, attributes }, { what: `keys.${index} of kind ${name}` });
    return [index, patterns] as const;
  });
  return Object.fromEntries(entries);
}

/** The key with these ids; undefined if they do not fit the kind's patterns. */
export function keyWith(kind: AnyKind, ids: Ids): ItemKey | undefined {
  try {
    const key = { pk: kind.pkPattern.write(ids), sk: kind.skPattern.write(ids) };
    return kind.idsOf(key) === undefined ? undefined : key;
  } catch {
    return undefined;
  }
}

export function isOfKind(table: TableNames, kind: AnyKind, item: Item): boolean {
  const key = keyOf(table, item);
  if (key === undefined || kind.idsOf(key) === undefined) return false;
  return kind.type === undefined || text(attribute(item, table.type)) === kind.type;
}

/** As far as their types and the edges of their key patterns tell. */
export function kindsOverlap(one: AnyKind, other: AnyKind): boolean {
  if (one.type !== undefined && other.type !== undefined && one.type !== other.type) return false;
  return (
    edgesOverlap(one.pkPattern.edges, other.pkPattern.edges) &&
    edgesOverlap(one.skPattern.edges, other.skPattern.edges)
  );
}

export function ofKind(table: TableNames, kind: AnyKind, image: Item | undefined): Item | undefined {
  return image !== undefined && isOfKind(table, kind, image) ? image : undefined;
}

export function idNames({ pkPattern, skPattern }: Pick<AnyKind, 'pkPattern' | 'skPattern'>): string[] {
  return [...new Set([...pkPattern.ids, ...skPattern.ids])];
}
