import type { Aggregate } from '../../../model/aggregate.ts';
import type { Change } from '../../../model/change.ts';
import { type InvalidItemError, unlessInvalid } from '../../../model/errors.ts';
import { type Item, type ItemKey, keyText } from '../../../model/item.ts';
import { ofKind } from '../../../model/kind.ts';
import { entryIn, headsOf } from '../../../model/ledger.ts';
import type { Cause, Message } from '../../../model/message.ts';
import type { TableNames } from '../../../model/table-names.ts';
import { targetsOf } from './aggregate-functions.ts';
import { presenceOf, watchedMember, watchedTarget } from './watched.ts';

interface MatchesOfAggregate {
  readonly propagations: readonly Message[];
  readonly refused: readonly InvalidItemError[];
}

/**
 * With a ledger, a change of a member posts it, and so does that of its entry: the check. A change of a head, or of the target,
 * computes the target from its heads.
 */
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
    propagations: [...posts, ...checksOfEntry(aggregate, ordered), ...ofHeads.propagations],
    refused: [...ofMembers.refused, ...ofHeads.refused],
  };
}

/** An entry that somebody has spoilt may say no more whose it is. */
function checksOfEntry(aggregate: Aggregate, ordered: readonly Change[]): readonly Message[] {
  const entries = ordered.flatMap(
    ({ key, before = {}, after = {} }) =>
      entryIn(aggregate, key, after) ?? entryIn(aggregate, key, before) ?? [],
  );
  return entries.slice(-1).map(({ target, member }) => ({
    ...{ rule: aggregate.name, root: target, cause: 'check', copies: [member], attempts: 0 },
  }));
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
          if (isRefused(aggregate, change, member, error)) fault = error;
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

/** Nobody needs to know of a member that is skipped, or was invalid before this change: its own record said so. */
function isRefused(
  { invalid }: Aggregate,
  { after }: Change,
  image: Item,
  { code }: InvalidItemError,
): boolean {
  return code !== 'member.invalid' || (image === after && invalid !== 'skip');
}

/** Each image is asked on its own: a member that was corrected has one on which `targetsOf` fails. */
function membersIn(table: TableNames, aggregate: Aggregate, change: Change): readonly Item[] {
  const is = presenceOf(table, watchedMember(aggregate), change);
  if (is === 'same') return [];
  return [change.before, change.after]
    .map((image) => ofKind(table, aggregate.of, image))
    .filter((image) => image !== undefined);
}
