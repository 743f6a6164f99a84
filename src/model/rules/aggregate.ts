import type { Summands } from '../items/decimal.ts';
import type { GivenKey, KeyRange, RangeOf } from '../items/given-keys.ts';
import { type IndexNames, isKeyName } from '../items/table-names.ts';
import type { AnyKind, Kind, View } from '../kinds/kind.ts';
import type { AnyReducer, Reducer } from './reducers.ts';
import type { InDeclaredIndex, PlacedBy } from './rule.ts';

/**
 * Where members of a target are. `at` sees the attributes that `reads.target` declares, and the ids of the target's key. With
 * `last` or `first`, 1 to 100, only so many members at that end count, in the order of the sort key.
 */
export type MemberLocation<TargetView, Index extends IndexNames = IndexNames> =
  | (OneEnd & { readonly in: 'partition'; readonly at: (target: TargetView) => KeyRange })
  | (EndIn<Index> & {
      readonly in: 'index';
      readonly index: Index;
      readonly at: (target: TargetView) => RangeOf<Index>;
    })
  | (OneEnd & InDeclaredIndex);

type EndIn<Index> = IndexNames extends Index
  ? OneEnd
  : Index extends { readonly sk: unknown }
    ? OneEnd
    : NoEnd;

type OneEnd =
  | { readonly last?: number | undefined; readonly first?: undefined }
  | { readonly first?: number | undefined; readonly last?: undefined };

interface NoEnd {
  readonly last?: undefined;
  readonly first?: undefined;
}

type Name<Attributes> = keyof Attributes & string;

/** A list has a method `at` too. Without `in`, the compiler could not tell which `at` an author writes, nor type its argument. */
type OneOrSeveral<Location> = Location | (readonly (Location & NoEnd)[] & { readonly in?: never });

/** An aggregate as its author writes it: attributes of one item, the target, that are computed from many, its members. */
export interface AggregateSpec<
  Member,
  MemberId extends string,
  MemberPkId extends string,
  Target,
  TargetId extends string,
  TargetPkId extends string,
  MemberRead extends Name<Member>,
  TargetRead extends Name<Target>,
  Index extends IndexNames = IndexNames,
> {
  readonly name: string;
  readonly of: Kind<Member, MemberId, MemberPkId>;
  readonly on: Kind<Target, TargetId, TargetPkId>;
  /** Attributes that functions read. Those that `computes` names are added. A change of one matches. Default: none. */
  readonly reads?: { readonly member?: readonly MemberRead[]; readonly target?: readonly TargetRead[] };
  /**
   * Where the members of a target are: in one location, or in several. A member in two of them counts once. With a ledger, a member
   * counts wherever it is, and this may be left out.
   */
  readonly members?: OneOrSeveral<MemberLocation<View<Pick<Target, NoInfer<TargetRead>>, TargetId>, Index>>;
  /** The targets that a member counts for, at most 100. */
  readonly targetsOf: (member: View<Pick<Member, NoInfer<MemberRead>>, MemberId>) => readonly GivenKey[];
  readonly computes: {
    readonly [Attribute in Name<Target>]?: Reducer<
      View<Pick<Member, NoInfer<MemberRead>>, MemberId>,
      View<Pick<Target, NoInfer<TargetRead>>, TargetId>,
      Name<Member>
    >;
  };
  /** The most members of a target, or with `last` or `first` items read; one with more is dead-lettered. Default: 10,000. */
  readonly limit?: number;
  /**
   * Seconds, 1 to 900: a target is computed about once a period of this length. Default: each batch of changes is computed at
   * once.
   */
  readonly every?: number;
  /**
   * What happens if a member is invalid: `'dead-letter'` leaves the target as it is, `'skip'` computes it without that
   * member, which is counted, and which `verify` reports. Default: `'dead-letter'`.
   */
  readonly invalid?: InvalidMember;
  /**
   * Keeps what each member counts for in the table, so that a change costs the same however many members there are: for counts,
   * sums and averages. `shards`, 1 to 100: partitions over which the changes of one target are spread. Default: recomputed.
   */
  readonly ledger?: boolean | { readonly shards?: number };
  /** Whether a missing target is put once it has members. Default: false. */
  readonly creates?: boolean;
  /**
   * With `creates`, what happens to a target that has lost its last member: `'delete'` removes it if it has only what rules and
   * aggregates write, `'keep'` leaves it with totals of 0.
   */
  readonly onEmpty?: EmptyPolicy;
}

export const emptyPolicies = ['delete', 'keep'] as const;

export type EmptyPolicy = (typeof emptyPolicies)[number];

/** What the compiler asks of an aggregate that makes its targets, and of others. Nobody writes what it would read of them. */
export type Creating =
  | { readonly creates?: false; readonly onEmpty?: never }
  | {
      readonly creates: true;
      readonly onEmpty: EmptyPolicy;
      readonly reads?: { readonly target?: readonly [] };
    };

type InvalidMember = 'dead-letter' | 'skip';

type ErasedView = View<Record<string, unknown>, string>;

export interface Aggregate<SomeKind extends AnyKind = AnyKind> {
  readonly is: 'aggregate';
  readonly name: string;
  readonly of: SomeKind;
  readonly on: SomeKind;
  readonly reads: { readonly member: readonly string[]; readonly target: readonly string[] };
  readonly members: readonly PlacedBy<MemberLocation<ErasedView>>[];
  targetsOf(member: ErasedView): readonly GivenKey[];
  readonly computes: Readonly<Record<string, AnyReducer>>;
  readonly limit: number;
  readonly every: number | undefined;
  readonly invalid: InvalidMember;
  readonly ledger: { readonly shards: number } | undefined;
  readonly creates: boolean;
  readonly onEmpty: EmptyPolicy | undefined;
  /** The members are heads of a ledger: each location is that of one, which is read by its key. */
  readonly areHeads?: true;
  /** Heads stay when their entries have gone: the count, on the target, whose 0 says that it has no members. */
  readonly memberCount?: string | undefined;
}

/** The most targets of one member: more would make one change too many computations. */
export const maxTargets = 100;

/**
 * What is added up to a total; undefined if nothing is. `below` is their bound in words. A ledger has no limit. At its highest speed,
 * 50,000 changes a second in a hundred shards, a target gets so many members in six years.
 */
export function summandsOf(
  { ledger, limit }: Pick<Aggregate, 'ledger' | 'limit'>,
  { add }: AnyReducer,
): (Summands & { readonly below: string }) | undefined {
  if (typeof add === 'function') return undefined;
  switch (add) {
    case 'count':
    case 'sum':
    case 'average':
      return ledger === undefined
        ? { most: limit, decimals: 20, below: `1e18 / ${limit}` }
        : { most: 1e13, decimals: 12, below: '1e13' };
    case 'min':
    case 'max':
    case 'value':
    case 'list':
      return undefined;
  }
}

/** How many members count, and from which end of the aggregate's only location; undefined if all do. */
export function endOf({
  members: [location],
}: Pick<Aggregate, 'members'>): { readonly most: number; readonly backwards: boolean } | undefined {
  const { last, first = last } = location ?? {};
  return first === undefined ? undefined : { most: first, backwards: last !== undefined };
}

export function memberIndexes({ members }: Pick<Aggregate, 'members'>): readonly IndexNames[] {
  return members.flatMap((location) => (location.in === 'index' ? [location.index] : []));
}

/** Whether a change of this attribute of a member may change a total. */
export function watchesMember(aggregate: Aggregate, attribute: string): boolean {
  return (
    aggregate.reads.member.includes(attribute) ||
    memberIndexes(aggregate).some((index) => isKeyName(index, attribute))
  );
}
