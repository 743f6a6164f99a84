/**
 * Whether a state is archived, and why (not): the one decision, for the worker, the audit, the sweep and `denorm explain`.
 *
 *   the change of an item that a rule archives     archived is
 *   ───────────────────────────────────────────    ──────────────────────────────────────────────────────────────
 *   it exists afterward, with an expiry            its present state: `expiring`
 *   it exists afterward, without one               nothing: `lasting`
 *   it expired                                     its last state: `expired`
 *   it was deleted, onDelete `archive`             its last state: `deleted`
 *                   onDelete `keep`                nothing, and nothing is erased: `kept`
 *                   onDelete `erase`               nothing, and all its states are erased: `erased`, whatever `when` says now
 *
 * An expiry is a number in the TTL attribute: DynamoDB keeps an item with anything else there. A rule's removal is a deletion like an
 * application's.
 * A state for which the rule's `when` is false is not stored: `excluded`. Where and how often a state is stored, given what the
 * archive holds already, is in archive-item.ts for the layout `object`, and in batch-object.ts for the layout `batch`.
 */

import { type InvalidItemError, unlessInvalid } from '../../model/basics/errors.ts';
import { aBoolean } from '../../model/basics/requirement.ts';
import { type Change, imageOf } from '../../model/items/change.ts';
import { expiryOf } from '../../model/items/expiry.ts';
import { type Item, keyIn } from '../../model/items/item.ts';
import { type BoundKind, isSameKind } from '../../model/kinds/kind.ts';
import { viewOf } from '../../model/kinds/view.ts';
import type { BoundArchiveRule } from '../../model/rules/bound-rule.ts';
import { archivedAs, type Registry } from '../../model/rules/registry.ts';
import { called } from '../../plan/call.ts';

export interface Archiving {
  readonly rule: BoundArchiveRule;
  readonly kind: BoundKind;
  readonly change: Change;
  readonly image: Item;
  readonly because: 'expiring' | 'expired' | 'deleted' | 'erased' | 'excluded';
  /** The state is stored then: what is not stored before it expires is lost. */
  readonly fault: InvalidItemError | undefined;
}

/** `unconcerned`: no rule archives the item. */
export function archivingOf(
  registry: Registry,
  change: Change,
): Archiving | 'unconcerned' | 'lasting' | 'kept' {
  const { after, expired } = change;
  const image = imageOf(change);
  if (image === undefined) return 'unconcerned';
  const found = archivedAs(registry, image);
  if (found === undefined) return 'unconcerned';
  const { table } = registry;
  if (after !== undefined && expiryOf(table, after) === undefined) return 'lasting';
  const { rule, kind } = found;
  const archiving = { rule, kind, change, image };
  if (after === undefined && !expired && rule.onDelete !== 'archive')
    return rule.onDelete === 'keep' ? 'kept' : { ...archiving, because: 'erased', fault: undefined };
  const { stored, fault } = tryWhen(rule, kind, image);
  const because = after !== undefined ? 'expiring' : expired ? 'expired' : 'deleted';
  return { ...archiving, because: stored ? because : 'excluded', fault };
}

/** Whether `when` lets a state be stored, before the item's expiry or at its end. */
export function isStored(rule: BoundArchiveRule, kind: BoundKind, state: Item): boolean {
  return tryWhen(rule, kind, state).stored;
}

/** @returns whether `when` lets the state be stored, and how it fails on it */
function tryWhen(...about: Parameters<typeof whenHolds>): {
  readonly stored: boolean;
  readonly fault: InvalidItemError | undefined;
} {
  return unlessInvalid(
    () => ({ stored: whenHolds(...about), fault: undefined }),
    (fault) => ({ stored: true, fault }),
  );
}

/**
 * Of the predicates of this kind.
 * @throws InvalidItemError if the state lacks what one reads, or if it fails on it
 */
export function whenHolds(rule: BoundArchiveRule, kind: BoundKind, state: Item): boolean {
  return rule.when
    .filter((predicate) => isSameKind(predicate.kind, kind))
    .every((predicate) => {
      const view = viewOf(kind, state, { rule: rule.name, role: 'root', reads: predicate.reads });
      const item = { key: keyIn(rule.table, state), concerns: 'root' } as const;
      // A Promise would count as true.
      return called({ rule, does: 'when', item }, () => predicate.item(view), aBoolean);
    });
}

export function readByWhen(rule: BoundArchiveRule, kind: BoundKind): readonly string[] {
  return rule.when.filter((predicate) => isSameKind(predicate.kind, kind)).flatMap(({ reads }) => reads);
}
