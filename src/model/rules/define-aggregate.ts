import { refusalOf } from '../basics/errors.ts';
import {
  aBoolean,
  aFunction,
  aText,
  aWholeNumber,
  list,
  object,
  oneOf,
  optional,
  record,
  requirement,
} from '../basics/requirement.ts';
import { isObject } from '../basics/type-of.ts';
import type { IndexNames } from '../items/table-names.ts';
import {
  aKind,
  anIndex,
  attributeNames,
  type FieldsOf,
  placing,
  requireListed,
  requireSpec,
  ruleName,
} from '../kinds/spec-fields.ts';
import { type Aggregate, type AggregateSpec, type Creating, emptyPolicies } from './aggregate.ts';
import { locationByFunction } from './declared-location.ts';
import { countOf } from './ledger.ts';
import { addsUp, attributesOf, isOrdered, isReducerName, type ReducerName } from './reducers.ts';
import type { InDeclaredIndex } from './rule.ts';

// biome-ignore lint/complexity/noBannedTypes: a shape that has no attribute
type AnyAggregateSpec = AggregateSpec<{}, string, string, {}, string, string, never, never>;

const memberLocation = object((location) => ({
  in: oneOf('partition', 'index'),
  ...(location['in'] === 'index' && { index: anIndex }),
  ...placing(location),
  last: optional(aWholeNumber(100)),
  first: optional(aWholeNumber(100)),
}));

const locations = list('a location, or a list of locations', memberLocation);

const shards = object({ shards: optional(aWholeNumber(100)) });

export const aggregateFields: FieldsOf<AnyAggregateSpec> = {
  name: ruleName,
  of: aKind,
  on: aKind,
  reads: optional(object({ member: optional(attributeNames), target: optional(attributeNames) })),
  members: {
    words: locations.words,
    misfit: (value) => (isObject(value) ? memberLocation : locations).misfit(value),
  },
  targetsOf: aFunction,
  computes: record(
    requirement(
      'a reducer: count(), sum(…), average(…, { digits: 2 }), min(…), max(…), value(…), list(…) or { from, add }',
      isReducer,
    ),
  ),
  limit: optional(aWholeNumber(1_000_000)),
  every: optional(aWholeNumber(900)),
  invalid: optional(oneOf('dead-letter', 'skip')),
  ledger: optional({
    words: 'true, false or { shards }',
    misfit: (value) => (typeof value === 'boolean' ? undefined : shards.misfit(value)),
  }),
  creates: optional(aBoolean),
  onEmpty: oneOf(...emptyPolicies),
};

function isReducer(value: unknown): boolean {
  if (!isObject(value)) return false;
  const { add, from } = value;
  if (isReducerName(add)) return hasFieldsOf[add](value);
  return typeof add === 'function' && typeof from === 'function';
}

const names = list('attributes', aText, { least: 1 });

type Given = Readonly<Record<string, unknown>>;

const namesOrMakes = ({ of, from }: Given) => typeof of === 'string' || typeof from === 'function';

const hasFieldsOf: Readonly<Record<ReducerName, (given: Given) => boolean>> = {
  count: () => true,
  sum: namesOrMakes,
  min: namesOrMakes,
  max: namesOrMakes,
  value: ({ of }) => typeof of === 'string',
  list: ({ of }) => typeof of === 'string' || names.misfit(of) === undefined,
  average: ({ of, digits }) =>
    typeof of === 'string' && Number.isInteger(digits) && 0 <= Number(digits) && Number(digits) <= 20,
};

/** @throws RuleError if the name is invalid, nothing is computed, or the spec is not what its type says */
export function defineAggregate<
  Member,
  MemberId extends string,
  MemberPkId extends string,
  Target,
  TargetId extends string,
  TargetPkId extends string,
  const MemberRead extends keyof Member & string = never,
  const TargetRead extends keyof Target & string = never,
  const Index extends IndexNames = IndexNames,
>(
  spec: AggregateSpec<
    Member,
    MemberId,
    MemberPkId,
    Target,
    TargetId,
    TargetPkId,
    MemberRead,
    TargetRead,
    Index
  > &
    Creating,
): Aggregate {
  // The casts are safe: these functions are only called with views that viewOf makes from the schemas of the same kinds.
  const { name, of, on, computes, targetsOf, ...erased } = spec as unknown as ErasedSpec;
  const what = typeof name === 'string' ? `rule ${name}` : 'an aggregate';
  // A ledger needs no search for members, and only a target that the aggregate makes may be removed by it.
  const { members: check, onEmpty, ...fields } = aggregateFields;
  const members = spec.ledger ? optional(check) : check;
  requireSpec(object({ ...fields, members, ...(spec.creates && { onEmpty }) }), spec, { what, rule: name });
  const { member = [], target = [] } = erased.reads ?? {};
  const { members: given = [] } = erased;
  const located = ('in' in given ? [given] : given).map((one) => locationByFunction(name, one, on, of));
  const ledger = ledgerOf(spec.ledger);
  const named = Object.values(computes).flatMap(attributesOf);
  const attributes = [
    ['reads.member', member, of],
    ['reads.target', target, on],
    ['computes', Object.keys(computes), on],
    ['computes', named, of],
  ] as const;
  for (const [field, names, kind] of attributes)
    requireListed(names, kind, { what: `${field} of ${what}`, rule: name });
  const isEmpty = located.length === 0 && ledger === undefined;
  if (isEmpty || Object.keys(computes).length === 0)
    throw refusalOf({ name })(
      'rule.idle',
      `computes nothing: add ${isEmpty ? 'a location to members' : 'an attribute to computes'}`,
    );
  const creates = spec.creates ?? false;
  const read = { member: [...new Set([...member, ...named])], target };
  if (ledger !== undefined) checkLedger({ name, computes, creates, reads: read });
  checkOrder({ name, members: located, computes, ledger });
  if (creates && target.length > 0)
    throw refusalOf({ name })(
      'rule.cannot-create',
      `creates targets, but reads '${target[0]}' of them, which nobody writes on a new one: remove creates, or read the member alone`,
    );
  return {
    is: 'aggregate',
    name,
    of,
    on,
    members: located,
    targetsOf,
    computes,
    ledger,
    reads: read,
    limit: spec.limit ?? 10_000,
    every: spec.every,
    invalid: spec.invalid ?? 'dead-letter',
    creates,
    onEmpty: spec.onEmpty,
  };
}

function ledgerOf(given: boolean | { readonly shards?: number } | undefined): Aggregate['ledger'] {
  if (given === undefined || given === false) return undefined;
  return { shards: given === true ? 1 : (given.shards ?? 1) };
}

/** Only what can be added and taken away again follows from a ledger. */
function checkLedger({
  name,
  computes,
  creates,
  reads,
}: Pick<Aggregate, 'name' | 'computes' | 'creates' | 'reads'>): void {
  const refuse = (why: string) => refusalOf({ name })('rule.no-ledger', `has a ledger, ${why}`);
  for (const [attribute, reducer] of Object.entries(computes))
    if (!addsUp(reducer))
      throw refuse(
        `which adds up counts, sums and averages, but computes '${attribute}' by ${typeof reducer.add === 'string' ? reducer.add : 'a function'}: remove ledger, so that it is recomputed from all members`,
      );
  if (reads.target.length > 0)
    throw refuse(
      `so that no member is read again when its target changes, but reads '${reads.target[0]}' of the target: remove ledger, or read the member alone`,
    );
  if (creates && countOf({ computes }) === undefined)
    throw refusalOf({ name })(
      'rule.no-count',
      'creates targets and has a ledger, in which a count of 0 says that a target has no members, but computes no count: add a count() to computes',
    );
}

/** Members have an order only at the end of one location that is sorted. */
function checkOrder({
  name,
  members,
  computes,
  ledger,
}: Pick<Aggregate, 'name' | 'members' | 'computes' | 'ledger'>): void {
  const refuse = (why: string) => refusalOf({ name })('rule.unordered', why);
  const [ended] = members.filter(({ last, first }) => last !== undefined || first !== undefined);
  if (ended === undefined) {
    const [ordered] = Object.entries(computes).filter(([, reducer]) => isOrdered(reducer));
    if (ordered === undefined) return;
    throw refuse(
      `computes '${ordered[0]}' by ${ordered[1].add} of members that have no order: add last or first to members`,
    );
  }
  if (ended.last !== undefined && ended.first !== undefined)
    throw refuse('has members both last and first: remove one of them');
  if (ledger !== undefined)
    throw refuse('has a ledger, which counts members wherever they are: remove last and first, or ledger');
  if (members.length > 1)
    throw refuse(
      'has last or first in one of several locations, which have no common order: remove the other locations',
    );
  if (ended.in === 'index' && ended.index.sk === undefined)
    throw refuse(
      `has last or first in the index '${ended.index.name}', which has no sort key: use an index that has one`,
    );
}

interface ErasedSpec extends Pick<Aggregate, 'name' | 'of' | 'on' | 'computes' | 'targetsOf'> {
  readonly reads?: Partial<Aggregate['reads']>;
  readonly members?: AnyMemberLocation | readonly AnyMemberLocation[];
}

type AnyMemberLocation = Aggregate['members'][number] | InDeclaredIndex;
