/**
 * How one attribute is computed from the members of a target: what each member contributes, and how contributions are added.
 * The order of the members is arbitrary.
 *
 * - `count()`, `sum('Total')`, `average('Stars', { digits: 2 })`, `min('CreatedAt')`, `max('CreatedAt')` name an attribute;
 * - `{ from, add }` says what a member contributes to a target; `add` is `'sum'`, `'min'` or `'max'`, or a function, which
 *   must be pure, associative and commutative.
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
  | FromFunction<MemberView, TargetView, string, (one: string, other: string) => string>;

export type AnyReducer =
  | Count
  | OfAttribute<string>
  | Average<string>
  | FromFunction<never, never, Comparable, BuiltIn | ((one: never, other: never) => Comparable)>;

/** What a member may contribute. */
export type Comparable = string | number;

/** Sums are exact to DynamoDB's 38 digits: 0.1 + 0.2 is 0.3. Text is compared by its bytes, as DynamoDB sorts keys. */
export type BuiltIn = 'sum' | 'min' | 'max';

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
