import type { Derived } from '../items/attribute-value.ts';
import type { GivenKey, KeyRange, RangeOf } from '../items/given-keys.ts';
import type { IndexNames } from '../items/table-names.ts';
import type { BareName } from '../kinds/key-pattern.ts';
import type { AnyKind, Ids, Kind, View } from '../kinds/kind.ts';

/** Whether copies whose root is gone are deleted, lose what the rule wrote, or stay. */
export type RemovalPolicy = 'delete' | 'clear' | 'keep';

/** What some readers ask of a policy, whichever it is. */
export interface PolicyEffects {
  /** Whether copies stay as they are, so that nothing looks for them. Others are written on condition of their root. */
  readonly keeps: boolean;
  /** Whether items are deleted, with what applications wrote on them. */
  readonly deletes: boolean;
  /**
   * Whether it takes away what the rule writes, and nothing else. A copy that had none of it may get some by a write that was
   * planned before, so copies are rechecked.
   */
  readonly clears: boolean;
}

/**
 * `clearedBy` does what a policy says. The compiler asks for a new policy here and in `permissions` of `usage.ts`, but tells no
 * reader of a new field: whoever adds one looks at what uses this table. A new policy is also an `End` in `oracle/relation.ts`, and in
 * `registryOfOne`, `describeRule`, `varied-rules.ts`, the stack, docs/rules.md, and a planted bug of `in-forms.ts`; the worlds of the
 * seeds change with it.
 */
export const policyEffects: Readonly<Record<RemovalPolicy, PolicyEffects>> = {
  delete: { keeps: false, deletes: true, clears: false },
  clear: { keeps: false, deletes: false, clears: true },
  keep: { keeps: true, deletes: false, clears: false },
};

export const removalPolicies = Object.keys(policyEffects) as readonly RemovalPolicy[];

/** Where a root's copies are. `at` sees the attributes that `reads.root` declares, and the ids of the root's key. */
export type Location<RootView, Index extends IndexNames = IndexNames> =
  | { readonly in: 'partition'; readonly at: (root: RootView) => KeyRange }
  | { readonly in: 'index'; readonly index: Index; readonly at: (root: RootView) => RangeOf<Index> }
  | InDeclaredIndex
  | { readonly in: 'key'; readonly at: (root: RootView) => GivenKey }
  | { readonly in: 'keys'; readonly at: (root: RootView) => readonly GivenKey[] }
  /** The item is its own copy: the rule derives attributes of the root itself. */
  | { readonly in: 'itself' };

/** The partition of an index that follows from the keys which the kind `of` declares for it. */
export interface InDeclaredIndex {
  readonly in: 'index';
  readonly index: IndexNames;
  readonly of: AnyKind;
  readonly at?: never;
}

/** A location as a rule has it once it is defined: always by a function. */
export type PlacedBy<SomeLocation> = Exclude<SomeLocation, InDeclaredIndex>;

/** Computes a derived attribute. Undefined means that the copy should not have the attribute. */
export type Derivation<RootView, CopyView> = (from: {
  readonly root: RootView;
  readonly copy: CopyView;
}) => Derived | undefined;

type Name<Attributes> = keyof Attributes & string;

/** A rule as its author writes it. Types follow from the schemas of root and copy: a misspelt attribute does not compile. */
export interface RuleSpec<
  Root,
  RootId extends string,
  RootPkId extends string,
  Copy,
  CopyId extends string,
  CopyPkId extends string,
  RootRead extends Name<Root>,
  CopyRead extends Name<Copy>,
  Index extends IndexNames = IndexNames,
> {
  readonly name: string;
  readonly root: Kind<Root, RootId, RootPkId>;
  readonly copy: Kind<Copy, CopyId, CopyPkId>;
  /** Attributes that `located`, `when`, `rootOf` and `derive` read. A change of one matches. Default: none. */
  readonly reads?: { readonly root?: readonly RootRead[]; readonly copy?: readonly CopyRead[] };
  readonly located: Location<View<Pick<Root, NoInfer<RootRead>>, RootId>, Index>;
  /** The roots that the rule applies to. Another one is treated as deleted. Default: all. */
  readonly when?: { readonly root: (root: View<Pick<Root, NoInfer<RootRead>>, RootId>) => boolean };
  /** The key of the root that a copy names; undefined if it names none. Not needed if `located` is `itself`. */
  readonly rootOf?: (copy: View<Pick<Copy, NoInfer<CopyRead>>, CopyId>) => GivenKey | undefined;
  /**
   * Whether a missing copy is put, with the locations `key` and `keys`. What is derived sees no attribute of it. Default:
   * false.
   */
  readonly creates?: boolean;
  /**
   * Attributes copied as they are, or `all` except keys, index keys, the expiry and `own`; or the copy's name of each:
   * `{ displayName: 'authorName' }`. Default: none.
   */
  readonly copies?: readonly (Name<Root> & Name<Copy>)[] | 'all' | CopiedAs<Root, Copy>;
  /** Attributes computed from the root, from the copy, or from both. Default: none. */
  readonly derive?: {
    readonly [Attribute in Name<Copy>]?: Derivation<
      View<Pick<Root, NoInfer<RootRead>>, RootId>,
      View<Pick<Copy, NoInfer<CopyRead>>, CopyId>
    >;
  };
  /**
   * In a tree of items of one kind, where the root is the item above: the list of ids that the rule keeps, the topmost first, as
   * `{ Ancestors: 'folder' }`. What the rule writes may then depend on the same attributes of the item above. Default: none.
   */
  readonly ancestors?: { readonly [Attribute in Name<Copy>]?: BareName<RootId> };
  /** Attributes that belong to the copy alone and are never touched. Default: none. */
  readonly own?: readonly Name<Copy>[];
  /** With `copies: 'all'`: what happens to other attributes of a copy that its root does not have. Default: `keep`. */
  readonly unknown?: 'keep' | 'remove';
  /** The id, in the keys of root and copy alike, that no write may cross. Default: none. */
  readonly tenant?: keyof Ids<RootId> & keyof Ids<CopyId> & string;
  readonly onDelete: RemovalPolicy;
  readonly onExpire: RemovalPolicy;
  /** What happens to a copy that stops naming a root: `rootOf` returned its key, and returns undefined. Default: `keep`. */
  readonly onUnlink?: RemovalPolicy;
}

/** For attributes of the root, those of the copy that can hold the same. */
type CopiedAs<Root, Copy> = {
  readonly [From in Name<Root>]?: {
    [To in Name<Copy>]: Exclude<Root[From], undefined> extends Copy[To] ? To : never;
  }[Name<Copy>];
};

/** The list that a rule keeps on each item of a tree: the ids of the items above it, the topmost first. */
export interface Tree {
  readonly attribute: string;
  /** The id, of those in the items' keys, that the list has. */
  readonly id: string;
}

type ErasedView = View<Record<string, unknown>, string>;

export interface Rule<SomeKind extends AnyKind = AnyKind> {
  readonly is: 'rule';
  readonly name: string;
  readonly root: SomeKind;
  readonly copy: SomeKind;
  readonly reads: { readonly root: readonly string[]; readonly copy: readonly string[] };
  readonly located: PlacedBy<Location<ErasedView>>;
  /** Undefined if the rule applies to all roots. */
  readonly when: { root(root: ErasedView): boolean } | undefined;
  rootOf(copy: ErasedView): GivenKey | undefined;
  readonly creates: boolean;
  /** As the copy has them. */
  readonly copies: readonly string[] | 'all';
  /** For those that have another name on the root, that name. */
  readonly renamed: Readonly<Record<string, string>>;
  readonly derive: Readonly<Record<string, Derivation<ErasedView, ErasedView>>>;
  /** Undefined if copies and roots are no tree. */
  readonly tree?: Tree;
  readonly own: readonly string[];
  readonly unknown: 'keep' | 'remove';
  readonly tenant: string | undefined;
  readonly onUnlink: RemovalPolicy;
  readonly onDelete: RemovalPolicy;
  readonly onExpire: RemovalPolicy;
}

/** The attributes of a copy that the rule names: all that it writes, unless it copies all. */
export function outputsOf({ copies, derive }: Pick<Rule, 'copies' | 'derive'>): readonly string[] {
  return [...(copies === 'all' ? [] : copies), ...Object.keys(derive)];
}
