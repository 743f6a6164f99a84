import type * as z from 'zod';
import { DenormError } from './errors.ts';
import { attribute, type Item, type ItemKey, keyOf, text } from './item.ts';
import { edgesOverlap, type IdsOf, type KeyPattern, keyPattern } from './key-pattern.ts';
import { aText, type FieldsOf, isObject, list, must, object, optional, record } from './spec-fields.ts';
import type { TableNames } from './table-names.ts';

export interface KindSpec<Pk extends string, Sk extends string, Shape extends z.ZodObject> {
  /** The kind's name in the archive and in reports. */
  readonly name: string;
  /** The value of the type attribute, if the kind has one. An item with another value, or without one, is not of this kind. */
  readonly type?: string;
  readonly pk: Pk;
  readonly sk: Sk;
  readonly attributes: Shape;
  /** Values of attributes, for `denorm simulate`, `cost` and `check`, which cannot guess what a refinement accepts. Default: none. */
  readonly examples?: readonly Partial<z.input<Shape>>[];
}

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
  examples: optional(
    list(
      'a list of objects with values of attributes',
      record(() => {}),
    ),
  ),
};

/** An item's kind follows from its key, which never changes, and from its type attribute if it has one. */
export function defineKind<const Pk extends string, const Sk extends string, Shape extends z.ZodObject>(
  spec: KindSpec<Pk, Sk, Shape>,
): Kind<z.output<Shape>, IdsOf<Pk> | IdsOf<Sk>, IdsOf<Pk>> {
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

/** Undefined if they do not fit the kind's patterns. */
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
