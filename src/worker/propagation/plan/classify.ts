import type { InvalidItemError } from '../../../model/errors.ts';
import type { Item, ItemKey } from '../../../model/item.ts';
import type { Rule } from '../../../model/rule.ts';
import type { TableNames } from '../../../model/table-names.ts';
import { unlessInvalid } from '../../../model/unless-invalid.ts';
import { type CopyPlan, planCopies, planCopy } from './plan-copy.ts';

/**
 * What a check finds:
 * - `equal`, `differs`: the copy, compared with the projection of its root;
 * - `elsewhere`: the root places its copies elsewhere;
 * - `excluded`: the rule does not apply to the root, and `onDelete` removes such copies;
 * - `orphan`: the root is missing, or is of another kind;
 * - `refused`: root or copy is invalid, as `concerns` says; `code` says why.
 */
export type Classification =
  | { readonly is: 'equal' | 'elsewhere' | 'excluded' | 'orphan' }
  | { readonly is: 'differs'; readonly decision: Extract<CopyPlan, { is: 'update' }> }
  | {
      readonly is: 'refused';
      readonly concerns: InvalidItemError['concerns'];
      readonly code: string;
      readonly reason: string;
    };

/** Compares a copy with the root that it names, as {@link planCopy} does. */
export function classify(
  table: TableNames,
  rule: Rule,
  rootKey: ItemKey,
  root: Item | undefined,
  copy: Item,
): Classification {
  const snapshot = { rootKey, root, cause: 'check', locations: [] } as const;
  return unlessInvalid(() => found(planCopy(table, rule, snapshot, copy)), refused);
}

/** What a check finds where a copy is gone: `missing` if its root still places it there, and the rule creates copies. */
export function classifyMissing(
  table: TableNames,
  rule: Rule,
  rootKey: ItemKey,
  root: Item | undefined,
  copy: ItemKey,
): Extract<Classification, { is: 'refused' }> | { readonly is: 'missing' | 'gone' } {
  const snapshot = { rootKey, root, cause: 'check', locations: [] } as const;
  return unlessInvalid(() => {
    const [plan] = planCopies(table, rule, snapshot, { copies: [], missing: [copy] });
    if (plan?.is === 'refuse') return refused(plan.error);
    return { is: plan === undefined ? 'gone' : 'missing' };
  }, refused);
}

function found(decision: CopyPlan): Classification {
  switch (decision.is) {
    case 'unchanged':
      return { is: 'equal' };
    case 'orphan':
      return { is: 'orphan' };
    case 'update':
      return { is: 'differs', decision };
    case 'refuse':
      return refused(decision.error);
    case 'foreign':
    // Unreachable: only keys without a copy of the root are created or taken.
    case 'create':
    case 'taken':
      return { is: 'elsewhere' };
    // A check knows no location that the root has left, so only `when` removes copies.
    case 'remove':
      return { is: 'excluded' };
  }
}

function refused({ concerns, code, message }: InvalidItemError): Extract<Classification, { is: 'refused' }> {
  return { is: 'refused', concerns, code, reason: message };
}
