import { InvalidItemError, unlessInvalid } from '../model/basics/errors.ts';
import { optional } from '../model/basics/requirement.ts';
import { type AttributeValue, type Derived, fromDerived, jsValue } from '../model/items/attribute-value.ts';
import { isInLocation, type QueriedLocation } from '../model/items/copy-location.ts';
import { isSummable, meanOf } from '../model/items/decimal.ts';
import { attribute, type Item, type ItemKey, keyIn, sameKey } from '../model/items/item.ts';
import { isOfKind } from '../model/kinds/kind.ts';
import { endOf, summandsOf } from '../model/rules/aggregate.ts';
import type { BoundAggregate } from '../model/rules/bound-rule.ts';
import { type AnyReducer, isNumeric, namedReducers } from '../model/rules/reducers.ts';
import { memberLocations, memberView, targetsOf, targetView } from './aggregate-functions.ts';
import { called } from './call.ts';
import { type Guard, guardOf } from './guard.ts';
import { holdsStorable, type Projection } from './projection.ts';
import { contributed, finite, finiteOrText } from './returns.ts';

/** The totals of one target while its members are added. It holds one value for each attribute, never members. */
export class Totals {
  readonly locations: readonly QueriedLocation[];
  readonly rule: BoundAggregate;
  readonly role = 'target';
  private readonly key: ItemKey;
  private readonly target: ReturnType<typeof targetView>;
  private readonly values = new Map<string, AttributeValue>();
  /** How many contributions each value is made of. */
  private readonly counted = new Map<string, number>();
  private members = 0;
  private counting = 0;
  private invalidMembers = 0;
  private whyInvalid: InvalidItemError | undefined;

  /** @throws InvalidItemError as {@link memberLocations} does */
  constructor(aggregate: BoundAggregate, target: Item) {
    this.rule = aggregate;
    this.key = keyIn(aggregate.table, target);
    this.target = targetView(aggregate, target);
    this.locations = memberLocations(aggregate, target);
  }

  /**
   * Of an item that was read in one of the locations. At an end of one, the outermost member comes first.
   * @throws InvalidItemError if member or target lacks what the aggregate
   * reads, if a function fails on them, or if there are more members than the aggregate allows
   */
  add(item: Item, location: QueriedLocation): void {
    if (!this.isMember(item, location)) return;
    this.members += 1;
    if (this.members > this.rule.limit) throw this.tooMany();
    const contributions = this.contributions(item);
    // One that is skipped gives none.
    if (contributions.length > 0) this.counting += 1;
    for (const { name, reducer, value } of contributions) {
      if (value === undefined) continue;
      const weight = this.weightOf(reducer, item);
      if (weight === undefined) continue;
      this.counted.set(name, (this.counted.get(name) ?? 0) + weight);
      const before = this.values.get(name);
      this.values.set(name, before === undefined ? value : this.sumOf(name, reducer, before, value, item));
    }
  }

  /** How many contributions that of a member stands for; undefined if the total is not made of it. */
  private weightOf(reducer: AnyReducer, member: Item): number | undefined {
    if (typeof reducer.add === 'function') return 1;
    switch (reducer.add) {
      case 'average':
        return weightAt(member, reducer.weight);
      case 'value':
        // The outermost member alone says what it is, also if it has none.
        return this.members === 1 ? 1 : undefined;
      case 'count':
      case 'sum':
      case 'min':
      case 'max':
      case 'list':
        return 1;
    }
  }

  /** Whether nothing counts for the target. */
  get isEmpty(): boolean {
    const { memberCount } = this.rule;
    if (memberCount === undefined) return this.counting === 0;
    const count = this.values.get(memberCount);
    return count === undefined || !('N' in count) || Number(count.N) === 0;
  }

  /** The members that are left out because they are invalid, and what is wrong with the first. */
  get skipped(): { readonly members: number; readonly why: InvalidItemError | undefined } {
    return { members: this.invalidMembers, why: this.whyInvalid };
  }

  /**
   * When all members are added.
   * @throws InvalidItemError if DynamoDB cannot store a total exactly
   */
  on(): Projection {
    return new Map(
      Object.entries(this.rule.computes).map(([name, reducer]) => {
        const value = this.total(name, reducer);
        if (value !== undefined && !holdsStorable(value)) throw this.unstorable(name);
        return [name, value];
      }),
    );
  }

  /** What is computed or read of the target is as it was when it was read, before its members. */
  guard(target: Item, projected: Projection, changes: readonly string[]): Guard {
    return guardOf(target, this.rule.compared, projected.keys(), changes);
  }

  private total(name: string, reducer: AnyReducer): AttributeValue | undefined {
    const value = this.values.get(name);
    if (typeof reducer.add === 'function') return value;
    if (value === undefined) return namedReducers[reducer.add].empty;
    switch (reducer.add) {
      case 'average': {
        const number = this.counted.get(name) ?? 0;
        return number === 0 || !('N' in value) ? undefined : { N: meanOf(value.N, number, reducer.digits) };
      }
      case 'count':
      case 'sum':
      case 'min':
      case 'max':
      case 'value':
      case 'list':
        return value;
    }
  }

  /** An item in several locations is a member in the first of them. Its own attributes decide: an index may be out of date. */
  private isMember(item: Item, location: QueriedLocation): boolean {
    const { rule: aggregate, locations } = this;
    return (
      isOfKind(aggregate.of, item) &&
      locations.find((one) => isInLocation(aggregate.table, item, one)) === location &&
      this.isNamedBy(item)
    );
  }

  /** Whether an item counts at an end of a location: one that is invalid does, unless it is skipped, and fails once it is added. */
  hasPlace(item: Item, location: QueriedLocation): boolean {
    return unlessInvalid(
      () => this.isMember(item, location) && this.contributions(item).length > 0,
      () => true,
    );
  }

  /** Whether the member counts for this target: one that is skipped does not. */
  isNamedBy(member: Item): boolean {
    const { rule: aggregate, key } = this;
    return this.unlessSkipped(
      () => targetsOf(aggregate, member).some((target) => sameKey(target, key)),
      () => false,
    );
  }

  /** A member that is skipped adds to no attribute, so that a mean of two totals stays right. */
  contributions(member: Item) {
    return this.unlessSkipped(
      () =>
        Object.entries(this.rule.computes).map(([name, reducer]) => ({
          name,
          reducer,
          value: this.contribution(name, reducer, member),
        })),
      () => [],
    );
  }

  private unlessSkipped<Result>(ask: () => Result, instead: () => Result): Result {
    if (this.rule.invalid !== 'skip') return ask();
    return unlessInvalid(ask, (error) => {
      if (error.code !== 'member.invalid') throw error;
      this.invalidMembers += 1;
      this.whyInvalid ??= error;
      return instead();
    });
  }

  private contribution(name: string, reducer: AnyReducer, member: Item): AttributeValue | undefined {
    const value = this.valueOf(name, reducer, member);
    if (this.rule.invalid !== 'skip' || value === undefined || !('N' in value)) return value;
    const summands = summandsOf(this.rule, reducer);
    if (summands === undefined || isSummable(value.N, summands)) return value;
    throw this.invalid(
      member,
      `Expected a number from which rule ${this.rule.name} computes '${name}' to be below ${summands.below}, with at most ${summands.decimals} decimals, found another`,
    );
  }

  private valueOf(name: string, reducer: AnyReducer, member: Item): AttributeValue | undefined {
    if ('from' in reducer) return this.made(name, reducer, member);
    switch (reducer.add) {
      case 'count':
        return { N: '1' };
      case 'sum':
      case 'average':
      case 'min':
      case 'max':
        return this.attributeOf(member, reducer.of, isNumeric(reducer));
      case 'value':
        return this.copied(member, reducer.of);
      case 'list':
        return this.listed(member, reducer.of);
    }
  }

  /** What a function makes of the member. */
  private made(
    name: string,
    reducer: Extract<AnyReducer, { readonly from: unknown }>,
    member: Item,
  ): AttributeValue | undefined {
    const view = memberView(this.rule, member);
    const call = {
      rule: this.rule,
      does: `computes.${name}.from`,
      item: { key: keyIn(this.rule.table, member), concerns: 'member' },
    } as const;
    // The cast is safe: the types of the views were erased in defineAggregate.
    const from = reducer.from as unknown as (...views: readonly unknown[]) => Derived | undefined;
    const ofText = typeof reducer.add === 'function' ? contributed : finiteOrText;
    const wanted = optional(isNumeric(reducer) ? finite : ofText);
    const value = called(call, () => from(view, this.target), wanted);
    return value === undefined ? undefined : fromDerived(value);
  }

  private listed(member: Item, of: string | readonly string[]): AttributeValue | undefined {
    if (typeof of === 'string') {
      const value = this.copied(member, of);
      return value && { L: [value] };
    }
    const values = of.map((name) => [name, this.copied(member, name)] as const);
    return { L: [{ M: Object.fromEntries(values.flatMap(([name, one]) => (one ? [[name, one]] : []))) }] };
  }

  /** As it is, if the schema accepts it. */
  private copied(member: Item, name: string): AttributeValue | undefined {
    this.seen(member, name);
    return attribute(member, name);
  }

  /** What the schema makes of an attribute: of a number, of the nearest that JavaScript holds. */
  private seen(member: Item, name: string): unknown {
    const value = attribute(member, name);
    const held = value && 'N' in value ? { ...member, [name]: { N: String(Number(value.N)) } } : member;
    return memberView(this.rule, held)[name];
  }

  /** With all its digits, if the schema accepts the nearest number. What is missing or NULL may have a default. */
  private attributeOf(member: Item, name: string, numbers: boolean): AttributeValue | undefined {
    const value = attribute(member, name);
    const seen = this.seen(member, name);
    if (value !== undefined && ('N' in value || (!numbers && 'S' in value))) return value;
    if (value === undefined || 'NULL' in value) {
      if (seen === undefined || seen === null) return undefined;
      if (typeof seen === 'number' || (!numbers && typeof seen === 'string')) return fromDerived(seen);
    }
    throw this.invalid(
      member,
      `Expected attribute '${name}' of ${this.rule.of.name} to be a number${numbers ? '' : ' or text'}, found one of another type`,
    );
  }

  private sumOf(
    name: string,
    { add }: AnyReducer,
    one: AttributeValue,
    other: AttributeValue,
    member: Item,
  ): AttributeValue {
    if (typeof add === 'function') return this.added(name, add, one, other);
    const sum = namedReducers[add].combine(one, other);
    if (sum !== undefined) return sum;
    throw this.invalid(
      member,
      `Expected ${name} of rule ${this.rule.name} to compare numbers or text, found both among the members of one target`,
    );
  }

  private added(
    name: string,
    add: (one: never, other: never) => Derived,
    one: AttributeValue,
    other: AttributeValue,
  ): AttributeValue {
    const call = {
      rule: this.rule,
      does: `computes.${name}.add`,
      item: { key: this.key, concerns: 'target' },
    } as const;
    // The cast is safe: `add` gets what `from` or it itself has returned.
    const pair = add as (...pair: readonly unknown[]) => Derived;
    return fromDerived(called(call, () => pair(jsValue(one), jsValue(other)), contributed));
  }

  private invalid(member: Item, why: string): InvalidItemError {
    const about = { rule: this.rule.name, key: keyIn(this.rule.table, member) };
    return new InvalidItemError('member', 'member.invalid', `${why}: correct the member`, about);
  }

  /** Also at an end of a location, where other items come before its members. */
  tooMany(): InvalidItemError {
    const { name, limit, of } = this.rule;
    const why =
      endOf(this.rule) === undefined
        ? `Rule ${name} computes a target from at most ${limit} members, found more: aggregate ${of.name} in two steps, first into buckets, which are then members of this target, or raise limit`
        : `Rule ${name} reads at most ${limit} items to find the members at an end, found more: keep items that do not count elsewhere, or raise limit`;
    return new InvalidItemError('target', 'target.too-many-members', why, { rule: name, key: this.key });
  }

  private unstorable(attributeName: string): InvalidItemError {
    const { name } = this.rule;
    const why = `Rule ${name} computes a value of '${attributeName}' that DynamoDB cannot store: expected a number of at most 38 digits, below 1e126`;
    return new InvalidItemError('target', 'target.unstorable', why, { rule: name, key: this.key });
  }
}

/** Of how many members its contribution is the sum. */
function weightAt(member: Item, weight: string | undefined): number {
  const value = weight === undefined ? undefined : attribute(member, weight);
  return value && 'N' in value ? Number(value.N) : 1;
}
