import type { CopyLocation } from './copy-location.ts';
import { RuleError } from './errors.ts';
import type { AnyKind, Kind, View } from './kind.ts';
import type { IndexNames } from './table-names.ts';

/** S3's storage classes, from the dearest to keep to the cheapest. Source: AWS, "Using Amazon S3 storage classes". */
export const storageClasses = [
  'STANDARD',
  'INTELLIGENT_TIERING',
  'STANDARD_IA',
  'ONEZONE_IA',
  'GLACIER_IR',
  'GLACIER',
  'DEEP_ARCHIVE',
] as const;

export type StorageClass = (typeof storageClasses)[number];

/**
 * What becomes of the archive when a user deletes an item, which is no expiry:
 * - `keep`: what stands there stays as it is;
 * - `erase`: the object goes with all its versions and last states, for the right to be forgotten;
 * - `archive`: the item's last state is kept as if it had expired.
 */
export type DeletionPolicy = 'keep' | 'erase' | 'archive';

/**
 * How items stand in the bucket: `object`, each by itself under its own key; `batch`, the states of many, one a line, in
 * one compressed object for each batch.
 */
export type ArchiveLayout = 'object' | 'batch';

/** Which items are old enough to be given an expiry, and what goes with them. */
export interface Aging {
  readonly kind: AnyKind;
  /** Attributes that `when` and `since` look at. They are part of the condition under which an expiry is given. */
  readonly reads: readonly string[];
  /** Whether it is done with: only then does it age. */
  when(item: AgingView): boolean;
  /** Since when, in epoch milliseconds. Not a number: never. */
  since(item: AgingView): number;
  /** How long an item ages before it is given an expiry. */
  readonly days: number;
  readonly found: AgingFound;
  /** What goes with the item: kinds of the same rule, and where those of one item stand. */
  readonly with: readonly { readonly kind: AnyKind; at(item: AgingView): CopyLocation }[];
}

type AgingView = View<Record<string, unknown>, string>;

/**
 * How aged items are found: by a scan of the table, or in partitions of an index that sort by time. `until` is the sort
 * key that those older than the moment stand before; what an index finds too many is sorted out by `since`.
 */
export type AgingFound =
  | { readonly in: 'scan' }
  | {
      readonly in: 'index';
      readonly index: IndexNames;
      readonly pks: readonly string[];
      until(moment: Date): string;
    };

/** Which kinds stand in the archive before they expire, and how. */
export interface ArchiveRule {
  readonly name: string;
  readonly kinds: readonly AnyKind[];
  readonly onDelete: DeletionPolicy;
  readonly layout: ArchiveLayout;
  /** Undefined: that of the deployment. */
  readonly storageClass: StorageClass | undefined;
  /** Undefined: nothing ages, and only the application says what expires. */
  readonly ages: Aging | undefined;
}

/** An archive rule as its author writes it. */
export interface ArchiveRuleSpec {
  readonly name: string;
  readonly kinds: readonly AnyKind[];
  /** Default: `keep`. */
  readonly onDelete?: DeletionPolicy;
  /** Default: `object`. */
  readonly layout?: ArchiveLayout;
  /** Default: that of the deployment. */
  readonly storageClass?: StorageClass;
  /** Made by {@link aging}. Default: nothing ages. */
  readonly ages?: Aging;
}

/** When items of a kind age, as a rule's author writes it; types follow from the kind's schema. */
export interface AgingSpec<Attributes, Id extends string, Read extends keyof Attributes & string> {
  readonly reads: readonly Read[];
  readonly when: (item: View<Pick<Attributes, NoInfer<Read>>, Id>) => boolean;
  readonly since: (item: View<Pick<Attributes, NoInfer<Read>>, Id>) => number;
  readonly days: number;
  readonly found: AgingFound;
  /** Default: nothing. */
  readonly with?: readonly {
    readonly kind: AnyKind;
    readonly at: (item: View<Pick<Attributes, NoInfer<Read>>, Id>) => CopyLocation;
  }[];
}

/** Says when items of this kind have aged. A misspelt attribute does not compile. */
export function aging<
  Attributes,
  Id extends string,
  PkId extends string,
  const Read extends keyof Attributes & string,
>(kind: Kind<Attributes, Id, PkId>, spec: AgingSpec<Attributes, Id, Read>): Aging {
  // As with propagation rules: the functions see narrower views than they are handed, made from this very schema.
  return { ...(spec as unknown as Omit<Aging, 'kind' | 'with'>), kind, with: withOf(spec) };
}

function withOf(spec: { readonly with?: unknown }): Aging['with'] {
  return (spec.with ?? []) as Aging['with'];
}

/**
 * Makes an archive rule of what its author wrote.
 * @throws RuleError naming the rule and the remedy
 */
export function defineArchiveRule(spec: ArchiveRuleSpec): ArchiveRule {
  const { name, kinds, onDelete = 'keep', layout = 'object', storageClass, ages } = spec;
  function refuse(code: string, message: string): never {
    throw new RuleError(code, message, { rule: name });
  }
  if (!/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(name))
    refuse(
      'rule.misnamed',
      `Expected a rule name in lower case with hyphens, such as 'archive-orders', got '${name}'`,
    );
  if (kinds.length === 0) refuse('rule.idle', `Rule ${name} archives nothing: add a kind to kinds`);
  if (layout === 'batch' && onDelete === 'erase')
    refuse(
      'rule.cannot-erase',
      `Rule ${name} cannot erase single items from the objects that they share in the layout 'batch': use the layout 'object', or another onDelete`,
    );
  for (const kind of ages === undefined ? [] : [ages.kind, ...ages.with.map((one) => one.kind)])
    if (!kinds.includes(kind))
      refuse(
        'rule.ages-unarchived',
        `Rule ${name} lets ${kind.name} expire but does not archive it: add it to kinds`,
      );
  if (ages !== undefined && !(ages.days > 0))
    refuse('rule.ageless', `Expected days of rule ${name} to be a number above 0, got ${ages.days}`);
  return { name, kinds, onDelete, layout, storageClass, ages };
}
