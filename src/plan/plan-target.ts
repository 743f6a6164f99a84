import { InvalidItemError } from '../model/basics/errors.ts';
import { type Item, type ItemKey, keyAttributes } from '../model/items/item.ts';
import { itemSize, maxItem } from '../model/items/item-size.ts';
import { isKeyName } from '../model/items/table-names.ts';
import { isOfKind } from '../model/kinds/kind.ts';
import type { BoundAggregate } from '../model/rules/bound-rule.ts';
import { guardOf } from './guard.ts';
import { type CopyPlan, updateOf } from './plan-copy.ts';
import { withProjection } from './plan-writes.ts';
import type { Totals } from './totals.ts';

/** A target with its key and its type attribute only. */
export function bareTarget({ table, on }: BoundAggregate, key: ItemKey): Item {
  return {
    ...keyAttributes(table, key),
    ...(on.type !== undefined && { [table.type]: { S: on.type } }),
  };
}

/** Whether the aggregate makes a target at this key, once it has members. */
export function isMadeAt(aggregate: BoundAggregate, key: ItemKey): boolean {
  return aggregate.creates && isOfKind(aggregate.on, bareTarget(aggregate, key));
}

/**
 * What to do with a target, or a key at which one is made, when all members are added:
 *
 *   absent, or another kind of item ──no members──> `unchanged`
 *        │ members                                        │
 *        └──> `create`, on condition that the key is free; `taken` if it is not
 *   a target ──no members, and onEmpty is 'delete'──> `remove`, if it has only what rules and aggregates write
 *        └──> `update` or `unchanged`
 *
 * No write has a condition on members: each write of the target has a record, which computes it again.
 * @param item undefined if there is none
 * @throws InvalidItemError as {@link Totals.on} does, or if the target would be too large
 */
export function planTarget(totals: Totals, key: ItemKey, item: Item | undefined): CopyPlan {
  const { rule, isEmpty } = totals;
  if (item !== undefined && isOfKind(rule.on, item))
    return (isEmpty && removalOf(totals, key, item)) || updateOf(totals, { key, item });
  if (isEmpty) return { is: 'unchanged' };
  return item === undefined ? creationOf(totals, key) : { is: 'taken', copy: key, error: taken(rule, key) };
}

function creationOf(totals: Totals, key: ItemKey): CopyPlan {
  const { rule } = totals;
  const item = withProjection(bareTarget(rule, key), totals.on());
  const size = itemSize(item);
  if (size <= maxItem)
    return { is: 'create', write: { key, item, size }, rootExpect: 'none', narrowed: false };
  const why = `A target of rule ${rule.name} would be larger than DynamoDB's 400 KB: make what it is computed from smaller`;
  throw new InvalidItemError('target', 'target.too-large', why, { rule: rule.name, key });
}

/** Undefined if the target stays, with totals of 0. What its schema lists, and nobody of the project writes, must still be missing. */
function removalOf({ rule }: Totals, key: ItemKey, item: Item): CopyPlan | undefined {
  const { table, on, onEmpty, compared, computes } = rule;
  if (onEmpty !== 'delete') return undefined;
  const isOther = (name: string) =>
    !isKeyName(table, name) && name !== table.type && !name.startsWith('aws:rep:') && !rule.isWritten(name);
  const present = Object.keys(item);
  if (present.some(isOther)) return undefined;
  const listed = Object.keys(on.attributes.shape).filter(isOther);
  const written = present.filter((name) => rule.isWritten(name));
  const { expect, narrowed } = guardOf(item, compared, [...Object.keys(computes), ...written, ...listed], []);
  if (narrowed) return undefined;
  const write = { key, clear: undefined, expect, size: itemSize(item), empty: true } as const;
  return { is: 'remove', write, rootExpect: 'none', partial: false };
}

/** It is never overwritten. */
function taken({ name }: BoundAggregate, key: ItemKey): InvalidItemError {
  const why = `Expected the key at which rule ${name} creates a target to be free, found another kind of item, which is never overwritten: give targets keys of their own, or delete the item`;
  return new InvalidItemError('target', 'target.taken', why, { rule: name, key });
}
