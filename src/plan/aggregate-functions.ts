import { InvalidItemError } from '../model/basics/errors.ts';
import type { QueriedLocation } from '../model/items/copy-location.ts';
import { keyGiven } from '../model/items/given-keys.ts';
import { type Item, type ItemKey, isLegalKey, keyIn, legalKeyWords } from '../model/items/item.ts';
import { viewOf } from '../model/kinds/view.ts';
import { endOf } from '../model/rules/aggregate.ts';
import type { BoundAggregate } from '../model/rules/bound-rule.ts';
import { called } from './call.ts';
import { targetKeys } from './returns.ts';
import { isLegalLocation, queriedBy, unlessLacking } from './rule-functions.ts';

export function memberView({ name, of, reads }: BoundAggregate, member: Item) {
  return viewOf(of, member, { rule: name, role: 'member', reads: reads.member });
}

export function targetView({ name, on, reads }: BoundAggregate, target: Item) {
  return viewOf(on, target, { rule: name, role: 'target', reads: reads.target });
}

/**
 * None if the member lacks what they are named by.
 * @throws InvalidItemError if it has what its schema refuses, or if `targetsOf` fails
 */
export function targetsOf(aggregate: BoundAggregate, member: Item): readonly ItemKey[] {
  const call = {
    rule: aggregate,
    does: 'targetsOf',
    item: { key: keyIn(aggregate.table, member), concerns: 'member' },
  } as const;
  const targets = unlessLacking(() => {
    const view = memberView(aggregate, member);
    return called(call, () => aggregate.targetsOf(view), targetKeys(aggregate.table));
  });
  const keys = (targets ?? []).map((given) => keyGiven(aggregate.table, given));
  return keys.filter((key) => isLegalKey(aggregate.table, key));
}

/** @throws InvalidItemError if the target lacks what is read, if `at` fails on it, or if DynamoDB would refuse such a key */
export function memberLocations(aggregate: BoundAggregate, target: Item): readonly QueriedLocation[] {
  const key = keyIn(aggregate.table, target);
  const view = targetView(aggregate, target);
  const call = { rule: aggregate, does: 'members.at', item: { key, concerns: 'target' } } as const;
  return aggregate.members.map((members) => {
    const range = queriedBy(aggregate.table, members, view, call);
    const location = endOf(aggregate)?.backwards ? { ...range, backwards: true as const } : range;
    if (isLegalLocation(aggregate.table, location)) return location;
    const why = `Rule ${aggregate.name} finds members at a key that DynamoDB rejects: expected ${legalKeyWords(aggregate.table)}`;
    throw new InvalidItemError('target', 'target.unlocatable', why, { rule: aggregate.name, key });
  });
}
