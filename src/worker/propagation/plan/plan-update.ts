import { type AttributeValue, equal } from '../../../model/attribute-value.ts';
import { unitsOfSize } from '../../../model/capacity.ts';
import { InvalidItemError } from '../../../model/errors.ts';
import type { GuardedUpdate } from '../../../model/guarded-write.ts';
import { attribute, type Item, keyIn } from '../../../model/item.ts';
import { itemSize, itemSizeAtMost, maxItem } from '../../../model/item-size.ts';
import type { Rule } from '../../../model/rule.ts';
import type { TableNames } from '../../../model/table-names.ts';
import { maxChanges } from './guard.ts';
import { maxCopied, RootProjection, tooManyAttributes } from './root-projection.ts';

/** `partial`: one write cannot hold all changes. `narrowed`: the condition cannot hold all comparisons. */
export interface PlannedUpdate {
  readonly update: GuardedUpdate;
  readonly partial: boolean;
  readonly narrowed: boolean;
  /** A bound of the copy's size in bytes, before and after: what is replaced counts twice. */
  readonly size: number;
}

/**
 * Compares this copy with the projection of its root, and plans a conditional update of what differs; undefined if nothing
 * does.
 * @param projected the root, prepared for all copies of a page
 * @throws InvalidItemError if root or copy cannot be projected, or if the copy would be too large
 */
export function planUpdate(
  table: TableNames,
  rule: Rule,
  root: Item,
  copy: Item,
  projected = new RootProjection(table, rule, root),
): PlannedUpdate | undefined {
  const projection = projected.on(copy);
  const differing: string[] = [];
  for (const [name, value] of projection) if (!equal(attribute(copy, name), value)) differing.push(name);
  if (differing.length === 0) return undefined;
  // Those of its root, and as many that its root does not have.
  if (differing.length > 2 * maxCopied)
    throw tooManyAttributes('copy', rule, keyIn(table, copy), differing.length);
  const changes = differing.slice(0, maxChanges);
  const set: Record<string, AttributeValue> = {};
  const remove: string[] = [];
  for (const name of changes) {
    const value = projection.get(name);
    if (value === undefined) remove.push(name);
    else set[name] = value;
  }
  const size = sizeOf(copy, set);
  if (size > maxItem) refuseTooLarge(table, rule, copy, set, remove);
  const { expect, narrowed } = projected.guard(copy, projection.keys(), changes);
  const key = keyIn(table, copy);
  const partial = changes.length < differing.length;
  return { update: { key, set, remove, expect }, partial, narrowed, size };
}

/** Copies that cost one write unit in any case, as most do, are not counted to the byte. */
function sizeOf(copy: Item, set: Item): number {
  const atMost = itemSizeAtMost(copy) + itemSizeAtMost(set);
  return unitsOfSize(atMost) === 1 ? atMost : itemSize(copy) + itemSize(set);
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
