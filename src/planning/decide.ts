import { equal } from '../domain/attribute-value.ts';
import { Unprojectable } from '../domain/errors.ts';
import type { Expectation, GuardedRemoval, GuardedUpdate } from '../domain/guarded-write.ts';
import { type Item, type ItemKey, keyOf, sameKey } from '../domain/item.ts';
import { itemSize, largestItem } from '../domain/item-size.ts';
import { isOfKind } from '../domain/kind.ts';
import type { Cause } from '../domain/message.ts';
import { owns } from '../domain/owned.ts';
import { type Place, standsIn } from '../domain/place.ts';
import type { RemovalPolicy, Rule } from '../domain/rule.ts';
import type { TableNames } from '../domain/table-names.ts';
import { expectedRoot, guard } from './guard.ts';
import { type Projection, project } from './projection.ts';
import { placeOf, rootOf } from './rule-functions.ts';

/** What is known when copies are looked at: the root as read after them, and where an old image placed them. */
export interface Sight {
  readonly rootKey: ItemKey;
  readonly root: Item | undefined;
  readonly cause: Cause;
  /** Places that a root's record located; evidence that copies there may have been this root's. */
  readonly places: readonly Place[];
}

/**
 * What is to be done with one copy:
 * - `foreign`: it is not this root's own, or another kind of item that stands in the same place;
 * - `orphan`: it names this root, which is not there, and nothing says that it was removed;
 * - `unchanged`: it is what it should be, or the removal policy keeps it;
 * - `update`: write it; `partial` where more is to be written than one write takes, `narrowed` where the guard had to be;
 * - `remove`: end it, in a transaction with the root's condition;
 * - `refuse`: it cannot be brought up to date; a person must look.
 */
export type Decision =
  | { readonly is: 'foreign' | 'orphan' | 'unchanged' }
  | {
      readonly is: 'update';
      readonly update: GuardedUpdate;
      readonly partial: boolean;
      readonly narrowed: boolean;
    }
  | { readonly is: 'remove'; readonly removal: GuardedRemoval; readonly rootExpect: 'absent' | Expectation }
  | { readonly is: 'refuse'; readonly copy: ItemKey; readonly error: Unprojectable };

/** One write changes at most this many attributes: an expression takes 300 operators and 4 KB. Source: AWS, "Quotas". */
const mostChanges = 100;

/**
 * Decides what is to be done with one copy, given its root. Pure: the answer is data.
 * @throws Unprojectable where the root cannot be projected, whatever the copy
 */
export function decide(table: TableNames, rule: Rule, sight: Sight, copy: Item): Decision {
  if (!isOfKind(table, rule.copy, copy)) return { is: 'foreign' };
  const named = rootOf(table, rule, copy);
  if (named === undefined || !sameKey(named, sight.rootKey)) return { is: 'foreign' };
  const { root } = sight;
  if (root === undefined) return withoutRoot(table, rule, sight, copy);
  if (!isOfKind(table, rule.root, root)) return { is: 'orphan' };
  if (standsIn(table, copy, placeOf(table, rule, root))) return withRoot(table, rule, root, copy);
  if (!stoodThere(table, sight, copy)) return { is: 'foreign' };
  return removal(table, rule, copy, rule.onDelete, expectedRoot(rule, root));
}

function withRoot(table: TableNames, rule: Rule, root: Item, copy: Item): Decision {
  const crossed = tenantCrossed(table, rule, root, copy);
  if (crossed !== undefined) return { is: 'refuse', copy: keyIn(table, copy), error: crossed };
  const projection = projected(table, rule, root, copy);
  if (projection instanceof Unprojectable)
    return { is: 'refuse', copy: keyIn(table, copy), error: projection };
  const differing = [...projection.keys()].filter((name) => !equal(copy[name], projection.get(name)));
  if (differing.length === 0) return { is: 'unchanged' };
  const changes = differing.slice(0, mostChanges);
  const update = planUpdate(table, rule, copy, projection, changes);
  const after = { ...copy, ...update.update.set };
  if (itemSize(after) - itemSize(only(copy, update.update.remove)) > largestItem)
    return {
      is: 'refuse',
      copy: keyIn(table, copy),
      error: refusal(
        'copy.too-large',
        rule,
        table,
        copy,
        'would grow beyond the 400 KB of an item: shorten what it copies',
      ),
    };
  return { is: 'update', ...update, partial: changes.length < differing.length };
}

/** A root that cannot be projected concerns every copy and is thrown; a copy that cannot concerns itself alone. */
function projected(table: TableNames, rule: Rule, root: Item, copy: Item): Projection | Unprojectable {
  try {
    return project(table, rule, root, copy);
  } catch (error) {
    if (error instanceof Unprojectable && error.code === 'copy.unprojectable') return error;
    throw error;
  }
}

function planUpdate(
  table: TableNames,
  rule: Rule,
  copy: Item,
  projection: Projection,
  changes: readonly string[],
) {
  const set = Object.fromEntries(
    changes.flatMap((name) => {
      const value = projection.get(name);
      return value === undefined ? [] : [[name, value] as const];
    }),
  );
  const remove = changes.filter((name) => projection.get(name) === undefined);
  const { expect, narrowed } = guard(table, rule, copy, projection, changes);
  return { update: { key: keyIn(table, copy), set, remove, expect }, narrowed };
}

function withoutRoot(table: TableNames, rule: Rule, sight: Sight, copy: Item): Decision {
  if (!stoodThere(table, sight, copy)) return { is: 'orphan' };
  if (sight.cause === 'deleted') return removal(table, rule, copy, rule.onDelete, 'absent');
  if (sight.cause === 'expired') return removal(table, rule, copy, rule.onExpire, 'absent');
  return { is: 'orphan' };
}

function stoodThere(table: TableNames, sight: Sight, copy: Item): boolean {
  return sight.places.some((place) => standsIn(table, copy, place));
}

function removal(
  table: TableNames,
  rule: Rule,
  copy: Item,
  policy: RemovalPolicy,
  rootExpect: 'absent' | Expectation,
): Decision {
  if (policy === 'keep') return { is: 'unchanged' };
  const cleared = Object.keys(copy).filter((name) => owns(table, rule, name));
  if (policy === 'clear' && cleared.length === 0) return { is: 'unchanged' };
  const { expect } = guard(table, rule, copy, new Map(), policy === 'clear' ? cleared : []);
  const clear = policy === 'clear' ? cleared : undefined;
  return {
    is: 'remove',
    removal: { key: keyIn(table, copy), clear, expect, size: itemSize(copy) },
    rootExpect,
  };
}

function tenantCrossed(table: TableNames, rule: Rule, root: Item, copy: Item): Unprojectable | undefined {
  const { tenant } = rule;
  if (tenant === undefined) return undefined;
  const left = rule.root.idsOf(keyIn(table, root))?.[tenant];
  const right = rule.copy.idsOf(keyIn(table, copy))?.[tenant];
  if (left !== undefined && left === right) return undefined;
  return refusal(
    'copy.crosses-tenant',
    rule,
    table,
    copy,
    `belongs to another ${tenant} than its root: nothing is written across`,
  );
}

function refusal(code: string, rule: Rule, table: TableNames, copy: Item, why: string): Unprojectable {
  return new Unprojectable(code, `A copy of rule ${rule.name} ${why}`, {
    rule: rule.name,
    key: keyIn(table, copy),
  });
}

function keyIn(table: TableNames, item: Item): ItemKey {
  return keyOf(table, item) ?? { pk: '', sk: '' };
}

function only(item: Item, names: readonly string[]): Item {
  return Object.fromEntries(Object.entries(item).filter(([name]) => names.includes(name)));
}
