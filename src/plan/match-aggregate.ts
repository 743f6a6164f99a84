import { type InvalidItemError, unlessInvalid } from '../model/basics/errors.ts';
import type { Change } from '../model/items/change.ts';
import { type Item, type ItemKey, keyText } from '../model/items/item.ts';
import { ofKind } from '../model/kinds/kind.ts';
import type { BoundAggregate } from '../model/rules/bound-rule.ts';
import { entryIn } from '../model/rules/ledger.ts';
import type { Cause, Message } from '../model/work/message.ts';
import { targetsOf } from './aggregate-functions.ts';
import { type Presence, presenceOf, watchedMember, watchedTarget } from './watched.ts';

interface MatchesOfAggregate {
  readonly propagations: readonly Message[];
  readonly faults: readonly InvalidItemError[];
}

/**
 * With a ledger, a change of a member posts it, and so does that of its entry: the check. A change of a head, or of the target,
 * computes the target from its heads.
 */
export function matchAggregate(aggregate: BoundAggregate, ordered: readonly Change[]): MatchesOfAggregate {
  if (aggregate.ledger === undefined) return matchTotals(aggregate, ordered);
  const ofMembers = matchTotals({ ...aggregate, computes: {} }, ordered);
  const [first] = ordered;
  const copies = first === undefined ? [] : [first.key];
  const posts = ofMembers.propagations
    .filter(({ cause }) => cause === 'changed')
    .map((message) => ({ ...message, copies }));
  const ofHeads = matchTotals(aggregate.ledger.heads, ordered);
  return {
    propagations: [...posts, ...checksOfEntry(aggregate, ordered), ...ofHeads.propagations],
    faults: [...ofMembers.faults, ...ofHeads.faults],
  };
}

/** An entry that somebody has spoilt may say no more whose it is. */
function checksOfEntry(aggregate: BoundAggregate, ordered: readonly Change[]): readonly Message[] {
  const entries = ordered.flatMap(
    ({ key, before = {}, after = {} }) =>
      entryIn(aggregate, key, after) ?? entryIn(aggregate, key, before) ?? [],
  );
  return entries.slice(-1).map(({ target, member }) => ({
    rule: aggregate.name,
    root: target,
    cause: 'check',
    copies: [member],
    attempts: 0,
  }));
}

function matchTotals(aggregate: BoundAggregate, ordered: readonly Change[]): MatchesOfAggregate {
  const causes = new Map<string, readonly [target: ItemKey, cause: Cause]>();
  let fault: InvalidItemError | undefined;
  for (const change of ordered) {
    const own = keyText(change.key);
    if (isChecked(aggregate, presenceOf(watchedTarget(aggregate), change)) && !causes.has(own))
      causes.set(own, [change.key, 'check']);
    for (const member of membersIn(aggregate, change)) {
      const targets = unlessInvalid(
        () => targetsOf(aggregate, member),
        (error) => {
          if (isRefused(aggregate, change, member, error)) fault = error;
          return [];
        },
      );
      for (const target of targets) causes.set(keyText(target), [target, 'changed']);
    }
  }
  return {
    propagations: [...causes.values()].map(([root, cause]) => ({
      rule: aggregate.name,
      root,
      cause,
      attempts: 0,
    })),
    faults: fault === undefined ? [] : [fault],
  };
}

/** A target that has members is made again if it is gone, or its key has another kind of item. */
export function isChecked({ creates }: BoundAggregate, target: Presence): boolean {
  switch (target) {
    case 'new':
    case 'differs':
      return true;
    case 'removed':
    case 'left-kind':
      return creates;
    case 'same':
    case 'unconcerned':
      return false;
  }
}

/** Nobody needs to know of a member that is skipped, or was invalid before this change: its own record said so. */
function isRefused(
  { invalid }: BoundAggregate,
  { after }: Change,
  image: Item,
  { code }: InvalidItemError,
): boolean {
  return code !== 'member.invalid' || (image === after && invalid !== 'skip');
}

/** Each image is asked on its own: a member that was corrected has one on which `targetsOf` fails. */
function membersIn(aggregate: BoundAggregate, change: Change): readonly Item[] {
  const is = presenceOf(watchedMember(aggregate), change);
  if (is === 'same') return [];
  return [change.before, change.after]
    .map((image) => ofKind(aggregate.of, image))
    .filter((image) => image !== undefined);
}
