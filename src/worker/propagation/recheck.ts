import { type Aggregate, memberIndexes } from '../../model/aggregate.ts';
import { isListed } from '../../model/copy-location.ts';
import type { Message } from '../../model/message.ts';
import type { Rule } from '../../model/rule.ts';
import type { Unfinished } from './settle.ts';

/**
 * Whether a propagation that has come to its end is rechecked: once, and not after a repair, which finds its items otherwise.
 * An index may not have shown all copies or members; a copy that had nothing to clear may get a write that was planned before
 * the root went.
 * The delivery that works on the last page asks for it, so the recheck does not overtake the fan-out. If the message itself is
 * left, it asks for the recheck when it comes to its end. One that names copies does so only for those that its locations list:
 * they may be the last of a list that took several pages.
 */
export function needsRecheck(
  rule: Rule | Aggregate,
  { copies, cause, recheck, locations = [] }: Message,
  left: readonly Unfinished[],
): boolean {
  if (cause === 'repair' || recheck === true) return false;
  if (copies !== undefined && !locations.every(isListed)) return false;
  if (left.some(({ message }) => message?.copies === undefined)) return false;
  if ('computes' in rule)
    return copies === undefined && cause === 'changed' && memberIndexes(rule).length > 0;
  const policies = [
    ...(cause === 'deleted' || locations.length > 1 ? [rule.onDelete] : []),
    ...(cause === 'expired' ? [rule.onExpire] : []),
  ];
  return locations.some((one) => one.in === 'index') || policies.includes('clear');
}
