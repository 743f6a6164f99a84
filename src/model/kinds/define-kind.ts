import type * as z from 'zod/mini';
import { DenormError } from '../basics/errors.ts';
import { anything, aText, list, object, optional, record, requirement } from '../basics/requirement.ts';
import { isObject } from '../basics/type-of.ts';
import { type BareName, type IdsOf, indexKeyPattern, keyPattern } from './key-pattern.ts';
import type { AnyKind, Ids, Kind, ObjectSchema } from './kind.ts';
import { type FieldsOf, isListOfText, requireListed, requireSpec } from './spec-fields.ts';

/** The keys and attributes of a kind, as a rule's author writes them. */
export interface KindSpec<
  Pk extends string,
  Sk extends string,
  Shape extends ObjectSchema,
  Keys extends KeysSpec = KeysSpec,
> {
  /** The kind's name in the archive and in reports. */
  readonly name: string;
  /** The value of the type attribute, if the kind has one. An item with another value, or without one, is not of this kind. */
  readonly type?: string;
  readonly pk: Pk;
  /** Default: none, in a table without sort keys. */
  readonly sk?: Sk;
  readonly attributes: Shape;
  /**
   * The keys of indexes by the index's name, written from ids and attributes: `{ GSI1: { pk: 'USER#{userId}', sk: 'REVIEW' } }`.
   * An item that lacks one of them has no keys in that index. Default: none.
   */
  readonly keys?: Keys &
    NamingOnly<Keys, keyof Ids<IdsOf<Pk> | IdsOf<Sk>> | (keyof z.output<Shape> & string)>;
  /** Values of attributes, for `denorm simulate`, `cost` and `check`, which cannot guess what a refinement accepts. Default: none. */
  readonly examples?: readonly Partial<z.input<Shape>>[];
}

/** One pattern, or one for each attribute of the key. */
type Patterns = string | readonly string[];

type KeysSpec = Readonly<Record<string, { readonly pk: Patterns; readonly sk?: Patterns }>>;

/** Refuses a pattern that names something else, by asking for one that does not. */
type NamingOnly<Keys extends KeysSpec, Names extends string> = {
  readonly [Index in keyof Keys]: {
    readonly [Part in keyof Keys[Index]]: Keys[Index][Part] extends readonly string[]
      ? EachNaming<Keys[Index][Part], Names>
      : Naming<Keys[Index][Part], Names>;
  };
};

type EachNaming<List extends readonly string[], Names extends string> = {
  readonly [At in keyof List]: Naming<List[At], Names>;
};

type Naming<Pattern, Names extends string> = Pattern extends string
  ? [Exclude<BareName<IdsOf<Pattern>>, Names>] extends [never]
    ? Pattern
    : `a pattern of ids and attributes, without {${Exclude<BareName<IdsOf<Pattern>>, Names>}}`
  : never;

const patterns = requirement(
  'a pattern, or a list of patterns',
  (value) => typeof value === 'string' || isListOfText(value),
);

export const kindFields: FieldsOf<KindSpec<string, string, ObjectSchema>> = {
  name: aText,
  type: optional(aText),
  pk: aText,
  sk: optional(aText),
  attributes: requirement(
    'z.object({ … })',
    (value) => isObject(value) && isObject(value['shape']) && typeof value['parse'] === 'function',
  ),
  keys: optional(record(object({ pk: patterns, sk: optional(patterns) }))),
  examples: optional(list('a list of objects with values of attributes', record(anything))),
};

/**
 * Defines a kind of item. An item's kind follows from its key, which never changes, and from its type attribute if it has
 * one.
 */
export function defineKind<
  const Pk extends string,
  Shape extends ObjectSchema,
  const Sk extends string = '',
  const Keys extends KeysSpec = Record<never, never>,
>(
  spec: KindSpec<Pk, Sk, Shape, Keys>,
): Kind<z.output<Shape>, IdsOf<Pk> | IdsOf<Sk>, IdsOf<Pk>> & { readonly attributes: Shape } {
  requireSpec(object(kindFields), spec, { what: `kind ${spec.name}` });
  if ('ids' in spec.attributes.shape)
    throw new DenormError(
      'kind.ids',
      `Expected no attribute 'ids' in the schema of ${spec.name}, because functions of a rule see the ids of the key under that name: leave it out of attributes`,
    );
  const pkPattern = keyPattern(spec.pk, spec.name);
  const skPattern = keyPattern(spec.sk ?? '', spec.name);
  const inBoth = pkPattern.names.filter((id) => skPattern.names.includes(id));
  if (inBoth.length > 0 && pkPattern.numeric !== skPattern.numeric)
    throw new DenormError(
      'key.malformed',
      `Expected the id '${inBoth[0]}' of ${spec.name} to have one type in both patterns, got '${spec.pk}' and '${spec.sk}': give one of them another name`,
    );
  return {
    name: spec.name,
    type: spec.type,
    attributes: spec.attributes,
    pkPattern,
    skPattern,
    keys: keysOf(spec, [...pkPattern.names, ...skPattern.names]),
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
  }: Pick<KindSpec<string, string, ObjectSchema>, 'name' | 'attributes' | 'keys'>,
  ids: readonly string[],
): AnyKind['keys'] {
  const entries = Object.entries(keys).map(([index, { pk, sk = [] }]) => {
    const patterns = { pk: [pk].flat().map(indexKeyPattern), sk: [sk].flat().map(indexKeyPattern) };
    const named = [...patterns.pk, ...patterns.sk].flatMap(({ names }) => names);
    const ofAttributes = named.filter((one) => !ids.includes(one));
    requireListed(ofAttributes, { name, attributes }, { what: `keys.${index} of kind ${name}` });
    return [index, patterns] as const;
  });
  return Object.fromEntries(entries);
}
