import type { Derived } from './attribute-value.ts';

/**
 * How one attribute is computed from the members of a target, in any order. `{ from, add }` says what a member contributes; a
 * function `add` must be pure, associative and commutative.
 * A contribution that is undefined does not count. Without any, a count and a sum are 0, and a target loses the others.
 */
export type Reducer<MemberView, TargetView, Attribute extends string> =
  | Count
  | OfAttribute<Attribute>
  | FromFunction<MemberView, TargetView, number, 'sum'>
  | FromFunction<MemberView, TargetView, Derived, 'min' | 'max'>
  | FromFunction<MemberView, TargetView, number, (one: number, other: number) => number>
  | FromFunction<MemberView, TargetView, string, (one: string, other: string) => string>;

export type AnyReducer =
  | Count
  | OfAttribute<string>
  | FromFunction<never, never, Derived, BuiltIn | ((one: never, other: never) => Derived)>;

/** Sums are exact to DynamoDB's 38 digits: 0.1 + 0.2 is 0.3. Text is compared by its bytes, as DynamoDB sorts keys. */
export type BuiltIn = 'sum' | 'min' | 'max';

interface Count {
  readonly add: 'count';
}

interface OfAttribute<Attribute> {
  readonly of: Attribute;
  readonly add: BuiltIn;
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

export function min<const Attribute extends string>(attribute: Attribute): OfAttribute<Attribute> {
  return { of: attribute, add: 'min' };
}

export function max<const Attribute extends string>(attribute: Attribute): OfAttribute<Attribute> {
  return { of: attribute, add: 'max' };
}
