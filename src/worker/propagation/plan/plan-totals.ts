import type { Aggregate } from '../../../model/aggregate.ts';
import { type AttributeValue, equal } from '../../../model/attribute-value.ts';
import type { GuardedUpdate } from '../../../model/guarded-write.ts';
import { attribute, type Item, keyIn } from '../../../model/item.ts';
import type { TableNames } from '../../../model/table-names.ts';
import type { Computed } from './totals.ts';

/** The names of the computed attributes that the target does not have so. */
export function differencesFromComputed(target: Item, computed: Computed): readonly string[] {
  return [...computed].flatMap(([name, value]) => (equal(attribute(target, name), value) ? [] : [name]));
}

/**
 * Plans the write of totals to a target that differs, on condition that what is computed or read of it is as it was when it
 * was read, before its members; undefined if nothing differs.
 */
export function planTotals(
  table: TableNames,
  aggregate: Aggregate,
  target: Item,
  computed: Computed,
): GuardedUpdate | undefined {
  const differing = differencesFromComputed(target, computed);
  if (differing.length === 0) return undefined;
  const set: Record<string, AttributeValue> = {};
  const remove: string[] = [];
  for (const name of differing) {
    const value = computed.get(name);
    if (value === undefined) remove.push(name);
    else set[name] = value;
  }
  const type = aggregate.on.type === undefined ? [] : [table.type];
  const guarded = new Set([...computed.keys(), ...aggregate.reads.target, ...type]);
  const expect = Object.fromEntries([...guarded].map((name) => [name, attribute(target, name)]));
  return { key: keyIn(table, target), set, remove, expect, rule: aggregate.name };
}
