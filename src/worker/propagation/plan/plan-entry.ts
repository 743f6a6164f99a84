import type { Aggregate } from '../../../model/aggregate.ts';
import { type AttributeValue, equal } from '../../../model/attribute-value.ts';
import { itemSize } from '../../../model/capacity.ts';
import type { Change } from '../../../model/change.ts';
import { addDecimals, negated } from '../../../model/decimal.ts';
import { type InvalidItemError, unlessInvalid } from '../../../model/errors.ts';
import type { GuardedAction } from '../../../model/guarded-write.ts';
import { attribute, type Item, type ItemKey, keyAttributes, keyText, sameKey } from '../../../model/item.ts';
import { isOfKind, ofKind } from '../../../model/kind.ts';
import { countName, entryKey, headsOf, namesOfLedger, sumName, sumNames } from '../../../model/ledger.ts';
import type { Cause, Message } from '../../../model/message.ts';
import type { TableNames } from '../../../model/table-names.ts';
import { targetsOf } from './aggregate-functions.ts';
import { presenceOf, watchedMember, watchedTarget } from './guard.ts';
import type { CopyPlan } from './plan-copy.ts';
import { Totals } from './totals.ts';

/** The write of an entry on condition that it is as read, with what it adds to its head. */
export interface PlannedPost {
  readonly write: GuardedAction;
  /** The entry is read again: a slower worker may have written an older contribution over it. */
  readonly partial: true;
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
export function planEntry(
  table: TableNames,
  aggregate: Aggregate,
  target: ItemKey,
  member: Member,
): EntryPlan {
  return unlessInvalid(
    () =>
      planPost({ table, aggregate, target, ...member }, contribution(table, aggregate, target, member.item)),
    (error): EntryPlan => ({ is: 'refuse', copy: entryKey(aggregate, target, member.key), error }),
  );
}

type Sums = Readonly<Record<string, AttributeValue>>;

/** Nothing of a member that is gone, is of another kind now, or names the target no more. */
function contribution(
  table: TableNames,
  aggregate: Aggregate,
  target: ItemKey,
  item: Item | undefined,
): Sums {
  if (item === undefined || !isOfKind(table, aggregate.of, item)) return {};
  if (!targetsOf(table, aggregate, item).some((one) => sameKey(one, target))) return {};
  const totals = new Totals(table, { ...aggregate, members: [] }, keyAttributes(table, target));
  const sums = totals.contributions(item).flatMap(({ name, reducer, value }): [string, AttributeValue][] => {
    if (value === undefined) return [];
    const sum: [string, AttributeValue] = [sumName(name), value];
    return reducer.add === 'average' ? [sum, [countName(name), { N: '1' }]] : [sum];
  });
  return Object.fromEntries(sums);
}

interface Posted extends Member {
  readonly table: TableNames;
  readonly aggregate: Aggregate;
  readonly target: ItemKey;
}

function planPost({ table, aggregate, target, key: member, entry }: Posted, sums: Sums): EntryPlan {
  const names = sumNames(aggregate);
  const differing = names.filter((name) => !equal(entry && attribute(entry, name), sums[name]));
  const isNothing = Object.keys(sums).length === 0;
  if (differing.length === 0 && (entry === undefined) === isNothing) return { is: 'unchanged' };
  const adds = Object.fromEntries(
    differing.map((name) => [
      name,
      addDecimals(numberIn(sums[name]), negated(numberIn(entry && attribute(entry, name)))),
    ]),
  );
  const post = (write: GuardedAction): EntryPlan => ({
    is: 'post',
    write: { ...write, adds },
    partial: true,
  });
  const key = entryKey(aggregate, target, member);
  if (entry === undefined) {
    const item = { ...keyAttributes(table, key), ...namesOfLedger(target, member), ...sums };
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

interface MatchesOfAggregate {
  readonly propagations: readonly Message[];
  readonly refused: readonly InvalidItemError[];
}

/** With a ledger, a change of a member posts it, and that of a head, or of the target, computes the target from its heads. */
export function matchAggregate(
  table: TableNames,
  aggregate: Aggregate,
  ordered: readonly Change[],
): MatchesOfAggregate {
  if (aggregate.ledger === undefined) return matchTotals(table, aggregate, ordered);
  const ofMembers = matchTotals(table, { ...aggregate, computes: {} }, ordered);
  const copies = ordered.slice(0, 1).map(({ key }) => key);
  const posts = ofMembers.propagations
    .filter(({ cause }) => cause === 'changed')
    .map((message) => ({ ...message, copies }));
  const ofHeads = matchTotals(table, headsOf(aggregate), ordered);
  return {
    propagations: [...posts, ...ofHeads.propagations],
    refused: [...ofMembers.refused, ...ofHeads.refused],
  };
}

function matchTotals(
  table: TableNames,
  aggregate: Aggregate,
  ordered: readonly Change[],
): MatchesOfAggregate {
  const causes = new Map<string, readonly [target: ItemKey, cause: Cause]>();
  let fault: InvalidItemError | undefined;
  for (const change of ordered) {
    const is = presenceOf(table, watchedTarget(aggregate), change);
    const own = keyText(change.key);
    if ((is === 'new' || is === 'differs') && !causes.has(own)) causes.set(own, [change.key, 'check']);
    for (const member of membersIn(table, aggregate, change)) {
      const targets = unlessInvalid(
        () => targetsOf(table, aggregate, member),
        (error) => {
          fault = error;
          return [];
        },
      );
      for (const target of targets) causes.set(keyText(target), [target, 'changed']);
    }
  }
  return {
    propagations: [...causes.values()].map(([root, cause]) => ({
      ...{ rule: aggregate.name, root, cause, attempts: 0 },
    })),
    refused: fault === undefined ? [] : [fault],
  };
}

/** Each image is asked on its own: a member that was corrected has one on which `targetsOf` fails. */
function membersIn(table: TableNames, aggregate: Aggregate, change: Change): readonly Item[] {
  const is = presenceOf(table, watchedMember(aggregate), change);
  if (is === 'same') return [];
  return [change.before, change.after]
    .map((image) => ofKind(table, aggregate.of, image))
    .filter((image) => image !== undefined);
}
