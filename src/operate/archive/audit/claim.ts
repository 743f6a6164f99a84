import type { Change } from '../../../model/items/change.ts';
import type { ItemKey, KeyedItem } from '../../../model/items/item.ts';
import type { AnyKind } from '../../../model/kinds/kind.ts';
import type { BoundArchiveRule } from '../../../model/rules/bound-rule.ts';
import type { Registry } from '../../../model/rules/registry.ts';
import { archivingOf } from '../../../worker/archive/decision.ts';
import { digestOf } from '../../../worker/archive/object.ts';
import type { ArchivedState } from '../archived-state.ts';

/** What the archive must hold, or must not hold any more. */
export interface Claim {
  /**
   * - `exists`: the item is in the table and has an expiry: this must be its newest archived state;
   * - `ended`: the item is gone, and this was its final state: the archive must hold it;
   * - `erased`: it was deleted, not expired, under a rule that erases: no state up to that deletion may be left;
   * - `gone`: the item is gone under a rule that erases: if it expired, one of its states is final; otherwise none may be left.
   */
  readonly that: 'exists' | 'ended' | 'erased' | 'gone';
  readonly rule: BoundArchiveRule;
  readonly kind: AnyKind;
  readonly key: ItemKey;
  /** Of the item in that state; undefined if no state is claimed. */
  readonly digest: string | undefined;
  /** The sequence number of the removal; 0 if there is none, or if it is unknown. */
  readonly sequence: bigint;
}

/**
 * What is wrong:
 * - `missing`: the item has an expiry and is not archived;
 * - `outdated`: the item has an expiry, and the archive holds another state;
 * - `lost`: the item is gone, and its final state is not archived;
 * - `damaged`: the archived object is gone, or is not what was put;
 * - `left`: states that should have been erased are left.
 */
export type Wrong = 'missing' | 'outdated' | 'lost' | 'damaged' | 'left';

export type Classification =
  | {
      readonly is: 'right';
      /** Where the state with the claimed digest is stored; undefined if nothing has to be. */
      readonly at: Pick<ArchivedState, 'objectKey' | 'versionId' | 'line'> | undefined;
    }
  | { readonly is: Wrong; readonly objectKey: string; readonly at?: undefined };

export interface AuditFinding {
  readonly wrong: Wrong;
  readonly rule: string;
  readonly kind: string;
  readonly key: ItemKey;
  readonly objectKey: string;
  /** The sequence number of the removal; undefined if there was none. */
  readonly sequence: bigint | undefined;
}

/** What the table or the stream says. */
export type ClaimOfChange = Claim & { readonly that: (typeof claimed)[keyof typeof claimed] };

/** Claims that each item is archived as it is, if it has an expiry and a rule archives it. */
export function claimsOfItems(registry: Registry, items: readonly KeyedItem[]): ClaimOfChange[] {
  return items.flatMap(({ key, item: after }) =>
    claimOf(registry, { key, before: undefined, after, sequence: 0n, expired: false, at: undefined }),
  );
}

/** Claims that the final state of each removed item is archived, or that all its states are erased, as its rule says. */
export function claimsOfEnds(registry: Registry, changes: readonly Change[]): ClaimOfChange[] {
  return changes.flatMap((change) => (change.after === undefined ? claimOf(registry, change) : []));
}

const claimed = { expiring: 'exists', expired: 'ended', deleted: 'ended', erased: 'erased' } as const;

function claimOf(registry: Registry, change: Change): ClaimOfChange[] {
  const found = archivingOf(registry, change);
  if (typeof found === 'string' || found.because === 'excluded') return [];
  const { rule, kind, image, because } = found;
  const { key, sequence } = change;
  return [{ that: claimed[because], rule, kind, key, digest: digestOf(image), sequence }];
}
