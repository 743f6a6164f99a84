import type { InvalidItemError } from '../../model/errors.ts';
import type { Item, ItemKey } from '../../model/item.ts';
import type { Rule } from '../../model/rule.ts';
import type { TableNames } from '../../model/table-names.ts';
import { unlessInvalid } from '../../model/unless-invalid.ts';
import { type CopyPlan, planCopy } from './plan-copy.ts';

/**
 * What a check finds of a copy, and why:
 * - `equal`, `differs`: the copy of the root that it names;
 * - `elsewhere`: its root places its copies elsewhere;
 * - `orphan`: the root that it names is not there, or is of another kind;
 * - `refused`: it cannot be brought up to date; `code` says why.
 */
export type Classification =
  | { readonly is: 'equal' | 'elsewhere' | 'orphan' }
  | { readonly is: 'differs'; readonly decision: Extract<CopyPlan, { is: 'update' }> }
  | { readonly is: 'refused'; readonly code: string; readonly reason: string };

/** What {@link decide} makes of a copy that names this root. */
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
    // A check knows of no place that the root has left, and so removes nothing.
    case 'remove':
      return { is: 'elsewhere' };
  }
}

function refused({ code, message }: InvalidItemError): Classification {
  return { is: 'refused', code, reason: message };
}
