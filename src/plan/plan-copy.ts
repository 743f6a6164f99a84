import { InvalidItemError, unlessInvalid } from '../model/basics/errors.ts';
import { type CopyLocation, isInLocation, lists } from '../model/items/copy-location.ts';
import { type Item, type ItemKey, type KeyedItem, sameKey } from '../model/items/item.ts';
import { isOfKind, ofKind } from '../model/kinds/kind.ts';
import type { BoundRule } from '../model/rules/bound-rule.ts';
import { policyEffects, type RemovalPolicy } from '../model/rules/rule.ts';
import { changed } from '../model/work/guarded-write.ts';
import type { Cause } from '../model/work/message.ts';
import {
  type PlannedCreation,
  type PlannedRemoval,
  type PlannedUpdate,
  type Projected,
  planCreation,
  planRemoval,
  planUpdate,
  requireOwn,
} from './plan-writes.ts';
import { RootProjection } from './projection.ts';
import { isUnlinked, rootOrFault } from './rule-functions.ts';

/** The root was read after the copies. An item of another kind at its key is as if there were none. */
export interface RootSnapshot {
  readonly rule: BoundRule;
  readonly rootKey: ItemKey;
  readonly root: Item | undefined;
  readonly cause: Cause;
  /** In the order in which the root used them: it has left all but the last. */
  readonly locations: readonly CopyLocation[];
}

/**
 * What to do with one copy:
 * - `foreign`: nothing, because it belongs to another root, or is another kind of item in the same location;
 * - `orphan`: nothing, because its root is missing and nothing proves that it was removed;
 * - `unchanged`: nothing, because it equals the projection, or the removal policy keeps it;
 * - `update`: write it; `partial` if one write cannot hold all changes, `narrowed` if the condition cannot hold everything;
 * - `remove`: its root is gone, has left the location or is excluded by `when`, or it names no root any more: delete or clear it, in a transaction with a condition on the root; `partial` as for an update;
 * - `create`: put it, because it is missing, in a transaction with a condition on the root; `narrowed` if that cannot hold
 *   everything;
 * - `taken`: wait, and finally dead-letter it, because another item has the key at which the rule would create the copy;
 * - `refuse`: dead-letter it, because it is invalid, or `rootOf` fails on it;
 * - `later`: read it again when others of its page are removed, because its root cannot be projected, which those do not need.
 */
export type CopyPlan =
  | { readonly is: 'foreign' | 'orphan' | 'unchanged' }
  | ({ readonly is: 'update' } & PlannedUpdate)
  | ({ readonly is: 'remove' } & PlannedRemoval)
  | ({ readonly is: 'create' } & PlannedCreation)
  | { readonly is: 'taken'; readonly copy: ItemKey; readonly error: InvalidItemError }
  | { readonly is: 'later'; readonly copy: ItemKey; readonly error: InvalidItemError }
  | { readonly is: 'refuse'; readonly copy: ItemKey; readonly error: InvalidItemError };

interface CopyRead extends KeyedItem {
  /** The root that it names, where that is known. */
  readonly named?: ItemKey | undefined;
}

export interface CopiesRead {
  readonly copies: readonly CopyRead[];
  /** Keys without an item, at which the rule may create copies. */
  readonly missing: readonly ItemKey[];
}

const projections = new WeakMap<Item, Map<BoundRule, RootProjection>>();

/**
 * What depends on the root and the rule alone: made once for each root as read, though a page of checks asks for it copy by copy.
 * Undefined if the root does not exist.
 */
export function projectionOfRoot(rule: BoundRule, root: Item | undefined): RootProjection | undefined {
  const known = (root && projections.get(root)) ?? new Map<BoundRule, RootProjection>();
  const before = known.get(rule);
  if (before !== undefined) return before;
  const present = ofKind(rule.root, root);
  if (present === undefined) return undefined;
  const projection = new RootProjection(rule, present);
  projections.set(present, known.set(rule, projection));
  return projection;
}

/**
 * What depends on the root alone is computed once. A copy is created only where its root, as read now, places one: never for a
 * root that is gone.
 * @throws InvalidItemError if the root cannot be projected, and no copy is to be removed
 */
export function planCopies(snapshot: RootSnapshot, { copies, missing }: CopiesRead): CopyPlan[] {
  const { rule } = snapshot;
  const root = projectionOfRoot(rule, snapshot.root);
  if (rule.located.in === 'keys') root?.requireLocation();
  const faults: InvalidItemError[] = [];
  const plan = (copy: ItemKey, planned: () => CopyPlan): CopyPlan =>
    unlessInvalid(planned, (error) => {
      faults.push(error);
      return { is: 'later', copy, error };
    });
  const plans = [
    ...copies.map((copy) => plan(copy.key, () => planCopy(snapshot, root, copy))),
    ...missing.flatMap((key) =>
      isWanted(root, key)
        ? [plan(key, () => planned(snapshot, key, () => ({ is: 'create', ...planCreation(root, key) })))]
        : [],
    ),
  ];
  if (faults[0] !== undefined && !plans.some(({ is }) => is === 'remove')) throw faults[0];
  return plans;
}

/** A copy that a check compares, or a key without one. An invalid root refuses it. */
export function planCheck(
  about: Omit<RootSnapshot, 'cause' | 'locations'>,
  copy: { readonly key: ItemKey; readonly image: Item | undefined; readonly named?: ItemKey },
): CopyPlan {
  const { key, image, named } = copy;
  const read =
    image === undefined
      ? { copies: [], missing: [key] }
      : { copies: [{ key, item: image, named }], missing: [] };
  return unlessInvalid(
    () => planCopies({ ...about, cause: 'check', locations: [] }, read)[0] ?? { is: 'foreign' },
    (error) => ({ is: 'refuse', copy: key, error }),
  );
}

export function updateOf(projected: Projected, written: KeyedItem): CopyPlan {
  const update = planUpdate(projected, written);
  return update === undefined ? { is: 'unchanged' } : { is: 'update', ...update };
}

/**
 * What is asked of a copy, in this order:
 *
 *   names this root? ──no──> `taken` where the rule is to create one; `remove`, by `onUnlink`, if it has named it; or `foreign`
 *        │ yes
 *        ├── the rule does not apply to the root ────────> `remove`, by `onDelete`
 *        ├── the root places it where it is ─────────────> `update` or `unchanged`
 *        ├── the root was removed, or has left it there ─> `remove`, by the policy for the cause
 *        └── otherwise ──────────────────────────────────> `orphan` if there is no root, or `foreign`
 *
 * An item that is its own copy never gets to the second: it is updated also where the rule does not apply.
 */
function planCopy(snapshot: RootSnapshot, root: RootProjection | undefined, copy: CopyRead): CopyPlan {
  const { rule } = snapshot;
  const { key, item } = copy;
  const named = copy.named ?? (isOfKind(rule.copy, item) ? rootOrFault(rule, item) : undefined);
  if (named instanceof InvalidItemError) return { is: 'refuse', copy: key, error: named };
  if (named === undefined || !sameKey(named, snapshot.rootKey)) {
    if (isWanted(root, key)) return taken(rule, key);
    // A copy is asked about by name only because it named this root before.
    return snapshot.cause === 'check' && isUnlinked(rule, item) && isOfTenant(rule, snapshot.rootKey, key)
      ? remove(snapshot, copy, rule.onUnlink)
      : { is: 'foreign' };
  }
  // An item that is its own copy is updated: a transaction cannot have a condition on the item that it clears.
  if (root !== undefined && rule.located.in !== 'itself' && !root.applies)
    return excluded(remove(snapshot, copy, rule.onDelete));
  if (root !== undefined && isInLocation(rule.table, item, root.location))
    return planned(snapshot, key, () => update(root, copy));
  const policy = policyFor(snapshot, root, item);
  if (policy === undefined) return { is: root === undefined ? 'orphan' : 'foreign' };
  return remove(snapshot, copy, policy);
}

/** Whether the rule creates the root's copy at this key. */
function isWanted(root: RootProjection | undefined, key: ItemKey): root is RootProjection {
  return root?.rule.creates === true && root.applies && lists(root.location, key);
}

function taken({ name }: BoundRule, key: ItemKey): CopyPlan {
  const why = `Expected the key at which rule ${name} creates a copy to be free, found another item, which is never overwritten: give each root keys of its own, or delete the item`;
  const error = new InvalidItemError('copy', 'copy.taken', why, { rule: name, key });
  return { is: 'taken', copy: key, error };
}

/**
 * For a copy where its root does not place copies now; undefined if the root never did, as far as the message says. Where the
 * root has left, `onDelete` applies, whatever happened to the root afterwards. If it has left the last location too, that is
 * another message's: a deployment may have changed where the rule places copies.
 */
function policyFor(
  { rule, cause, locations }: RootSnapshot,
  root: RootProjection | undefined,
  copy: Item,
): RemovalPolicy | undefined {
  const last = locations.at(-1);
  if (last === undefined || !locations.some((location) => isInLocation(rule.table, copy, location)))
    return undefined;
  if (!isInLocation(rule.table, copy, last) || cause === 'deleted') return rule.onDelete;
  if (root !== undefined) return cause === 'changed' ? undefined : rule.onDelete;
  return cause === 'expired' ? rule.onExpire : undefined;
}

function update(root: RootProjection, copy: KeyedItem): CopyPlan {
  const plan = updateOf(root, copy);
  const { fault } = root;
  // What is wrong is written first: then the item is read again, and refused.
  if (fault !== undefined && plan.is === 'update') return { ...plan, partial: true };
  if (fault !== undefined) return { is: 'refuse', copy: copy.key, error: fault };
  if (plan.is === 'update' && root.rule.creates) {
    const { key, set, remove } = plan.write;
    requireOwn(root, key, changed(copy.item, set, remove));
  }
  return plan;
}

function remove(snapshot: RootSnapshot, copy: KeyedItem, policy: RemovalPolicy): CopyPlan {
  if (policyEffects[policy].keeps) return { is: 'unchanged' };
  const { key } = copy;
  // What is at the root's own key is what became of the root: an application wrote it, and a transaction takes an item once.
  if (sameKey(key, snapshot.rootKey)) return { is: 'foreign' };
  return planned(snapshot, key, () => {
    const removal = planRemoval(snapshot, copy, policy);
    return removal === undefined ? { is: 'unchanged' } : { is: 'remove', ...removal };
  });
}

function excluded(plan: CopyPlan): CopyPlan {
  return plan.is === 'remove' ? { ...plan, write: { ...plan.write, excluded: true } } : plan;
}

/** An invalid root concerns every copy, so its error ends the page. An invalid copy concerns only itself. */
function planned({ rule, rootKey }: RootSnapshot, copy: ItemKey, plan: () => CopyPlan): CopyPlan {
  try {
    requireTenant(rule, rootKey, copy);
    return plan();
  } catch (error) {
    if (error instanceof InvalidItemError && error.concerns === 'copy') return { is: 'refuse', copy, error };
    throw error;
  }
}

/** A copy must have the tenant of its root, if the rule names one. */
function isOfTenant(rule: BoundRule, root: ItemKey, copy: ItemKey): boolean {
  const { tenant } = rule;
  if (tenant === undefined) return true;
  const ofRoot = rule.root.idsOf(root)?.[tenant];
  return ofRoot !== undefined && ofRoot === rule.copy.idsOf(copy)?.[tenant];
}

function requireTenant(rule: BoundRule, root: ItemKey, copy: ItemKey): void {
  if (isOfTenant(rule, root, copy)) return;
  const why = `Expected a copy of rule ${rule.name} to have the ${rule.tenant} of its root, found another: correct the root that the copy names, or delete the copy`;
  throw new InvalidItemError('copy', 'copy.crosses-tenant', why, { rule: rule.name, key: copy });
}
