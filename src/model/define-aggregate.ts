import type { Aggregate, AggregateSpec } from './aggregate.ts';
import { RuleError } from './errors.ts';
import { placed } from './index-keys.ts';
import type { InDeclaredIndex } from './rule.ts';
import {
  aFunction,
  aKind,
  anIndex,
  attributeNames,
  type FieldsOf,
  isObject,
  list,
  must,
  object,
  oneOf,
  optional,
  placing,
  record,
  requireListed,
  ruleName,
  wholeNumber,
} from './spec-fields.ts';

// biome-ignore lint/complexity/noBannedTypes: a shape that has no attribute
type AnyAggregateSpec = AggregateSpec<{}, string, string, {}, string, string, never, never>;

const memberLocation = object((location) => ({
  in: oneOf('partition', 'index'),
  ...(location['in'] === 'index' && { index: anIndex }),
  ...placing(location),
}));

const locations = list('a location, or a list of locations', memberLocation);

export const aggregateFields: FieldsOf<AnyAggregateSpec> = {
  name: ruleName,
  of: aKind,
  on: aKind,
  reads: optional(object({ member: optional(attributeNames), target: optional(attributeNames) })),
  members: (value, at) => (isObject(value) ? memberLocation : locations)(value, at),
  targetsOf: aFunction,
  computes: record(
    must('a reducer: count(), sum(…), average(…, { digits: 2 }), min(…), max(…) or { from, add }', isReducer),
  ),
  limit: optional(wholeNumber(1, 1_000_000)),
  every: optional(wholeNumber(1, 900)),
  invalid: optional(oneOf('dead-letter', 'skip')),
};

function isReducer(value: unknown): boolean {
  if (!isObject(value)) return false;
  const { add, of, from, digits } = value;
  if (add === 'count') return true;
  if (add === 'average')
    return typeof of === 'string' && Number.isInteger(digits) && 0 <= Number(digits) && Number(digits) <= 20;
  const builtIn = add === 'sum' || add === 'min' || add === 'max';
  return (
    (typeof from === 'function' && (builtIn || typeof add === 'function')) ||
    (builtIn && typeof of === 'string')
  );
}

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
>(
  spec: AggregateSpec<Member, MemberId, MemberPkId, Target, TargetId, TargetPkId, MemberRead, TargetRead>,
): Aggregate {
  // The casts are safe: these functions are only called with views that viewOf makes from the schemas of the same kinds.
  const { name, of, on, computes, targetsOf, ...erased } = spec as unknown as ErasedSpec;
  const what = typeof name === 'string' ? `rule ${name}` : 'an aggregate';
  object(aggregateFields)(spec, { what, rule: name });
  const { member = [], target = [] } = erased.reads ?? {};
  const members = ('in' in erased.members ? [erased.members] : erased.members).map((one) =>
    placed(name, one, on),
  );
  const named = Object.values(computes).flatMap((reducer) => ('of' in reducer ? [reducer.of] : []));
  const attributes = [
    ['reads.member', member, of],
    ['reads.target', target, on],
    ['computes', Object.keys(computes), on],
    ['computes', named, of],
  ] as const;
  for (const [field, names, kind] of attributes)
    requireListed(names, kind, { what: `${field} of ${what}`, rule: name });
  const isEmpty = members.length === 0;
  if (isEmpty || Object.keys(computes).length === 0)
    throw new RuleError(
      'rule.idle',
      `Rule ${name} computes nothing: add ${isEmpty ? 'a location to members' : 'an attribute to computes'}`,
      { rule: name },
    );
  return {
    ...{ name, of, on, members, targetsOf, computes },
    reads: { member: [...new Set([...member, ...named])], target },
    limit: spec.limit ?? 10_000,
    every: spec.every,
    invalid: spec.invalid ?? 'dead-letter',
  };
}

interface ErasedSpec extends Pick<Aggregate, 'name' | 'of' | 'on' | 'computes' | 'targetsOf'> {
  readonly reads?: Partial<Aggregate['reads']>;
  readonly members: AnyMemberLocation | readonly AnyMemberLocation[];
}

type AnyMemberLocation = Aggregate['members'][number] | InDeclaredIndex;
