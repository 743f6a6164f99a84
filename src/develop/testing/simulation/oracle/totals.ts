import { Big } from 'big.js';
import type { Aggregate } from '../../../../model/aggregate.ts';
import {
  type AttributeValue,
  type Derived,
  fromDerived,
  jsValue,
} from '../../../../model/attribute-value.ts';
import { isStorable } from '../../../../model/decimal.ts';
import { DenormError } from '../../../../model/errors.ts';
import { keyGiven } from '../../../../model/given-keys.ts';
import {
  type Item,
  type ItemKey,
  isLegalKey,
  keyAttributes,
  keyIn,
  keyText,
} from '../../../../model/item.ts';
import { byBytes } from '../../../../model/key-order.ts';
import { isOfKind } from '../../../../model/kind.ts';
import type { AnyReducer } from '../../../../model/reducers.ts';
import type { TableNames } from '../../../../model/table-names.ts';
import { viewOf } from '../../../../model/view.ts';
import { ledgerOf } from './ledger.ts';
import { attempt, isGiven, type Wanted } from './relation.ts';

export type TotalsRelation = ReturnType<typeof totalsOf>;

/** What an aggregate says, read apart from the code that computes, so that a fault of that code shows as a difference. */
export function totalsOf(table: TableNames, aggregate: Aggregate) {
  return {
    rule: aggregate.name,
    ledger: aggregate.ledger && ledgerOf(table, aggregate),
    bareTarget: (key: ItemKey): Item => ({
      ...keyAttributes(table, key),
      ...(aggregate.on.type !== undefined && { [table.type]: { S: aggregate.on.type } }),
    }),
    isTarget: (item: Item) => isOfKind(table, aggregate.on, item),
    /** The totals of a target, from all items of the table; undefined if a member, or the target, cannot be added up. */
    wanted: (target: Item, items: readonly Item[]): Wanted | undefined =>
      attempt(() => {
        const members = items.filter((item) => isMember(table, aggregate, target, item));
        if (aggregate.ledger === undefined && members.length > aggregate.limit) return undefined;
        const isAdded = (member: Item) =>
          aggregate.invalid !== 'skip' || isValid(table, aggregate, target, member);
        return totals(table, aggregate, target, members.filter(isAdded));
      }),
    writes: (name: string) => Object.hasOwn(aggregate.computes, name),
  };
}

/** Whether the item counts for the target: it names it, and is where the target has its members. */
export function isMember(table: TableNames, aggregate: Aggregate, target: Item, item: Item): boolean {
  return (
    isOfKind(table, aggregate.of, item) &&
    isPlaced(table, aggregate, target, item) &&
    names(table, aggregate, keyText(keyIn(table, target)), item)
  );
}

function isPlaced(table: TableNames, aggregate: Aggregate, target: Item, item: Item): boolean {
  if (aggregate.ledger !== undefined) return true;
  const view = targetView(table, aggregate, target);
  return aggregate.members.some((location) =>
    isGiven(location.in === 'partition' ? table : location.index, item, location.at(view)),
  );
}

/** A member that lacks what it names its targets by has none. */
function names(table: TableNames, aggregate: Aggregate, target: string, item: Item): boolean {
  try {
    const targets = aggregate.targetsOf(memberView(table, aggregate, item));
    const keys = targets.map((given) => keyGiven(table, given));
    return keys.some((key) => isLegalKey(table, key) && keyText(key) === target);
  } catch (error) {
    if (error instanceof DenormError && !error.code.startsWith('rule.')) return false;
    throw error;
  }
}

/** Whether a member can be added: alone, as often as a target may have members. */
function isValid(table: TableNames, aggregate: Aggregate, target: Item, member: Item): boolean {
  const seen = targetView(table, aggregate, target);
  const isAddable = (reducer: AnyReducer): boolean => {
    const value = contribution(reducer, member, heldView(table, aggregate, member, reducer), seen);
    if (!isSum(reducer) || value === undefined || !('N' in value)) return true;
    const [, decimals = ''] = new Big(value.N).toFixed().split('.');
    return decimals.length <= 20 && new Big(value.N).abs().times(aggregate.limit).lt('1e18');
  };
  return attempt(() => Object.values(aggregate.computes).every(isAddable)) === true;
}

function totals(table: TableNames, aggregate: Aggregate, target: Item, members: readonly Item[]) {
  const view = targetView(table, aggregate, target);
  return new Map(
    Object.entries(aggregate.computes).map(([name, reducer]) => {
      const values = members.flatMap(
        (member) => contribution(reducer, member, heldView(table, aggregate, member, reducer), view) ?? [],
      );
      const empty = reducer.add === 'count' || reducer.add === 'sum' ? { N: '0' } : undefined;
      const [first = empty, ...others] = values;
      const total = others.reduce<AttributeValue | undefined>(
        (sum, value) => sum && added(reducer, sum, value),
        first,
      );
      if (reducer.add === 'average' && total !== undefined && 'N' in total)
        return [name, { N: new Big(total.N).div(values.length).toFixed(reducer.digits) }];
      if (total !== undefined && 'N' in total && !isStorable(total.N))
        throw new RangeError('too many digits');
      return [name, total];
    }),
  );
}

type MemberView = ReturnType<typeof memberView>;

function contribution(
  reducer: AnyReducer,
  member: Item,
  view: MemberView,
  target: ReturnType<typeof targetView>,
): AttributeValue | undefined {
  if ('from' in reducer) {
    // The cast is safe: the types of the views were erased in defineAggregate.
    const value = (reducer.from as unknown as (...views: readonly unknown[]) => Derived | undefined)(
      view,
      target,
    );
    return value === undefined ? undefined : fromDerived(value);
  }
  if (!('of' in reducer)) return { N: '1' };
  const value = member[reducer.of];
  const seen = view[reducer.of];
  if (value !== undefined && ('N' in value || ('S' in value && !isSum(reducer)))) return value;
  if (value !== undefined && !('NULL' in value)) throw new TypeError('of another type');
  return seen === undefined || seen === null ? undefined : fromDerived(seen as Derived);
}

function added({ add }: AnyReducer, one: AttributeValue, other: AttributeValue): AttributeValue {
  if (typeof add === 'function')
    return fromDerived((add as (...pair: readonly unknown[]) => Derived)(jsValue(one), jsValue(other)));
  if ('N' in one && 'N' in other) {
    if (add === 'count' || add === 'sum' || add === 'average')
      return { N: new Big(one.N).plus(other.N).toFixed() };
    return new Big(one.N).gt(other.N) === (add === 'max') ? one : other;
  }
  if ('S' in one && 'S' in other) return byBytes(one.S, other.S) > 0 === (add === 'max') ? one : other;
  throw new TypeError('numbers and text');
}

function isSum({ add }: AnyReducer): boolean {
  return add === 'sum' || add === 'average';
}

/** The schema sees the nearest number that JavaScript holds. */
function heldView(table: TableNames, aggregate: Aggregate, member: Item, reducer: AnyReducer): MemberView {
  const value = 'of' in reducer ? member[reducer.of] : undefined;
  if (!('of' in reducer) || value === undefined || !('N' in value))
    return memberView(table, aggregate, member);
  return memberView(table, aggregate, { ...member, [reducer.of]: { N: `${Number(value.N)}` } });
}

function memberView(table: TableNames, { name, of, reads }: Aggregate, member: Item) {
  return viewOf(table, of, member, { rule: name, role: 'member', reads: reads.member });
}

function targetView(table: TableNames, { name, on, reads }: Aggregate, target: Item) {
  return viewOf(table, on, target, { rule: name, role: 'target', reads: reads.target });
}
