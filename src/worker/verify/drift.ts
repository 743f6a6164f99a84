import type { InvalidItemError } from '../../model/basics/errors.ts';
import type { ItemKey } from '../../model/items/item.ts';

/** What a propagation repairs. It may have to be allowed to remove items for the last three. */
const repairable = ['differs', 'derived', 'missing', 'empty', 'excluded', 'unlisted'] as const;

/**
 * Kinds of drift:
 * - `differs`: the copy is not the projection of its root;
 * - `derived`: an item that is its own copy lacks what the rule derives for it, or a target what its members add up to;
 * - `missing`: a root places a copy at a key that has none, and the rule creates its copies; or a target has members, and the
 *   aggregate makes it;
 * - `empty`: a target has no members, and `onEmpty` removes it;
 * - `excluded`: the rule's `when` is false for the copy's root, and `onDelete` removes such copies;
 * - `unlisted`: the rule lists the keys of its copies or creates them, the copy's root does not place it at its key any
 *   more, and `onDelete` removes such copies;
 * - `orphan`: no root is at the key that the copy names, and no policy of the rule explains the copy;
 * - `foreign`: the copy names a root that places its copies elsewhere, for example because the root has moved;
 * - `unlinked`: the copy names no root, and is not what `onUnlink` leaves of a copy that stops naming one;
 * - `invalid`: root or copy lacks what the rule needs, so the right content is unknown.
 *
 * The last four need a person.
 */
export const driftKinds = [...repairable, 'orphan', 'foreign', 'unlinked', 'invalid'] as const;

export type DriftKind = (typeof driftKinds)[number];

/** A copy that has drifted by one rule. Keys and attribute names, no content. */
export interface Drift {
  readonly kind: DriftKind;
  readonly rule: string;
  readonly copy: ItemKey;
  /** The copy's root; undefined if the copy does not name one. */
  readonly root?: ItemKey;
  /** It is the entry that differs of the member `copy`, in the ledger of the target `root`, which may be the same item. */
  readonly isOfEntry?: true;
  readonly attributes: readonly string[];
  /** Those of them that no rule names: a strict mirror removes them, although an application may have set them. */
  readonly unmapped: readonly string[];
  readonly concerns?: InvalidItemError['concerns'];
  readonly code?: string;
  readonly reason?: string;
}

export function faultOf({ concerns, code, message: reason }: InvalidItemError) {
  return { concerns, code, reason };
}

/** A copy that names its root. */
export type RepairableDrift = Drift & { readonly root: ItemKey };

/** Whether a propagation can repair it, if it may remove copies. */
export function isRepairable(drift: Drift): drift is RepairableDrift {
  return drift.root !== undefined && isRepairableKind(drift.kind);
}

export function isRepairableKind(kind: DriftKind): boolean {
  return repairable.some((one) => one === kind);
}

/**
 * What a search says of a copy or a target:
 * - `right`: as it should be;
 * - `rootless`: a copy that names no root, as its rule allows;
 * - `kept`: an orphan that a policy of the rule explains, or a copy at a key that its root has left and `onDelete` keeps;
 * - `targeted`: a member whose target exists, or is made by the aggregate, and then looked at on its own;
 * - `targetless`: a member whose target does not exist: maybe it was never written, maybe it was deleted;
 * - `unfindable`: missing from the index by which the rule finds copies, so no change reaches it;
 * - `drift`: not as it should be.
 */
export type CopyClassification =
  | { readonly is: 'right' | 'rootless' | 'kept' | 'targeted' | 'targetless' | 'unfindable' }
  | { readonly is: 'drift'; readonly drift: Drift };

/** @param details what the kind has beside the rule and the keys */
export function drifted(
  kind: DriftKind,
  { rule, copy, root }: Pick<Drift, 'rule' | 'copy'> & { readonly root: ItemKey | undefined },
  details: Partial<Drift> = {},
): CopyClassification {
  const about = { rule, copy, ...(root && { root }), attributes: [], unmapped: [] };
  return { is: 'drift', drift: { ...about, ...details, kind } };
}
