import type { GuardedRemoval } from '../../../model/guarded-write.ts';
import { type Item, keyIn } from '../../../model/item.ts';
import { itemSize } from '../../../model/item-size.ts';
import type { Rule } from '../../../model/rule.ts';
import { owns } from '../../../model/rule-attributes.ts';
import type { TableNames } from '../../../model/table-names.ts';
import { guardOf, maxChanges } from './guard.ts';

/** `partial`: one write cannot clear everything. */
export interface PlannedRemoval {
  readonly removal: GuardedRemoval;
  readonly partial: boolean;
}

/** Plans to delete the copy, or to clear what the rule wrote on it; undefined if nothing is left to clear. */
export function planRemoval(
  table: TableNames,
  rule: Rule,
  copy: Item,
  policy: 'delete' | 'clear',
): PlannedRemoval | undefined {
  const owned = policy === 'clear' ? Object.keys(copy).filter((name) => owns(table, rule, name)) : [];
  if (policy === 'clear' && owned.length === 0) return undefined;
  const cleared = owned.slice(0, maxChanges);
  const { expect } = guardOf(table, rule, [])(copy, [], cleared);
  const key = keyIn(table, copy);
  const clear = policy === 'clear' ? cleared : undefined;
  return { removal: { key, clear, expect, size: itemSize(copy) }, partial: cleared.length < owned.length };
}
