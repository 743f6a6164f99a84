import { type CopyLocation, isInLocation } from '../../model/copy-location.ts';
import { InvalidItemError } from '../../model/errors.ts';
import type { Expectation, GuardedRemoval, GuardedUpdate } from '../../model/guarded-write.ts';
import { type Item, type ItemKey, keyIn, sameKey } from '../../model/item.ts';
import { isOfKind } from '../../model/kind.ts';
import type { Cause } from '../../model/message.ts';
import type { RemovalPolicy, Rule } from '../../model/rule.ts';
import type { TableNames } from '../../model/table-names.ts';
import { unlessInvalid } from '../../model/unless-invalid.ts';
import { expectedRoot } from './guard.ts';
import { planRemoval } from './plan-removal.ts';
import { planUpdate } from './plan-update.ts';
import { RootProjection } from './root-projection.ts';
import { rootOf } from './rule-functions.ts';

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
 * - `remove`: delete or clear it, in a transaction with a condition on the root; `partial` as for an update;
 * - `refuse`: dead-letter it, because it is invalid, or `rootOf` fails on it.
 */
export type CopyPlan =
  | { readonly is: 'foreign' | 'orphan' | 'unchanged' }
  | {
      readonly is: 'update';
      readonly update: GuardedUpdate;
      readonly partial: boolean;
      readonly narrowed: boolean;
    }
  | {
      readonly is: 'remove';
      readonly removal: GuardedRemoval;
      readonly partial: boolean;
      readonly rootExpect: 'absent' | Expectation;
    }
  | { readonly is: 'refuse'; readonly copy: ItemKey; readonly error: InvalidItemError };

/**
 * Decides what to do with each copy of a page, given their root. What depends on the root alone is computed once.
 * @throws InvalidItemError if the root cannot be projected, whatever the copy
 */
export function planCopies(
  table: TableNames,
  rule: Rule,
  snapshot: RootSnapshot,
  copies: readonly Item[],
): CopyPlan[] {
  const root = snapshot.root && new RootProjection(table, rule, snapshot.root);
  return copies.map((copy) => planCopy(table, rule, snapshot, copy, root));
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
  const named = namedBy(table, rule, copy);
  if (named instanceof InvalidItemError) return { is: 'refuse', copy: keyIn(table, copy), error: named };
  if (named === undefined || !sameKey(named, snapshot.rootKey)) return { is: 'foreign' };
  if (root !== undefined && !root.isOfKind) return { is: 'orphan' };
  if (root !== undefined && isInLocation(table, copy, root.location)) return update(root, copy);
  const policy = policyFor(table, rule, snapshot, copy);
  if (policy === undefined) return { is: root === undefined ? 'orphan' : 'foreign' };
  return remove(table, rule, snapshot, copy, policy);
}

/** The root that a copy names. If `rootOf` fails, nothing tells whose copy it is. */
function namedBy(table: TableNames, rule: Rule, copy: Item): ItemKey | InvalidItemError | undefined {
  return unlessInvalid(
    () => rootOf(table, rule, copy),
    (error) => error,
  );
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
  try {
    const planned = planUpdate(table, rule, root, copy, projected);
    return planned === undefined ? { is: 'unchanged' } : { is: 'update', ...planned };
  } catch (error) {
    // An invalid root concerns every copy, so its error ends the page. An invalid copy concerns only itself.
    if (error instanceof InvalidItemError && error.concerns === 'copy')
      return { is: 'refuse', copy: key, error };
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

/** If the rule names a tenant, a copy must have the tenant of its root. */
function tenantCrossed(rule: Rule, root: ItemKey, copy: ItemKey): InvalidItemError | undefined {
  const { tenant } = rule;
  if (tenant === undefined) return undefined;
  const left = rule.root.idsOf(root)?.[tenant];
  if (left !== undefined && left === rule.copy.idsOf(copy)?.[tenant]) return undefined;
  const why = `Expected a copy of rule ${rule.name} to have the ${tenant} of its root, found another: correct the root that the copy names, or delete the copy`;
  return new InvalidItemError('copy', 'copy.crosses-tenant', why, { rule: rule.name, key: copy });
}
