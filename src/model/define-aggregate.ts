import type { Aggregate, AggregateSpec, MemberLocation } from './aggregate.ts';
import { RuleError } from './errors.ts';
import type { AnyKind } from './kind.ts';
import type { AnyReducer } from './reducers.ts';
import { requireListed } from './rule-fields.ts';
import {
  aKind,
  anIndex,
  aText,
  attributeNames,
  callable,
  type Field,
  type FieldsOf,
  isObject,
  oneOf,
  optional,
  recordOf,
  refuseField,
  ruleName,
  wrongField,
} from './spec-fields.ts';

// biome-ignore lint/complexity/noBannedTypes: a shape that has no attribute
type AnyAggregateSpec = AggregateSpec<{}, string, string, {}, string, string, never, never>;

const wholeNumber = (least: number, most: number): Field => ({
  // Not by toLocaleString: Node loads its tables of languages for that, a fifth of a cold start.
  expected: `a whole number from ${least} to ${String(most).replace(/\B(?=(\d{3})+$)/g, ',')}`,
  fits: (value) => typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most,
});

const reducers = recordOf(
  'a reducer for each attribute: count(), sum(…), min(…), max(…) or { from, add }',
  isReducer,
);

const aggregateFields: FieldsOf<AnyAggregateSpec> = {
  name: ruleName,
  of: aKind,
  on: aKind,
  reads: optional({ expected: 'an object', fits: isObject }),
  members: {
    expected: 'a location, or a list of locations',
    fits: (value) => isObject(value) || (Array.isArray(value) && value.length > 0 && value.every(isObject)),
  },
  targetsOf: callable,
  computes: reducers,
  limit: optional(wholeNumber(1, 1_000_000)),
  every: optional(wholeNumber(1, 900)),
  invalid: optional(oneOf('dead-letter', 'skip')),
};

const readsFields: FieldsOf<NonNullable<AnyAggregateSpec['reads']>> = {
  member: optional(attributeNames),
  target: optional(attributeNames),
};

function isReducer(value: unknown): boolean {
  if (!isObject(value)) return false;
  const { add, of, from } = value;
  if (add === 'count') return true;
  const builtIn = add === 'sum' || add === 'min' || add === 'max';
  return builtIn ? aText.fits(of) || callable.fits(from) : callable.fits(from) && callable.fits(add);
}

/**
 * Makes an aggregate from its author's spec. The registry checks it against rules and other aggregates.
 * @throws RuleError if the name is invalid, nothing is computed, or the spec is not what its type says
 */
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
  const erased = spec as unknown as Aggregate & {
    readonly reads?: { readonly member?: readonly string[]; readonly target?: readonly string[] };
    readonly members: Aggregate['members'] | Aggregate['members'][number];
  };
  checkSpec(erased);
  const { name, of, on, computes, targetsOf } = erased;
  const members = listOf(erased.members);
  if (Object.keys(computes).length === 0)
    throw new RuleError('rule.idle', `Rule ${name} computes nothing: add an attribute to computes`, {
      rule: name,
    });
  const named = Object.values(computes).flatMap(attributeIn);
  const member = [...new Set([...(erased.reads?.member ?? []), ...named])];
  return {
    ...{ name, of, on, members, targetsOf, computes },
    reads: { member, target: erased.reads?.target ?? [] },
    limit: spec.limit ?? 10_000,
    every: spec.every,
    invalid: spec.invalid ?? 'dead-letter',
  };
}

type SpecToCheck = Pick<Aggregate, 'name' | 'of' | 'on' | 'computes'> & {
  readonly reads?: { readonly member?: readonly string[]; readonly target?: readonly string[] };
  readonly members: Aggregate['members'] | Aggregate['members'][number];
};

function checkSpec(spec: SpecToCheck): void {
  const { name } = spec;
  const what = `rule ${name}`;
  refuseField(wrongField(typeof name === 'string' ? what : 'an aggregate', spec, aggregateFields), name);
  refuseField(wrongField(`reads of ${what}`, spec.reads ?? {}, readsFields), name);
  for (const location of listOf(spec.members)) {
    const byIndex = { ...(location.in === 'index' && { index: anIndex }) };
    const fields = { in: oneOf('partition', 'index'), ...byIndex, at: callable };
    refuseField(wrongField(`members of ${what}`, location, fields), name);
  }
  const named: readonly (readonly [field: string, names: readonly string[], kind: AnyKind])[] = [
    ['reads.member', spec.reads?.member ?? [], spec.of],
    ['reads.target', spec.reads?.target ?? [], spec.on],
    ['computes', Object.keys(spec.computes), spec.on],
    ['computes', Object.values(spec.computes).flatMap(attributeIn), spec.of],
  ];
  for (const [field, names, kind] of named) requireListed(`${field} of ${what}`, names, kind, name);
}

function attributeIn(reducer: AnyReducer): readonly string[] {
  return 'of' in reducer ? [reducer.of] : [];
}

function listOf<View>(
  members: MemberLocation<View> | readonly MemberLocation<View>[],
): readonly MemberLocation<View>[] {
  return 'in' in members ? [members] : members;
}
