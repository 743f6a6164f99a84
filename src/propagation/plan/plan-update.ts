import { equal } from '../../model/attribute-value.ts';
import { InvalidItemError } from '../../model/errors.ts';
import type { GuardedUpdate } from '../../model/guarded-write.ts';
import { attribute, type Item, keyIn } from '../../model/item.ts';
import { itemSize, maxItem } from '../../model/item-size.ts';
import type { Rule } from '../../model/rule.ts';
import type { TableNames } from '../../model/table-names.ts';
import { guard, maxChanges } from './guard.ts';
import { project } from './project.ts';

/** An update, whether it leaves more to be written, and whether its guard had to be narrowed. */
export interface PlannedUpdate {
  readonly update: GuardedUpdate;
  readonly partial: boolean;
  readonly narrowed: boolean;
}

/**
 * The update that makes this copy what its root says: only what differs, guarded by all that the rule copies or reads of
 * the copy. Undefined where nothing differs.
 * @throws InvalidItemError where root or copy cannot be projected, or where the copy would be too large
 */
export function planUpdate(table: TableNames, rule: Rule, root: Item, copy: Item): PlannedUpdate | undefined {
  const projection = project(table, rule, root, copy);
  const differing = [...projection.keys()].filter(
    (name) => !equal(attribute(copy, name), projection.get(name)),
  );
  if (differing.length === 0) return undefined;
  const changes = differing.slice(0, maxChanges);
  const set: Record<string, NonNullable<ReturnType<typeof projection.get>>> = {};
  const remove: string[] = [];
  for (const name of changes) {
    const value = projection.get(name);
    if (value === undefined) remove.push(name);
    else set[name] = value;
  }
  refuseTooLarge(table, rule, copy, set, remove);
  const { expect, narrowed } = guard(table, rule, copy, new Set([...projection.keys()]), changes);
  const key = keyIn(table, copy);
  return { update: { key, set, remove, expect }, partial: changes.length < differing.length, narrowed };
}

function refuseTooLarge(
  table: TableNames,
  rule: Rule,
  copy: Item,
  set: Item,
  remove: readonly string[],
): void {
  const removed = new Set(remove);
  const after = Object.entries({ ...copy, ...set }).filter(([name]) => !removed.has(name));
  if (itemSize(Object.fromEntries(after)) <= maxItem) return;
  const why = `A copy of rule ${rule.name} would grow beyond DynamoDB's 400 KB: make the root or the copy smaller`;
  throw new InvalidItemError('copy', 'copy.too-large', why, { rule: rule.name, key: keyIn(table, copy) });
}
