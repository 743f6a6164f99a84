import type { AttributeValue } from '../../../model/attribute-value.ts';
import { itemSize, maxItem } from '../../../model/capacity.ts';
import { InvalidItemError } from '../../../model/errors.ts';
import type { Expectation, GuardedCreation } from '../../../model/guarded-write.ts';
import { type Item, type ItemKey, sameKey } from '../../../model/item.ts';
import { isOfKind } from '../../../model/kind.ts';
import { sourceName } from '../../../model/rule-attributes.ts';
import { expectedSource } from './guard.ts';
import { bareCopy, type RootProjection } from './projection.ts';
import { rootOf } from './rule-functions.ts';

/** `narrowed`: the condition on the root cannot hold all comparisons. */
export interface PlannedCreation {
  readonly write: GuardedCreation;
  readonly rootExpect: Expectation;
  readonly narrowed: boolean;
}

/** @throws InvalidItemError if root or copy cannot be projected, or if the copy would not name its root or be too large */
export function planCreation(root: RootProjection, key: ItemKey): PlannedCreation {
  const { table, rule } = root;
  const bare = bareCopy(table, rule, key);
  const written = [...root.on(bare)].filter(
    (entry): entry is [string, AttributeValue] => entry[1] !== undefined,
  );
  const item = { ...bare, ...Object.fromEntries(written) };
  requireOwn(root, key, item);
  const size = itemSize(item);
  if (size > maxItem) {
    const why = `A copy of rule ${rule.name} would be larger than DynamoDB's 400 KB: make the root smaller`;
    throw new InvalidItemError('copy', 'copy.too-large', why, { rule: rule.name, key });
  }
  const copied = root.copiedNames.map((name) => sourceName(rule, name));
  const { expect, narrowed } = expectedSource(table, rule, root.root, copied);
  return { write: { key, item, size }, rootExpect: expect, narrowed };
}

/** A copy that is of another kind or names another root is never found again, and would be made without end. */
export function requireOwn({ table, rule, key: root }: RootProjection, key: ItemKey, copy: Item): void {
  const named = isOfKind(table, rule.copy, copy) ? rootOf(table, rule, copy) : undefined;
  if (named !== undefined && sameKey(named, root)) return;
  const why = `Expected what rule ${rule.name} writes to make a ${rule.copy.name} that names its root: correct located.at or rootOf, or write what rootOf reads`;
  throw new InvalidItemError('copy', 'copy.misnamed', why, { rule: rule.name, key });
}
