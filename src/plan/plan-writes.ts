import { InvalidItemError } from '../model/basics/errors.ts';
import { withArticle } from '../model/basics/text.ts';
import type { AttributeValue } from '../model/items/attribute-value.ts';
import { unitsOfSize } from '../model/items/capacity.ts';
import { type Item, type ItemKey, type KeyedItem, sameKey } from '../model/items/item.ts';
import { itemSize, itemSizeAtMost, maxItem } from '../model/items/item-size.ts';
import { isOfKind } from '../model/kinds/kind.ts';
import type { BoundRule } from '../model/rules/bound-rule.ts';
import type { RemovalPolicy } from '../model/rules/rule.ts';
import { clearedBy, sourceName } from '../model/rules/rule-attributes.ts';
import {
  changed,
  type Expectation,
  type GuardedCreation,
  type GuardedRemoval,
  type GuardedUpdate,
} from '../model/work/guarded-write.ts';
import { expectedRoot, expectedSource, type Guard, guardOfCopy, maxChanges } from './guard.ts';
import {
  bareCopy,
  differencesFrom,
  maxCopied,
  type Projection,
  type RootProjection,
  tooManyAttributes,
} from './projection.ts';
import { rootOf } from './rule-functions.ts';

/** The projection of a root, or the totals of a target. */
export interface Projected {
  readonly rule: { readonly name: string };
  readonly role: 'copy' | 'target';
  /** @throws InvalidItemError if the item, or what it is computed from, lacks what the rule needs */
  on(item: Item): Projection;
  /** @param projected the attributes that the item should have, or lose */
  guard(item: Item, projected: Projection, changes: readonly string[]): Guard;
}

/** `partial`: one write cannot hold all changes. `narrowed`: the condition cannot hold all comparisons. */
export interface PlannedUpdate {
  readonly write: GuardedUpdate;
  readonly partial: boolean;
  readonly narrowed: boolean;
  /** A bound of the item's size in bytes, before and after: what is replaced counts twice. */
  readonly size: number;
}

/**
 * Undefined if nothing differs.
 * @throws InvalidItemError as {@link Projected.on} does, or if the item would be too large
 */
export function planUpdate(projected: Projected, { key, item }: KeyedItem): PlannedUpdate | undefined {
  const { rule, role } = projected;
  const projection = projected.on(item);
  const differing = differencesFrom(projection, item);
  if (differing.length === 0) return undefined;
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
  const { expect, narrowed } = projected.guard(item, projection, changes);
  const partial = changes.length < differing.length;
  return { write: { key, set, remove, expect }, partial, narrowed, size };
}

const tooLarge = { copy: 'copy.too-large', target: 'target.too-large' } as const;

/** Items that cost one write unit in any case, as most do, are not counted to the byte. */
function sizeOf(item: Item, set: Item): number {
  const atMost = itemSizeAtMost(item) + itemSizeAtMost(set);
  return unitsOfSize(atMost) === 1 ? atMost : itemSize(item) + itemSize(set);
}

/** The item as it is once its projection is written, in as many writes as that takes. */
export function withProjection(item: Item, projection: Projection): Item {
  const kept = Object.entries(item).filter(([name]) => !projection.has(name));
  const written = [...projection].filter(
    (entry): entry is [string, AttributeValue] => entry[1] !== undefined,
  );
  return Object.fromEntries([...kept, ...written]);
}

/** `narrowed`: the condition on the root cannot hold all comparisons. */
export interface PlannedCreation {
  readonly write: GuardedCreation;
  readonly rootExpect: 'none' | Expectation;
  readonly narrowed: boolean;
}

/** @throws InvalidItemError if root or copy cannot be projected, or if the copy would not name its root or be too large */
export function planCreation(root: RootProjection, key: ItemKey): PlannedCreation {
  const { rule } = root;
  const bare = bareCopy(rule, key);
  const item = withProjection(bare, root.on(bare));
  requireOwn(root, key, item);
  const size = itemSize(item);
  if (size > maxItem) {
    const why = `A copy of rule ${rule.name} would be larger than DynamoDB's 400 KB: make the root smaller`;
    throw new InvalidItemError('copy', 'copy.too-large', why, { rule: rule.name, key });
  }
  const copied = root.copiedNames.map((name) => sourceName(rule, name));
  const { expect, narrowed } = expectedSource(rule, root.root, copied);
  return { write: { key, item, size }, rootExpect: expect, narrowed };
}

/** A copy that is of another kind or names another root is never found again, and would be made without end. */
export function requireOwn({ rule, key: root }: RootProjection, key: ItemKey, copy: Item): void {
  const named = isOfKind(rule.copy, copy) ? rootOf(rule, copy) : undefined;
  if (named !== undefined && sameKey(named, root)) return;
  const why = `Expected what rule ${rule.name} writes to make ${withArticle(rule.copy.name)} that names its root: correct located.at or rootOf, or write what rootOf reads`;
  throw new InvalidItemError('copy', 'copy.misnamed', why, { rule: rule.name, key });
}

/** `partial`: one write cannot clear everything. */
export interface PlannedRemoval {
  readonly write: GuardedRemoval;
  readonly rootExpect: 'none' | 'absent' | Expectation;
  readonly partial: boolean;
}

interface LastRead {
  readonly rule: BoundRule;
  readonly root: Item | undefined;
}

/** What the policy does with the copy; undefined if it takes nothing that the copy has. */
export function planRemoval(
  { rule, root }: LastRead,
  { key, item: copy }: KeyedItem,
  policy: RemovalPolicy,
): PlannedRemoval | undefined {
  const attributes = clearedBy(policy, rule, copy);
  if (attributes?.length === 0) return undefined;
  const clear = attributes?.slice(0, maxChanges);
  const cleared = clear ?? [];
  const { expect } = guardOfCopy(rule, copy, new Set(cleared), cleared);
  return {
    write: { key, clear, expect, size: itemSize(copy) },
    rootExpect: root === undefined ? 'absent' : expectedRoot(rule, root),
    partial: clear?.length !== attributes?.length,
  };
}
