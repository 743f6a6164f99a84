import type * as z from 'zod/mini';
import { isObject } from '../basics/type-of.ts';
import { attribute, type Item, type ItemKey, keyOf, text } from '../items/item.ts';
import type { TableNames } from '../items/table-names.ts';
import { type BareName, edgesOverlap, type IndexKeys, type KeyPattern } from './key-pattern.ts';

type IdOf<Name extends string> = Name extends `${string}:number`
  ? number
  : Name extends `${string}:bigint`
    ? bigint
    : string;

/** The ids in an item's key: text, or numbers where the key is one. */
export type Ids<Name extends string = string> = { readonly [Some in Name as BareName<Some>]: IdOf<Some> };

/** An item as a rule's function sees it: its typed attributes, and the ids of its key. */
export type View<Attributes, Name extends string> = Readonly<Attributes> & { readonly ids: Ids<Name> };

/** As text, which is a plain decimal where the key is a number. */
export type TextIds = Readonly<Record<string, string>>;

/** What `z.object` makes, of zod or of zod/mini. */
export type ObjectSchema = z.core.$ZodObject & { readonly shape: z.core.$ZodShape };

/** With its types erased. */
export interface AnyKind {
  readonly name: string;
  readonly type: string | undefined;
  readonly attributes: ObjectSchema;
  readonly pkPattern: KeyPattern;
  readonly skPattern: KeyPattern;
  /** The patterns of its index keys, by the index's name. */
  readonly keys: Readonly<Record<string, IndexKeys>>;
  readonly examples: readonly Readonly<Record<string, unknown>>[];
  /** Undefined if the key is not of this kind. */
  idsOf(key: ItemKey): TextIds | undefined;
}

/** A kind of a project, bound to the project's table. */
export interface BoundKind extends AnyKind {
  readonly table: TableNames;
  /** More specific kinds of the project: an item of one of them is not of this kind. */
  readonly narrower: readonly AnyKind[];
}

export interface Kind<Attributes, Id extends string, PkId extends string> extends AnyKind {
  key(ids: Ids<Id>): ItemKey;
  pk(ids: Ids<PkId>): string;
  /** Only for type inference: it has no value at run time. */
  readonly view?: View<Attributes, Id>;
}

/** Kinds are told by their names, which a project gives once: one and the same kind may be bound to a table or not. */
export function isSameKind(one: AnyKind, other: AnyKind | undefined): boolean {
  return one.name === other?.name;
}

export function isKind(value: unknown): value is AnyKind {
  return isObject(value) && 'pkPattern' in value;
}

/** `AUTHOR#{author} / PROFILE` */
export function patternText({ pkPattern, skPattern }: Pick<AnyKind, 'pkPattern' | 'skPattern'>): string {
  return [pkPattern, skPattern].flatMap(({ pattern }) => (pattern === '' ? [] : [pattern])).join(' / ');
}

/** The key with these ids; undefined if they do not fit the kind's patterns. */
export function keyWith(
  kind: AnyKind,
  ids: Readonly<Record<string, string | number | bigint>>,
): ItemKey | undefined {
  try {
    const key = { pk: kind.pkPattern.write(ids), sk: kind.skPattern.write(ids) };
    return kind.idsOf(key) === undefined ? undefined : key;
  } catch {
    return undefined;
  }
}

export function isOfKind(kind: BoundKind, item: Item): boolean {
  return fitsKind(kind, item) && !kind.narrower.some((one) => fits(one, kind.table, item));
}

/** Whether it has the key and the type of this kind. */
export function fitsKind(kind: BoundKind, item: Item): boolean {
  return fits(kind, kind.table, item);
}

function fits(kind: AnyKind, table: TableNames, item: Item): boolean {
  if (kind.type !== undefined && text(attribute(item, table.type)) !== kind.type) return false;
  const key = keyOf(table, item);
  return key !== undefined && kind.idsOf(key) !== undefined;
}

/** As far as their types and the edges of their key patterns tell. */
export function kindsOverlap(one: AnyKind, other: AnyKind): boolean {
  if (one.type !== undefined && other.type !== undefined && one.type !== other.type) return false;
  return (
    edgesOverlap(one.pkPattern.edges, other.pkPattern.edges) &&
    edgesOverlap(one.skPattern.edges, other.skPattern.edges)
  );
}

export function ofKind(kind: BoundKind, image: Item | undefined): Item | undefined {
  return image !== undefined && isOfKind(kind, image) ? image : undefined;
}

/** What functions see of an id; undefined if it is text. */
export function numericId(
  { pkPattern, skPattern }: Pick<AnyKind, 'pkPattern' | 'skPattern'>,
  name: string | symbol,
): KeyPattern['numeric'] {
  return [pkPattern, skPattern].find(({ numeric, names }) => numeric !== undefined && names[0] === name)
    ?.numeric;
}

export function idNames({ pkPattern, skPattern }: Pick<AnyKind, 'pkPattern' | 'skPattern'>): string[] {
  return [...new Set([...pkPattern.names, ...skPattern.names])];
}

/**
 * The same kinds, bound to the table, each with those that are more specific: whose keys, or whose items by their type, are all of
 * this kind too, and not the other way round. An item of both is then of the more specific one alone.
 */
export function bindKinds(table: TableNames, kinds: Iterable<AnyKind>): (kind: AnyKind) => BoundKind {
  const all = [...new Set(kinds)];
  const bind = (kind: AnyKind): BoundKind => {
    const narrower = all.filter((one) => includes(kind, one) && !includes(one, kind));
    // The kind of a project stays what it is where one of its rules is alone.
    if (isBoundTo(table, kind) && narrower.every((one) => kind.narrower.includes(one))) return kind;
    return { ...kind, table, narrower };
  };
  const bound = new Map(all.map((kind) => [kind, bind(kind)]));
  return (kind) => bound.get(kind) ?? bind(kind);
}

function isBoundTo(table: TableNames, kind: AnyKind): kind is BoundKind {
  return 'table' in kind && kind.table === table;
}

/** Whether all items of the other kind are of this one too. */
function includes(kind: AnyKind, other: AnyKind): boolean {
  if (kind.type !== undefined && kind.type !== other.type) return false;
  const key = keyWith(other, idsThatNoPatternHas(other));
  return key !== undefined && kind.idsOf(key) !== undefined;
}

/** No text of a pattern has their characters (of Unicode's private use), so an id of the other kind holds each of them whole. */
function idsThatNoPatternHas(kind: AnyKind): Readonly<Record<string, string>> {
  const ids = idNames(kind).map((name, index) => {
    const text = String.fromCharCode(0xe000 + index);
    const numbers = { number: `-${index}.987654321`, bigint: `-987654321${index}` } as const;
    const numeric = numericId(kind, name);
    return [name, numeric === undefined ? text : numbers[numeric]];
  });
  return Object.fromEntries(ids);
}
