import type { ArchiveRule } from '../../../model/archive-rule.ts';
import type { Change } from '../../../model/change.ts';
import { attribute, type Item, type ItemKey, keyIn } from '../../../model/item.ts';
import type { AnyKind } from '../../../model/kind.ts';
import { archivedAs, type Registry } from '../../../model/registry.ts';
import { isStored } from '../../../worker/archive/decision.ts';
import { digestOf } from '../../../worker/archive/object.ts';

/** What the archive must hold, or must not hold any more. */
export interface Claim {
  /**
   * - `exists`: the item is in the table and has an expiry: this must be its newest archived state;
   * - `ended`: the item is gone, and this was its final state: the archive must hold it;
   * - `erased`: a user deleted it under a rule that erases: no state up to that deletion may be left.
   */
  readonly that: 'exists' | 'ended' | 'erased';
  readonly rule: ArchiveRule;
  readonly kind: AnyKind;
  readonly key: ItemKey;
  /** Of the item in that state. */
  readonly digest: string;
  /** The sequence number of the removal; 0 if the item exists. */
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

/** The result of checking a claim. */
export type Classification =
  | {
      readonly is: 'right';
      /** Where the state is stored; undefined if nothing has to be. */
      readonly at: StateLocation | undefined;
    }
  | { readonly is: Wrong; readonly objectKey: string; readonly at?: undefined };

/** The location of an archived state that has the claimed digest. */
export interface StateLocation {
  readonly objectKey: string;
  readonly versionId: string | undefined;
  readonly line: number | undefined;
}

/** A problem that was seen twice. */
export interface AuditFinding {
  readonly wrong: Wrong;
  readonly rule: string;
  readonly kind: string;
  readonly key: ItemKey;
  /** Where the state is or should be stored. */
  readonly objectKey: string;
  /** The sequence number of the removal; undefined if there was none. */
  readonly sequence: bigint | undefined;
}

export function findingOf(
  { rule, kind, key, sequence }: Claim,
  wrong: Wrong,
  objectKey: string,
): AuditFinding {
  return {
    wrong,
    rule: rule.name,
    kind: kind.name,
    key,
    objectKey,
    sequence: sequence === 0n ? undefined : sequence,
  };
}

/** Claims that each item is archived as it is, if it has an expiry and a rule archives it. */
export function claimsOfItems(registry: Registry, items: readonly Item[]): Claim[] {
  return items.flatMap((item): Claim[] => {
    const found = archivedAs(registry, item);
    if (found === undefined || attribute(item, registry.table.ttl) === undefined) return [];
    if (!isStored(registry.table, found.rule, found.kind, item)) return [];
    const key = keyIn(registry.table, item);
    return [{ that: 'exists', ...found, key, digest: digestOf(item), sequence: 0n }];
  });
}

/**
 * Claims that the final state of each removed item is archived, or that all its states are erased, as its rule says.
 */
export function claimsOfEnds(registry: Registry, changes: readonly Change[]): Claim[] {
  return changes.flatMap(({ key, before, after, sequence, expired }): Claim[] => {
    if (after !== undefined || before === undefined) return [];
    const found = archivedAs(registry, before);
    if (found === undefined) return [];
    const { onDelete } = found.rule;
    if (!expired && onDelete === 'keep') return [];
    const that = expired || onDelete === 'archive' ? 'ended' : 'erased';
    if (that === 'ended' && !isStored(registry.table, found.rule, found.kind, before)) return [];
    return [{ that, ...found, key, digest: digestOf(before), sequence }];
  });
}
