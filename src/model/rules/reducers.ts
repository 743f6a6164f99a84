import type { AttributeValue, Derived } from '../items/attribute-value.ts';
import { addDecimals, compareDecimals } from '../items/decimal.ts';
import { byBytes } from '../items/key-order.ts';

/**
 * How one attribute is computed from the members of a target: what each member contributes, and how contributions are added.
 * Only `value` and `list` depend on the order of the members.
 *
 * - `count()`, `sum('Total')`, `average('Stars', { digits: 2 })`, `min('CreatedAt')`, `max('CreatedAt')` name an attribute;
 * - `{ from, add }` says what a member contributes to a target; `add` is `'sum'`, `'min'` or `'max'`, or a function, which
 *   must be pure, associative and commutative;
 * - `value('Text')` and `list('Text')` or `list(['Text', 'SentAt'])` need `last` or `first` on the members' location.
 *
 * A contribution that is undefined does not count. Without any, a count and a sum are 0, and a target loses the others.
 */
export type Reducer<MemberView, TargetView, Attribute extends string> =
  | Count
  | OfAttribute<Attribute>
  | FromFunction<MemberView, TargetView, number, 'sum'>
  | Average<Attribute>
  | FromFunction<MemberView, TargetView, Comparable, 'min' | 'max'>
  | FromFunction<MemberView, TargetView, number, (one: number, other: number) => number>
  | FromFunction<MemberView, TargetView, string, (one: string, other: string) => string>
  | OfLists<MemberView, TargetView, readonly Derived[]>
  | OfLists<MemberView, TargetView, DerivedMap>
  | Ordered<Attribute>;

export type AnyReducer =
  | Count
  | OfAttribute<string>
  | Average<string>
  | Ordered<string>
  | FromFunction<never, never, Comparable, BuiltIn>
  | FromFunction<never, never, Derived, (one: never, other: never) => Derived>;

/** What a member may contribute. */
export type Comparable = string | number;

/** Sums are exact to DynamoDB's 38 digits: 0.1 + 0.2 is 0.3. Text is compared by its bytes, as DynamoDB sorts keys. */
type BuiltIn = 'sum' | 'min' | 'max';

interface Count {
  readonly add: 'count';
}

interface OfAttribute<Attribute> {
  readonly of: Attribute;
  readonly add: BuiltIn;
}

interface Average<Attribute> {
  readonly of: Attribute;
  readonly add: 'average';
  /** The most decimals of the mean. */
  readonly digits: number;
  /** The attribute that says how many contributions its sum stands for. Default: one. */
  readonly weight?: string;
}

interface FromFunction<MemberView, TargetView, Value, Add> {
  readonly from: (member: MemberView, target: TargetView) => Value | undefined;
  readonly add: Add;
}

/** By a method, so that an author's function may name the type of its lists or objects more exactly. */
interface OfLists<MemberView, TargetView, Value> {
  readonly from: (member: MemberView, target: TargetView) => Value | undefined;
  add(one: Value, other: Value): Value;
}

type DerivedMap = Exclude<Extract<Derived, { readonly [name: string]: unknown }>, Uint8Array>;

/** What is copied of the outermost member, or of each. */
type Ordered<Attribute> =
  | { readonly of: Attribute; readonly add: 'value' }
  | { readonly of: Attribute | readonly Attribute[]; readonly add: 'list' };

export function count(): Count {
  return { add: 'count' };
}

/** Exact to DynamoDB's 38 digits. */
export function sum<const Attribute extends string>(attribute: Attribute): OfAttribute<Attribute> {
  return { of: attribute, add: 'sum' };
}

/** The mean of a number attribute, of the members that have it, rounded half up to `digits` decimals, 0 to 20. */
export function average<const Attribute extends string>(
  attribute: Attribute,
  options: { readonly digits: number },
): Average<Attribute> {
  return { of: attribute, add: 'average', ...options };
}

/** The least number or text. */
export function min<const Attribute extends string>(attribute: Attribute): OfAttribute<Attribute> {
  return { of: attribute, add: 'min' };
}

export function max<const Attribute extends string>(attribute: Attribute): OfAttribute<Attribute> {
  return { of: attribute, add: 'max' };
}

/** The attribute, of any type, of the outermost member: of the last one with `last`, of the first one with `first`. */
export function value<const Attribute extends string>(attribute: Attribute): Ordered<Attribute> {
  return { of: attribute, add: 'value' };
}

/** A list of the attribute, or of maps of several attributes, outermost member first. */
export function list<const Attribute extends string>(
  attributes: Attribute | readonly Attribute[],
): Ordered<Attribute> {
  return { of: attributes, add: 'list' };
}

/** A reducer by its name; any other `add` is a function of the rule's author. */
export type ReducerName = Count['add'] | BuiltIn | Average<string>['add'] | Ordered<string>['add'];

interface NamedReducer {
  /** Whether contributions are numbers. Others may be text. */
  readonly ofNumbers: boolean;
  /** Whether contributions are added up, so that they can be taken away again. */
  readonly adds: boolean;
  /** Whether the total is a mean, which needs the number of contributions beside their sum. */
  readonly isMean: boolean;
  /** Whether the total depends on the order in which members are added. */
  readonly isOrdered: boolean;
  /** The total of no contributions; undefined: the target loses the attribute. */
  readonly empty: AttributeValue | undefined;
  /**
   * One contribution of two, that of the outer member first; undefined if one is a number and the other text. So a total is made
   * of one value while members are read: what needs all contributions at once has to be held by `Totals`.
   */
  readonly combine: (one: AttributeValue, other: AttributeValue) => AttributeValue | undefined;
}

const zero = { N: '0' };
const adding = { ofNumbers: true, adds: true, isOrdered: false, combine: addedUp };
const choosing = { ofNumbers: false, adds: false, isMean: false, empty: undefined };

/**
 * What the worker, a ledger and the checks have to know of each reducer. Beside what the compiler names, a new one is computed in
 * `src/plan/totals.ts` and `oracle/totals.ts`, exported from `src/index.ts`, and in `define-aggregate.ts`, docs/aggregates.md,
 * docs/rules.md, `test/rules/misspelt.ts`, the world of `notes-rules.ts`, and a planted bug of `in-foreign-keys.ts`.
 */
export const namedReducers: Readonly<Record<ReducerName, NamedReducer>> = {
  count: { ...adding, isMean: false, empty: zero },
  sum: { ...adding, isMean: false, empty: zero },
  average: { ...adding, isMean: true, empty: undefined },
  min: { ...choosing, isOrdered: false, combine: extreme('least') },
  max: { ...choosing, isOrdered: false, combine: extreme('greatest') },
  value: { ...choosing, isOrdered: true, combine: (one) => one },
  list: { ...choosing, isOrdered: true, combine: joined },
};

export function isReducerName(add: unknown): add is ReducerName {
  return typeof add === 'string' && Object.hasOwn(namedReducers, add);
}

/** Whether only numbers contribute, so that a total is one. */
export function isNumeric({ add }: AnyReducer): boolean {
  return typeof add !== 'function' && namedReducers[add].ofNumbers;
}

/** Whether what a member contributed can be taken away again, as a ledger does. */
export function addsUp({ add }: AnyReducer): boolean {
  return typeof add !== 'function' && namedReducers[add].adds;
}

export function isMean(reducer: AnyReducer): reducer is Average<string> {
  return typeof reducer.add !== 'function' && namedReducers[reducer.add].isMean;
}

export function isOrdered({ add }: AnyReducer): boolean {
  return typeof add !== 'function' && namedReducers[add].isOrdered;
}

/** The attributes that a reducer names. */
export function attributesOf(reducer: AnyReducer): readonly string[] {
  return 'of' in reducer ? [reducer.of].flat() : [];
}

function joined(one: AttributeValue, other: AttributeValue): AttributeValue | undefined {
  return 'L' in one && 'L' in other ? { L: [...one.L, ...other.L] } : undefined;
}

function addedUp(one: AttributeValue, other: AttributeValue): AttributeValue | undefined {
  return 'N' in one && 'N' in other ? { N: addDecimals(one.N, other.N) } : undefined;
}

function extreme(wanted: 'least' | 'greatest'): NamedReducer['combine'] {
  const isGreatest = wanted === 'greatest';
  return (one, other) => {
    if ('N' in one && 'N' in other) return compareDecimals(one.N, other.N) > 0 === isGreatest ? one : other;
    if ('S' in one && 'S' in other) return byBytes(one.S, other.S) > 0 === isGreatest ? one : other;
    return undefined;
  };
}
