import type { InvalidItemError } from '../../../model/errors.ts';
import type { Item, ItemKey } from '../../../model/item.ts';
import type { Rule } from '../../../model/rule.ts';
import type { TableNames } from '../../../model/table-names.ts';
import { unlessInvalid } from '../../../model/unless-invalid.ts';
import { type CopyPlan, planCopies, planCopy } from './plan-copy.ts';

/**
 * What a copy is, or a key without one, compared with its root. All but `right` are drift, by the names of `DriftKind`:
 * - `right`, `differs`: the copy, compared with the projection of its root;
 * - `missing`: there is no copy, its root places one at the key, and the rule creates copies;
 * - `foreign`: the root places no copy there;
 * - `excluded`: the rule does not apply to the root, and `onDelete` removes such copies;
 * - `orphan`: the root is missing, or is of another kind;
 * - `invalid`: root or copy is invalid, as `concerns` says; `code` says why.
 */
export type Classification =
  | { readonly is: 'right' | 'missing' | 'foreign' | 'excluded' | 'orphan' }
  | { readonly is: 'differs'; readonly decision: Extract<CopyPlan, { is: 'update' }> }
  | ({ readonly is: 'invalid' } & Fault);

/** Why a copy cannot be projected. */
export interface Fault {
  readonly concerns: InvalidItemError['concerns'];
  readonly code: string;
  readonly reason: string;
}

export function faultOf({ concerns, code, message: reason }: InvalidItemError): Fault {
  return { concerns, code, reason };
}

/** Compares a copy with the root that it names, as {@link planCopy} does. */
export function classify(
  table: TableNames,
  rule: Rule,
  rootKey: ItemKey,
  root: Item | undefined,
  copy: Item,
): Classification {
  const snapshot = { rootKey, root, cause: 'check', locations: [] } as const;
  return unlessInvalid(() => classificationOf(planCopy(table, rule, snapshot, copy)), invalid);
}

/**
 * Compares a key without its copy with the root that may place one there.
 * @param other another item at the key
 */
export function classifyMissing(
  table: TableNames,
  rule: Rule,
  rootKey: ItemKey,
  root: Item | undefined,
  copy: ItemKey,
  other?: Item,
): Classification {
  const snapshot = { rootKey, root, cause: 'check', locations: [] } as const;
  const read = other === undefined ? { copies: [], missing: [copy] } : { copies: [other], missing: [] };
  return unlessInvalid(() => {
    const [plan] = planCopies(table, rule, snapshot, read);
    return plan === undefined ? { is: 'foreign' } : classificationOf(plan);
  }, invalid);
}

function classificationOf(plan: CopyPlan): Classification {
  switch (plan.is) {
    case 'unchanged':
      return { is: 'right' };
    case 'update':
      return { is: 'differs', decision: plan };
    case 'create':
      return { is: 'missing' };
    case 'taken':
    case 'refuse':
      return invalid(plan.error);
    // A check knows no location that the root has left, so only `when` removes copies.
    case 'remove':
      return { is: 'excluded' };
    case 'orphan':
    case 'foreign':
      return { is: plan.is };
  }
}

function invalid(error: InvalidItemError): Classification {
  return { is: 'invalid', ...faultOf(error) };
}
