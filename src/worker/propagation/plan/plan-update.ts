import type { AttributeValue } from '../../../model/attribute-value.ts';
import { itemSize, itemSizeAtMost, maxItem, unitsOfSize } from '../../../model/capacity.ts';
import { InvalidItemError } from '../../../model/errors.ts';
import { changed, type GuardedUpdate } from '../../../model/guarded-write.ts';
import { type Item, keyIn } from '../../../model/item.ts';
import type { TableNames } from '../../../model/table-names.ts';
import { type Guard, maxChanges } from './guard.ts';
import { differencesFrom, maxCopied, type Projection, tooManyAttributes } from './projection.ts';

/** The projection of a root, or the totals of a target. */
export interface Projected {
  readonly table: TableNames;
  readonly rule: { readonly name: string };
  readonly role: 'copy' | 'target';
  readonly guard: Guard;
  /** @throws InvalidItemError if the item, or what it is computed from, lacks what the rule needs */
  on(item: Item): Projection;
}

/** `partial`: one write cannot hold all changes. `narrowed`: the condition cannot hold all comparisons. */
export interface PlannedUpdate {
  readonly write: GuardedUpdate;
  readonly partial: boolean;
  readonly narrowed: boolean;
  /** A bound of the item's size in bytes, before and after: what is replaced counts twice. */
  readonly size: number;
}

/** Undefined if nothing differs. @throws InvalidItemError as {@link Projected.on} does, or if the item would be too large */
export function planUpdate(projected: Projected, item: Item): PlannedUpdate | undefined {
  const { table, rule, role, guard } = projected;
  const projection = projected.on(item);
  const differing = differencesFrom(projection, item);
  if (differing.length === 0) return undefined;
  const key = keyIn(table, item);
  // Those of its root, and as many that its root does not have.
  if (differing.length > 2 * maxCopied) throw tooManyAttributes(role, rule, key, differing.length);
  const changes = differing.slice(0, maxChanges);
  const set: Record<string, AttributeValue> = {};
  const remove: string[] = [];
  for (const name of changes) {
    const value = projection.get(name);
    if (value === undefined) remove.push(name);
    else set[name] = value;
  }
  const size = sizeOf(item, set);
  if (size > maxItem && itemSize(changed(item, set, remove)) > maxItem) {
    const why = `A ${role} of rule ${rule.name} would grow beyond DynamoDB's 400 KB: make it, or what it is computed from, smaller`;
    throw new InvalidItemError(role, tooLarge[role], why, { rule: rule.name, key });
  }
  const { expect, narrowed } = guard(item, projection.keys(), changes);
  const partial = changes.length < differing.length;
  return { write: { key, set, remove, expect }, partial, narrowed, size };
}

const tooLarge = { copy: 'copy.too-large', target: 'target.too-large' } as const;

/** Items that cost one write unit in any case, as most do, are not counted to the byte. */
function sizeOf(item: Item, set: Item): number {
  const atMost = itemSizeAtMost(item) + itemSizeAtMost(set);
  return unitsOfSize(atMost) === 1 ? atMost : itemSize(item) + itemSize(set);
}
