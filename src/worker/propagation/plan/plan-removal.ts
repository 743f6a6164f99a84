import { itemSize } from '../../../model/capacity.ts';
import type { Expectation, GuardedRemoval } from '../../../model/guarded-write.ts';
import { type Item, keyIn } from '../../../model/item.ts';
import type { Rule } from '../../../model/rule.ts';
import { owns } from '../../../model/rule-attributes.ts';
import type { TableNames } from '../../../model/table-names.ts';
import { expectedRoot, guardOfCopies, maxChanges } from './guard.ts';

/** `partial`: one write cannot clear everything. */
export interface PlannedRemoval {
  readonly write: GuardedRemoval;
  readonly rootExpect: 'absent' | Expectation;
  readonly partial: boolean;
}

interface LastRead {
  readonly table: TableNames;
  readonly rule: Rule;
  readonly root: Item | undefined;
}

/** Undefined if nothing is left to clear. */
export function planRemoval(
  { table, rule, root }: LastRead,
  copy: Item,
  policy: 'delete' | 'clear',
): PlannedRemoval | undefined {
  const owned = policy === 'clear' ? Object.keys(copy).filter((name) => owns(table, rule, name)) : [];
  if (policy === 'clear' && owned.length === 0) return undefined;
  const cleared = owned.slice(0, maxChanges);
  const { expect } = guardOfCopies(table, rule)(copy, cleared, cleared);
  const clear = policy === 'clear' ? cleared : undefined;
  return {
    write: { key: keyIn(table, copy), clear, expect, size: itemSize(copy) },
    rootExpect: root === undefined ? 'absent' : expectedRoot(table, rule, root),
    partial: cleared.length < owned.length,
  };
}
