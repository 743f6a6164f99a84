import { type CopyLocation, isInLocation, lists } from '../../../model/copy-location.ts';
import { InvalidItemError } from '../../../model/errors.ts';
import { changed, type Expectation, type GuardedRemoval } from '../../../model/guarded-write.ts';
import { type Item, type ItemKey, keyIn, sameKey } from '../../../model/item.ts';
import { isOfKind } from '../../../model/kind.ts';
import type { Cause } from '../../../model/message.ts';
import type { RemovalPolicy, Rule } from '../../../model/rule.ts';
import type { TableNames } from '../../../model/table-names.ts';
import { expectedRoot } from './guard.ts';
import { type PlannedCreation, planCreation, requireOwn } from './plan-creation.ts';
import { planRemoval } from './plan-removal.ts';
import { type PlannedUpdate, planUpdate } from './plan-update.ts';
import { RootProjection } from './root-projection.ts';
import { rootOrFault } from './rule-functions.ts';

/** The root as read after the copies, and what the message says of it. */
export interface RootSnapshot {
  readonly rootKey: ItemKey;
  readonly root: Item | undefined;
  readonly cause: Cause;
  /** Where the root placed its copies, in order: it has left all but the last location. */
  readonly locations: readonly CopyLocation[];
}

/**
 * What to do with one copy:
 * - `foreign`: nothing, because it belongs to another root, or is another kind of item in the same location;
 * - `orphan`: nothing, because its root is missing and nothing proves that it was removed;
 * - `unchanged`: nothing, because it equals the projection, or the removal policy keeps it;
 * - `update`: write it; `partial` if one write cannot hold all changes, `narrowed` if the condition cannot hold everything;
 * - `remove`: its root is gone, has left the location or is excluded by `when`: delete or clear it, in a transaction with a condition on the root; `partial` as for an update;
 * - `create`: put it, because it is missing, in a transaction with a condition on the root; `narrowed` if that cannot hold
 *   everything;
 * - `taken`: wait, and finally dead-letter it, because another item has the key at which the rule would create the copy;
 * - `refuse`: dead-letter it, because it is invalid, or `rootOf` fails on it.
 */
export type CopyPlan =
  | { readonly is: 'foreign' | 'orphan' | 'unchanged' }
  | ({ readonly is: 'update' } & PlannedUpdate)
  | {
      readonly is: 'remove';
      readonly removal: GuardedRemoval;
      readonly partial: boolean;
      readonly rootExpect: 'absent' | Expectation;
    }
  | ({ readonly is: 'create' } & PlannedCreation)
  | { readonly is: 'taken'; readonly copy: ItemKey; readonly error: InvalidItemError }
  | { readonly is: 'refuse'; readonly copy: ItemKey; readonly error: InvalidItemError };

/** The copies of a page, as read. */
export interface CopiesRead {
  readonly copies: readonly Item[];
  /** Keys without an item, at which the rule may create copies. */
  readonly missing: readonly ItemKey[];
}

/**
 * Decides what to do with each copy of a page, given their root. What depends on the root alone is computed once. A copy
 * is created only where its root, as read now, places one: never for a root that is gone.
 * @throws InvalidItemError if the root cannot be projected, whatever the copy
 */
export function planCopies(
  table: TableNames,
  rule: Rule,
  snapshot: RootSnapshot,
  { copies, missing }: CopiesRead,
): CopyPlan[] {
  const root = snapshot.root && new RootProjection(table, rule, snapshot.root);
  if (rule.located.in === 'keys' && root?.isOfKind) root.requireLocation();
  const plans = copies.map((copy) => {
    const plan = planCopy(table, rule, snapshot, copy, root);
    const key = keyIn(table, copy);
    return plan.is === 'foreign' && isWanted(root, key) ? taken(rule, key) : plan;
  });
  return [...plans, ...missing.flatMap((key) => (isWanted(root, key) ? [create(root, key)] : []))];
}

/** Whether the rule creates the root's copy at this key. */
function isWanted(root: RootProjection | undefined, key: ItemKey): root is RootProjection {
  return root?.isOfKind === true && root.rule.creates && root.applies && lists(root.location, key);
}

function taken({ name }: Rule, key: ItemKey): CopyPlan {
  const why = `Expected the key at which rule ${name} creates a copy to be free, found another item, which is never overwritten: give each root keys of its own, or delete the item`;
  const error = new InvalidItemError('copy', 'copy.taken', why, { rule: name, key });
  return { is: 'taken', copy: key, error };
}

function create(root: RootProjection, key: ItemKey): CopyPlan {
  const crossed = tenantCrossed(root.rule, root.key, key);
  if (crossed !== undefined) return { is: 'refuse', copy: key, error: crossed };
  return unlessCopyInvalid(key, () => ({ is: 'create', ...planCreation(root, key) }));
}

/** The same for one copy. @param root the root of the snapshot, prepared for all copies of a page */
export function planCopy(
  table: TableNames,
  rule: Rule,
  snapshot: RootSnapshot,
  copy: Item,
  root = snapshot.root && new RootProjection(table, rule, snapshot.root),
): CopyPlan {
  if (!isOfKind(table, rule.copy, copy)) return { is: 'foreign' };
  const named = rootOrFault(table, rule, copy);
  if (named instanceof InvalidItemError) return { is: 'refuse', copy: keyIn(table, copy), error: named };
  if (named === undefined || !sameKey(named, snapshot.rootKey)) return { is: 'foreign' };
  if (root !== undefined && !root.isOfKind) return { is: 'orphan' };
  // An item that is its own copy is updated: a transaction cannot have a condition on the item that it clears.
  if (root !== undefined && rule.located.in !== 'itself' && !root.applies)
    return excluded(remove(table, rule, snapshot, copy, rule.onDelete));
  if (root !== undefined && isInLocation(table, copy, root.location)) return update(root, copy);
  const policy = policyFor(table, rule, snapshot, copy);
  if (policy === undefined) return { is: root === undefined ? 'orphan' : 'foreign' };
  return remove(table, rule, snapshot, copy, policy);
}

/**
 * The policy for a copy in a location where its root does not place copies now; undefined if the root never did, as far as
 * the message says. In a location that the root left, `onDelete` applies, whatever happened to the root afterwards.
 */
function policyFor(
  table: TableNames,
  rule: Rule,
  { root, cause, locations }: RootSnapshot,
  copy: Item,
): RemovalPolicy | undefined {
  const last = locations.at(-1);
  if (last === undefined || !locations.some((location) => isInLocation(table, copy, location)))
    return undefined;
  if (root !== undefined || !isInLocation(table, copy, last)) return rule.onDelete;
  if (cause === 'deleted') return rule.onDelete;
  return cause === 'expired' ? rule.onExpire : undefined;
}

function update(projected: RootProjection, copy: Item): CopyPlan {
  const { table, rule, root } = projected;
  const key = keyIn(table, copy);
  const crossed = tenantCrossed(rule, projected.key, key);
  if (crossed !== undefined) return { is: 'refuse', copy: key, error: crossed };
  return unlessCopyInvalid(key, () => {
    const planned = planUpdate(table, rule, root, copy, projected);
    if (planned === undefined) return { is: 'unchanged' };
    const { set, remove } = planned.update;
    if (rule.creates) requireOwn(projected, key, changed(copy, set, remove));
    return { is: 'update', ...planned };
  });
}

/** An invalid root concerns every copy, so its error ends the page. An invalid copy concerns only itself. */
function unlessCopyInvalid(copy: ItemKey, plan: () => CopyPlan): CopyPlan {
  try {
    return plan();
  } catch (error) {
    if (error instanceof InvalidItemError && error.concerns === 'copy') return { is: 'refuse', copy, error };
    throw error;
  }
}

function remove(
  table: TableNames,
  rule: Rule,
  snapshot: RootSnapshot,
  copy: Item,
  policy: RemovalPolicy,
): CopyPlan {
  const key = keyIn(table, copy);
  if (policy === 'keep') return { is: 'unchanged' };
  const crossed = tenantCrossed(rule, snapshot.rootKey, key);
  if (crossed !== undefined) return { is: 'refuse', copy: key, error: crossed };
  const planned = planRemoval(table, rule, copy, policy);
  const rootExpect = snapshot.root === undefined ? 'absent' : expectedRoot(table, rule, snapshot.root);
  return planned === undefined ? { is: 'unchanged' } : { is: 'remove', ...planned, rootExpect };
}

function excluded(plan: CopyPlan): CopyPlan {
  return plan.is === 'remove' ? { ...plan, removal: { ...plan.removal, excluded: true } } : plan;
}

/** If the rule names a tenant, a copy must have the tenant of its root. */
function tenantCrossed(rule: Rule, root: ItemKey, copy: ItemKey): InvalidItemError | undefined {
  const { tenant } = rule;
  if (tenant === undefined) return undefined;
  const left = rule.root.idsOf(root)?.[tenant];
  if (left !== undefined && left === rule.copy.idsOf(copy)?.[tenant]) return undefined;
  const why = `Expected a copy of rule ${rule.name} to have the ${tenant} of its root, found another: correct the root that the copy names, or delete the copy`;
  return new InvalidItemError('copy', 'copy.crosses-tenant', why, { rule: rule.name, key: copy });
}
