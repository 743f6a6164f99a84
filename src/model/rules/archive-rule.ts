import { RuleError, refusalOf } from '../basics/errors.ts';
import { aFunction, aNumber, list, object, oneOf, optional, requirement } from '../basics/requirement.ts';
import { isObject } from '../basics/type-of.ts';
import type { GivenLocation, KeyValue } from '../items/given-keys.ts';
import type { IndexNames } from '../items/table-names.ts';
import type { AnyKind, Kind, View } from '../kinds/kind.ts';
import {
  aKind,
  anIndex,
  attributeNames,
  type FieldsOf,
  requireListed,
  requireSpec,
  ruleName,
} from '../kinds/spec-fields.ts';

/** S3's storage classes, from the most to the least expensive storage. Source: AWS, "Using Amazon S3 storage classes". */
export const storageClasses = [
  'STANDARD',
  'INTELLIGENT_TIERING',
  'STANDARD_IA',
  'ONEZONE_IA',
  'GLACIER_IR',
  'GLACIER',
  'DEEP_ARCHIVE',
] as const;

/** The least expensive class for small objects: the cold ones add 40 KB to each, or bill at least 128 KB. Source: AWS, "Amazon S3 pricing". */
export const defaultStorageClass = 'STANDARD';

export type StorageClass = (typeof storageClasses)[number];

/**
 * What happens to the archive when an application or the worker deletes an item. An expiry is not a deletion.
 * - `keep`: the archive stays as it is;
 * - `erase`: the object is deleted with all its versions and last states, for the right to be forgotten;
 * - `archive`: the item's last state is stored, as if it had expired.
 */
export type DeletionPolicy = 'keep' | 'erase' | 'archive';

/** `object`: one object per item; `batch`: one compressed object per batch, with one state per line. */
export type ArchiveLayout = 'object' | 'batch';

export interface Aging<SomeKind extends AnyKind = AnyKind> {
  readonly kind: SomeKind;
  /** Attributes that `when` and `since` read. The write of the TTL is conditional on them. */
  readonly reads: readonly string[];
  when(item: AgingView): boolean;
  /** When the item started to age, in epoch milliseconds. An item with NaN never ages. */
  since(item: AgingView): number;
  readonly days: number;
  readonly found: AgingFound;
  /** Kinds of the same rule, and where the companions of one item are. */
  readonly with: readonly { readonly kind: SomeKind; at(item: AgingView): GivenLocation }[];
}

type AgingView = View<Record<string, unknown>, string>;

/**
 * `until` returns a sort key that follows those of all items older than the given time; of several attributes, the first. `since`
 * filters out newer ones.
 */
export type AgingFound =
  | { readonly in: 'scan' }
  | {
      readonly in: 'index';
      readonly index: IndexNames;
      /** Of a partition key of several attributes, a list of their values. */
      readonly pks: readonly (KeyValue | readonly KeyValue[])[];
      until(moment: Date): KeyValue;
    };

export interface ArchiveRule<SomeKind extends AnyKind = AnyKind> {
  readonly is: 'archive';
  readonly name: string;
  readonly kinds: readonly SomeKind[];
  /** An item is archived if all of those of its kind are true for it. */
  readonly when: readonly Predicate<SomeKind>[];
  readonly onDelete: DeletionPolicy;
  readonly layout: ArchiveLayout;
  readonly storageClass: StorageClass | undefined;
  readonly ages: Aging<SomeKind> | undefined;
}

/** Default: `when` all items, `onDelete` `keep`, `layout` `object`, the deployment's storage class, and nothing ages. */
export type ArchiveRuleSpec = Pick<ArchiveRule, 'name' | 'kinds'> &
  Partial<Pick<ArchiveRule, 'when' | 'onDelete' | 'layout'>> & {
    readonly storageClass?: StorageClass;
    readonly ages?: Aging;
  };

export interface AgingSpec<Attributes, Id extends string, Read extends keyof Attributes & string> {
  readonly reads: readonly Read[];
  readonly when: (item: View<Pick<Attributes, NoInfer<Read>>, Id>) => boolean;
  readonly since: (item: View<Pick<Attributes, NoInfer<Read>>, Id>) => number;
  readonly days: number;
  readonly found: AgingFound;
  readonly with?: readonly {
    readonly kind: AnyKind;
    readonly at: (item: View<Pick<Attributes, NoInfer<Read>>, Id>) => GivenLocation;
  }[];
}

export const agingFields: FieldsOf<AgingSpec<object, string, never>> = {
  reads: attributeNames,
  when: aFunction,
  since: aFunction,
  days: aNumber,
  found: object((found) => ({
    in: oneOf('scan', 'index'),
    ...(found['in'] === 'index' && {
      index: anIndex,
      pks: requirement('a list of partition keys, all text or numbers', Array.isArray),
      until: aFunction,
    }),
  })),
  with: optional(list('a list of { kind, at }', object({ kind: aKind, at: aFunction }))),
};

const ofAKind = (value: unknown) => isObject(value) && isObject(value['kind']);

export const archiveFields: FieldsOf<ArchiveRuleSpec> = {
  name: ruleName,
  kinds: list('a list of kinds', aKind),
  when: optional(list('a list of what predicate returns', requirement('what predicate returns', ofAKind))),
  onDelete: optional(oneOf('keep', 'erase', 'archive')),
  layout: optional(oneOf('object', 'batch')),
  storageClass: optional(oneOf(...storageClasses)),
  ages: optional(requirement('what aging returns', ofAKind)),
};

/** @throws DenormError `field.unknown`, `field.invalid` or `rule.unknown-attribute` where types were not checked */
export function aging<
  Attributes,
  Id extends string,
  PkId extends string,
  const Read extends keyof Attributes & string,
>(kind: Kind<Attributes, Id, PkId>, spec: AgingSpec<Attributes, Id, Read>): Aging {
  const what = `aging of ${isObject(kind) ? String(kind.name) : 'a kind'}`;
  requireSpec(object({ kind: aKind, ...agingFields }), { kind, ...spec }, { what });
  requireListed(spec.reads, kind, { what: `reads of ${what}` });
  return { ...(spec as unknown as Omit<Aging, 'kind' | 'with'>), with: spec.with ?? [], kind } as Aging;
}

/** @throws RuleError that names the rule and the correction */
export function defineArchive(spec: ArchiveRuleSpec): ArchiveRule {
  requireSpec(object(archiveFields), spec, { what: `rule ${String(spec.name)}`, rule: spec.name });
  const { name, kinds, when = [], onDelete = 'keep', layout = 'object', storageClass, ages } = spec;
  const refuse = refusalOf(spec);
  if (kinds.length === 0) throw refuse('rule.idle', 'archives nothing: add a kind to kinds');
  for (const { kind } of when)
    if (!kinds.includes(kind))
      throw refuse(
        'rule.when-unarchived',
        `says which ${kind.name} to archive but archives none: add it to kinds, or remove its predicate`,
      );
  if (layout === 'batch' && onDelete === 'erase')
    throw refuse(
      'rule.cannot-erase',
      "cannot erase single items from the objects that they share in the layout 'batch': use the layout 'object', or another onDelete",
    );
  for (const kind of ages === undefined ? [] : [ages.kind, ...ages.with.map((one) => one.kind)])
    if (!kinds.includes(kind))
      throw refuse(
        'rule.ages-unarchived',
        `lets ${kind.name} expire but does not archive it: add it to kinds`,
      );
  if (ages !== undefined && !(ages.days > 0))
    throw new RuleError(
      'rule.ageless',
      `Expected days of rule ${name} to be a number above 0, got ${ages.days}`,
      { rule: name },
    );
  return { is: 'archive', name, kinds, when, onDelete, layout, storageClass, ages };
}

export interface Predicate<SomeKind extends AnyKind = AnyKind> {
  readonly kind: SomeKind;
  readonly reads: readonly string[];
  item(item: View<Record<string, unknown>, string>): boolean;
}

/** What an item must be to be archived. */
export interface PredicateSpec<Attributes, Id extends string, Read extends keyof Attributes & string> {
  readonly reads: readonly Read[];
  readonly item: (item: View<Pick<Attributes, NoInfer<Read>>, Id>) => boolean;
}

/** @throws DenormError `field.unknown`, `field.invalid` or `rule.unknown-attribute` where types were not checked */
export function predicate<
  Attributes,
  Id extends string,
  PkId extends string,
  const Read extends keyof Attributes & string,
>(kind: Kind<Attributes, Id, PkId>, spec: PredicateSpec<Attributes, Id, Read>): Predicate {
  const what = `predicate of ${isObject(kind) ? String(kind.name) : 'a kind'}`;
  requireSpec(object({ kind: aKind, reads: attributeNames, item: aFunction }), { kind, ...spec }, { what });
  requireListed(spec.reads, kind, { what: `reads of ${what}` });
  return { ...(spec as unknown as Omit<Predicate, 'kind'>), kind };
}
