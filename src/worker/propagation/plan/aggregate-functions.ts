import type { Aggregate } from '../../../model/aggregate.ts';
import type { QueriedLocation } from '../../../model/copy-location.ts';
import { InvalidItemError } from '../../../model/errors.ts';
import { keyGiven } from '../../../model/given-keys.ts';
import { type Item, type ItemKey, isLegalKey, keyIn, legalKeyWords } from '../../../model/item.ts';
import type { TableNames } from '../../../model/table-names.ts';
import { viewOf } from '../../../model/view.ts';
import { called } from './call.ts';
import { targetKeys } from './returns.ts';
import { isLegalLocation, queriedBy, unlessLacking } from './rule-functions.ts';

export function memberView(table: TableNames, { name, of, reads }: Aggregate, member: Item) {
  return viewOf(table, of, member, { rule: name, role: 'member', reads: reads.member });
}

export function targetView(table: TableNames, { name, on, reads }: Aggregate, target: Item) {
  return viewOf(table, on, target, { rule: name, role: 'target', reads: reads.target });
}

/** None if the member lacks what they are named by. @throws InvalidItemError if it has what its schema refuses, or if `targetsOf` fails */
export function targetsOf(table: TableNames, aggregate: Aggregate, member: Item): readonly ItemKey[] {
  const call = {
    rule: aggregate,
    does: 'targetsOf',
    item: { key: keyIn(table, member), concerns: 'member' },
  } as const;
  const targets = unlessLacking(() => {
    const view = memberView(table, aggregate, member);
    return called(call, () => aggregate.targetsOf(view), targetKeys(table));
  });
  const keys = (targets ?? []).map((given) => keyGiven(table, given));
  return keys.filter((key) => isLegalKey(table, key));
}

/** @throws InvalidItemError if the target lacks what is read, if `at` fails on it, or if DynamoDB would refuse such a key */
export function memberLocations(
  table: TableNames,
  aggregate: Aggregate,
  target: Item,
): readonly QueriedLocation[] {
  const key = keyIn(table, target);
  const view = targetView(table, aggregate, target);
  const call = { rule: aggregate, does: 'members.at', item: { key, concerns: 'target' } } as const;
  return aggregate.members.map((members) => {
    const location = queriedBy(table, members, view, call);
    if (isLegalLocation(table, location)) return location;
    const why = `Rule ${aggregate.name} finds members at a key that DynamoDB rejects: expected ${legalKeyWords(table)}`;
    throw new InvalidItemError('target', 'target.unlocatable', why, { rule: aggregate.name, key });
  });
}
