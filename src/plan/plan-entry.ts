import { unlessInvalid } from '../model/basics/errors.ts';
import { type AttributeValue, equal } from '../model/items/attribute-value.ts';
import { addDecimals, negated } from '../model/items/decimal.ts';
import { attribute, type Item, type ItemKey, keyAttributes } from '../model/items/item.ts';
import { itemSize } from '../model/items/item-size.ts';
import { isOfKind } from '../model/kinds/kind.ts';
import type { BoundAggregate } from '../model/rules/bound-rule.ts';
import { countName, entryKey, namesOfLedger, sumName, sumNames } from '../model/rules/ledger.ts';
import { isMean } from '../model/rules/reducers.ts';
import type { GuardedAction } from '../model/work/guarded-write.ts';
import type { CopyPlan } from './plan-copy.ts';
import { Totals } from './totals.ts';

/** The write of an entry on condition that it is as read, with what it adds to its head. */
interface PlannedPost {
  readonly write: GuardedAction;
}

/** What to do with an entry: `post` it, and add the difference to its head, in one transaction. */
export type EntryPlan =
  | ({ readonly is: 'post' } & PlannedPost)
  | { readonly is: 'unchanged' }
  | Extract<CopyPlan, { readonly is: 'refuse' }>;

/** A member of a target, read after its entry. */
export interface Member {
  readonly key: ItemKey;
  readonly entry: Item | undefined;
  readonly item: Item | undefined;
}

/** What to do with the entry of a member: what it counts for now, against what it was last counted for. */
export function planEntry(aggregate: BoundAggregate, target: ItemKey, member: Member): EntryPlan {
  return unlessInvalid(
    () => planPost({ aggregate, target, ...member }, contribution(aggregate, target, member.item)),
    (error): EntryPlan => ({ is: 'refuse', copy: entryKey(aggregate, target, member.key), error }),
  );
}

type Sums = Readonly<Record<string, AttributeValue>>;

/** Nothing of a member that is gone, is of another kind now, or names the target no more. */
function contribution(aggregate: BoundAggregate, target: ItemKey, item: Item | undefined): Sums {
  if (item === undefined || !isOfKind(aggregate.of, item)) return {};
  const totals = new Totals({ ...aggregate, members: [] }, keyAttributes(aggregate.table, target));
  if (!totals.isNamedBy(item)) return {};
  const sums = totals.contributions(item).flatMap(({ name, reducer, value }): [string, AttributeValue][] => {
    if (value === undefined) return [];
    const sum: [string, AttributeValue] = [sumName(name), value];
    return isMean(reducer) ? [sum, [countName(name), { N: '1' }]] : [sum];
  });
  return Object.fromEntries(sums);
}

interface Posted extends Member {
  readonly aggregate: BoundAggregate;
  readonly target: ItemKey;
}

function planPost({ aggregate, target, key: member, entry }: Posted, sums: Sums): EntryPlan {
  const names = sumNames(aggregate);
  const differing = names.filter((name) => !equal(entry && attribute(entry, name), sums[name]));
  const isNothing = Object.keys(sums).length === 0;
  if (differing.length === 0 && (entry === undefined) === isNothing) return { is: 'unchanged' };
  // Also 0: a head has all that verify computes for it, whatever its members lack.
  const adds = Object.fromEntries(
    names.map((name) => [
      name,
      addDecimals(numberIn(sums[name]), negated(numberIn(entry && attribute(entry, name)))),
    ]),
  );
  const post = (write: GuardedAction): EntryPlan => ({ is: 'post', write: { ...write, adds } });
  const key = entryKey(aggregate, target, member);
  if (entry === undefined) {
    const item = { ...keyAttributes(aggregate.table, key), ...namesOfLedger(target, member), ...sums };
    return post({ key, item, size: itemSize(item) });
  }
  const expect = Object.fromEntries(names.map((name) => [name, attribute(entry, name)]));
  const removal = { key, expect, size: itemSize(entry) };
  if (isNothing) return post({ ...removal, clear: undefined });
  return post({ ...removal, put: sums, clear: names.filter((name) => sums[name] === undefined) });
}

function numberIn(value: AttributeValue | undefined): string {
  return value && 'N' in value ? value.N : '0';
}
