import { Big } from 'big.js';
import {
  type AttributeValue,
  type Derived,
  fromDerived,
  jsValue,
} from '../../model/items/attribute-value.ts';
import { isStorable } from '../../model/items/decimal.ts';
import { keyGiven } from '../../model/items/given-keys.ts';
import {
  type Item,
  type ItemKey,
  isLegalKey,
  keyAttributes,
  keyIn,
  keyText,
} from '../../model/items/item.ts';
import { byBytes } from '../../model/items/key-order.ts';
import { keyParts } from '../../model/items/table-names.ts';
import { isOfKind } from '../../model/kinds/kind.ts';
import { viewOf } from '../../model/kinds/view.ts';
import type { BoundAggregate } from '../../model/rules/bound-rule.ts';
import type { AnyReducer } from '../../model/rules/reducers.ts';
import { attempt, isGiven, namesNone, type Wanted } from './relation.ts';

export type TotalsRelation = ReturnType<typeof totalsOf>;

/** What an aggregate says, read apart from the code that computes, so that a fault of that code shows as a difference. */
export function totalsOf(aggregate: BoundAggregate) {
  const { name: rule, of, on, reads, computes, ledger, limit, creates, onEmpty } = aggregate;
  const [location] = aggregate.members;
  /** How many members count; undefined if all do. */
  const most = location?.last ?? location?.first;
  const memberView = (member: Item) => viewOf(of, member, { rule, role: 'member', reads: reads.member });
  const targetView = (target: Item) => viewOf(on, target, { rule, role: 'target', reads: reads.target });

  /** Whether the item counts for the target: it names it, and is where the target has its members. */
  function isMember(target: Item, item: Item): boolean {
    return (
      isOfKind(of, item) && isPlaced(target, item) && names(keyText(keyIn(aggregate.table, target)), item)
    );
  }

  function isPlaced(target: Item, item: Item): boolean {
    if (ledger !== undefined) return true;
    const view = targetView(target);
    return aggregate.members.some((location) =>
      isGiven(location.in === 'partition' ? aggregate.table : location.index, item, location.at(view)),
    );
  }

  /**
   * A member that lacks what it names its targets by has none, and so has one that is skipped.
   * @throws if it is invalid
   */
  function names(target: string, item: Item): boolean {
    return targetsNamed(item).some((key) => keyText(key) === target);
  }

  function targetsNamed(item: Item): readonly ItemKey[] {
    try {
      const keys = aggregate.targetsOf(memberView(item)).map((given) => keyGiven(aggregate.table, given));
      return keys.filter((key) => isLegalKey(aggregate.table, key));
    } catch (error) {
      if (namesNone(error) || aggregate.invalid === 'skip') return [];
      throw error;
    }
  }

  /** Whether nothing tells what the item counts for. */
  function isInvalid(item: Item): boolean {
    return isOfKind(of, item) && attempt(() => names('', item)) === undefined;
  }

  /** Whether a member can be added: alone, as often as a target may have members; in a ledger, ten million million times. */
  function isValid(target: Item, member: Item): boolean {
    const isAddable = (reducer: AnyReducer): boolean => {
      const value = contribution(reducer, member, target);
      if (!isAddedUp(reducer) || value === undefined || !('N' in value)) return true;
      const [, decimals = ''] = new Big(value.N).toFixed().split('.');
      const size = new Big(value.N).abs();
      return ledger === undefined
        ? decimals.length <= 20 && size.times(limit).lt('1e18')
        : decimals.length <= 12 && size.lt('1e13');
    };
    return attempt(() => Object.values(computes).every(isAddable)) === true;
  }

  function bareTarget(key: ItemKey): Item {
    return {
      ...keyAttributes(aggregate.table, key),
      ...(on.type !== undefined && { [aggregate.table.type]: { S: on.type } }),
    };
  }

  /** The first members, if only so many count, in the order in which their location is read; else all of them. */
  function membersOf(target: Item, items: readonly Item[]): readonly Item[] {
    const isAdded = (member: Item) => aggregate.invalid !== 'skip' || isValid(target, member);
    if (location === undefined || most === undefined)
      return items.filter((item) => isMember(target, item)).filter(isAdded);
    const sorts = keyParts(location.in === 'index' ? location.index : aggregate.table).sk;
    const parts = [...sorts, ...keyParts(aggregate.table).all];
    const placed = items
      .filter((item) => isPlaced(target, item))
      .sort((one, other) => parts.reduce((before, part) => before || byPart(part.name, one, other), 0));
    const members: Item[] = [];
    for (const item of location.last === undefined ? placed : placed.reverse())
      if (members.length < most && isMember(target, item) && isAdded(item)) members.push(item);
    return members;
  }

  function total(reducer: AnyReducer, target: Item, members: readonly Item[]): AttributeValue | undefined {
    const [outermost] = members;
    const contributions = () => members.flatMap((member) => contribution(reducer, member, target) ?? []);
    if (typeof reducer.add === 'function') return storable(combined(reducer, contributions()));
    switch (reducer.add) {
      case 'value':
        return outermost && contribution(reducer, outermost, target);
      case 'average': {
        const values = contributions();
        const sum = combined(reducer, values);
        return sum && 'N' in sum
          ? { N: new Big(sum.N).div(values.length).toFixed(reducer.digits) }
          : undefined;
      }
      case 'count':
      case 'sum':
      case 'min':
      case 'max':
      case 'list':
        return storable(combined(reducer, contributions()));
    }
  }

  function contribution(reducer: AnyReducer, member: Item, target: Item): AttributeValue | undefined {
    const view = memberView(held(reducer, member));
    if ('from' in reducer) {
      // The cast is safe: the types of the views were erased in defineAggregate.
      const value = (reducer.from as unknown as (...views: readonly unknown[]) => Derived | undefined)(
        view,
        targetView(target),
      );
      return value === undefined ? undefined : fromDerived(value);
    }
    const ofType = (of: string, ...types: readonly ('N' | 'S')[]): AttributeValue | undefined => {
      const value = member[of];
      const seen = view[of];
      if (value !== undefined && types.some((type) => type in value)) return value;
      if (value !== undefined && !('NULL' in value)) throw new TypeError('of another type');
      return seen === undefined || seen === null ? undefined : fromDerived(seen as Derived);
    };
    const copied = (of: string): AttributeValue | undefined => {
      // Throws if the schema refuses it.
      void view[of];
      return member[of];
    };
    switch (reducer.add) {
      case 'count':
        return { N: '1' };
      case 'sum':
      case 'average':
        return ofType(reducer.of, 'N');
      case 'min':
      case 'max':
        return ofType(reducer.of, 'N', 'S');
      case 'value':
        return copied(reducer.of);
      case 'list': {
        if (typeof reducer.of === 'string') {
          const value = copied(reducer.of);
          return value && { L: [value] };
        }
        const pairs = reducer.of.map(
          (of) => [of, contribution({ add: 'value', of }, member, target)] as const,
        );
        return { L: [{ M: Object.fromEntries(pairs.flatMap(([of, one]) => (one ? [[of, one]] : []))) }] };
      }
    }
  }

  return {
    rule,
    isMember,
    isInvalid,
    /** Whether an invalid member may count for the target: it is where that has its members, or once counted for it. */
    mayCount: (target: Item, versions: readonly Item[]) =>
      versions.some(
        (item) => !isInvalid(item) && isOfKind(of, item) && attempt(() => isMember(target, item)),
      ) ||
      (ledger === undefined && versions.some((item) => attempt(() => isPlaced(target, item)))),
    ledger: ledger && ledgerOf(aggregate),
    bareTarget,
    creates,
    /** Whether a target without members is to go, unless it has something of its own. */
    endsEmpty: creates && onEmpty === 'delete',
    /** The keys at which it is to make targets while this item is a member of them. */
    madeFor: (item: Item): readonly ItemKey[] =>
      creates && isOfKind(of, item)
        ? (attempt(() => targetsNamed(item)) ?? []).filter((key) => isOfKind(on, bareTarget(key)))
        : [],
    /** Whether nothing counts for the target; undefined if a member cannot be read. */
    isEmpty: (target: Item, items: readonly Item[]) => attempt(() => membersOf(target, items).length === 0),
    isTarget: (item: Item) => isOfKind(on, item),
    /** The totals of a target, from all items of the table; undefined if a member, or the target, cannot be added up. */
    wanted: (target: Item, items: readonly Item[]): Wanted | undefined =>
      attempt(() => {
        const isAll = ledger === undefined && most === undefined;
        if (isAll && items.filter((item) => isMember(target, item)).length > limit) return undefined;
        const members = membersOf(target, items);
        // Where the target lacks what is read of it, nothing is computed.
        targetView(target);
        return new Map(Object.entries(computes).map(([name, one]) => [name, total(one, target, members)]));
      }),
    writes: (name: string) => Object.hasOwn(computes, name),
    /** Whether the schema of its targets has this attribute. */
    lists: (name: string) => Object.hasOwn(on.attributes.shape, name),
  };
}

function combined(reducer: AnyReducer, values: readonly AttributeValue[]): AttributeValue | undefined {
  const [first = emptyTotal(reducer), ...others] = values;
  return others.reduce<AttributeValue | undefined>(
    (before, value) => before && added(reducer, before, value),
    first,
  );
}

/** @throws if DynamoDB cannot store it */
function storable(total: AttributeValue | undefined): AttributeValue | undefined {
  if (total !== undefined && 'N' in total && !isStorable(total.N)) throw new RangeError('too many digits');
  return total;
}

function added({ add }: AnyReducer, one: AttributeValue, other: AttributeValue): AttributeValue {
  if (typeof add === 'function')
    return fromDerived((add as (...pair: readonly unknown[]) => Derived)(jsValue(one), jsValue(other)));
  switch (add) {
    case 'count':
    case 'sum':
    case 'average':
      if (!('N' in one && 'N' in other)) throw new TypeError('no numbers');
      return { N: new Big(one.N).plus(other.N).toFixed() };
    case 'min':
      return isGreater(one, other) ? other : one;
    case 'max':
      return isGreater(one, other) ? one : other;
    case 'value':
      return one;
    case 'list':
      if (!('L' in one && 'L' in other)) throw new TypeError('no lists');
      return { L: [...one.L, ...other.L] };
  }
}

function isGreater(one: AttributeValue, other: AttributeValue): boolean {
  if ('N' in one && 'N' in other) return new Big(one.N).gt(other.N);
  if ('S' in one && 'S' in other) return byBytes(one.S, other.S) > 0;
  throw new TypeError('numbers and text');
}

/** The total of a target without members. */
function emptyTotal({ add }: AnyReducer): AttributeValue | undefined {
  if (typeof add === 'function') return undefined;
  switch (add) {
    case 'count':
    case 'sum':
      return { N: '0' };
    case 'average':
    case 'min':
    case 'max':
    case 'value':
    case 'list':
      return undefined;
  }
}

/** In the order of a key attribute. */
function byPart(name: string, one: Item, other: Item): number {
  const [a, b] = [one[name], other[name]];
  if (a && 'N' in a && b && 'N' in b) return new Big(a.N).cmp(b.N);
  return a && 'S' in a && b && 'S' in b ? byBytes(a.S, b.S) : 0;
}

/** Whether it adds up numbers, which have a bound then. */
function isAddedUp({ add }: AnyReducer): boolean {
  if (typeof add === 'function') return false;
  switch (add) {
    case 'count':
    case 'sum':
    case 'average':
      return true;
    case 'min':
    case 'max':
    case 'value':
    case 'list':
      return false;
  }
}

/** The schema sees the nearest number that JavaScript holds. */
function held(reducer: AnyReducer, member: Item): Item {
  const of = 'of' in reducer ? reducer.of : undefined;
  const value = typeof of === 'string' ? member[of] : undefined;
  if (typeof of !== 'string' || value === undefined || !('N' in value)) return member;
  return { ...member, [of]: { N: `${Number(value.N)}` } };
}

/** The worker's own items of an aggregate with a ledger. */
function ledgerOf({ name, table }: BoundAggregate) {
  const isOwn = ({ pk }: ItemKey) => pk.startsWith(`~${name}#`);
  return {
    isOwn,
    /** The member whose entry has this key, as text. */
    memberOf(text: string): ItemKey | undefined {
      const [pk = '', sk = ''] = partsIn(text);
      const [memberPk, memberSk] =
        isOwn({ pk, sk }) && sk.startsWith(entry) ? partsIn(sk.slice(entry.length)) : [];
      return memberPk === undefined ? undefined : { pk: memberPk, sk: memberSk ?? '' };
    },
    /** Whether a head is the sum of the entries beside it, as it is at any time. */
    isSum(key: ItemKey, head: Item, items: readonly Item[]): boolean {
      const entries = items.filter((item) => {
        const { pk, sk } = keyIn(table, item);
        return pk === key.pk && sk !== key.sk;
      });
      const names = new Set([head, ...entries].flatMap(Object.keys).filter((one) => /^[+#]/.test(one)));
      return [...names].every((one) => {
        const sum = entries.reduce((all, entry) => all.plus(numberAt(entry, one)), new Big(0));
        return sum.eq(numberAt(head, one));
      });
    },
  };
}

const entry = 'entry#';

/** The parts of a key as text; none if a long key was hashed. */
function partsIn(text: string): readonly string[] {
  const parts: unknown = text.startsWith('[') ? JSON.parse(text) : [];
  return Array.isArray(parts) ? parts.map(String) : [];
}

function numberAt(item: Item, name: string): string {
  const value = item[name];
  return value && 'N' in value ? value.N : '0';
}
