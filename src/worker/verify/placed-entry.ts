import { unlessInvalid } from '../../model/basics/errors.ts';
import { type ItemKey, type KeyedItem, sameKey } from '../../model/items/item.ts';
import { isOfKind } from '../../model/kinds/kind.ts';
import type { BoundAggregate } from '../../model/rules/bound-rule.ts';
import { entryIn } from '../../model/rules/ledger.ts';
import { targetsOf } from '../../plan/aggregate-functions.ts';
import { type Member, planEntry } from '../../plan/plan-entry.ts';
import { type CopyClassification, drifted, faultOf } from './drift.ts';

/** A member that counts for a target, or is said to by an entry. */
export interface PlacedEntry {
  readonly rule: BoundAggregate;
  readonly target: ItemKey;
  readonly member: ItemKey;
}

/**
 * What an item says of ledgers: the targets that it counts for as a member, and whose entry it is. With or without a ledger, a
 * member on which `targetsOf` fails gives its own key, so that it is looked at and reported although no target may find it.
 */
export function postedBy(aggregate: BoundAggregate, { key, item }: KeyedItem): readonly PlacedEntry[] {
  const entry = entryIn(aggregate, key, item);
  if (entry !== undefined) return [{ rule: aggregate, ...entry }];
  if (!isOfKind(aggregate.of, item)) return [];
  const placed = (target: ItemKey) => ({ rule: aggregate, target, member: key });
  return unlessInvalid(
    () => {
      const targets = targetsOf(aggregate, item);
      return aggregate.ledger === undefined ? [] : targets.map(placed);
    },
    () => [placed(key)],
  );
}

/** Compares an entry with its member, read after it. */
export function classifyEntry({ rule, target }: PlacedEntry, member: Member): CopyClassification {
  const about = { rule: rule.name, copy: member.key };
  const plan = planEntry(rule, target, member);
  if (plan.is === 'unchanged') return { is: 'right' };
  if (plan.is === 'post') return drifted('derived', { ...about, root: target }, { isOfEntry: true });
  const root = sameKey(target, member.key) ? undefined : target;
  return drifted('invalid', { ...about, root }, faultOf(plan.error));
}
