import type { ArchiveRule } from '../../model/archive-rule.ts';
import type { Change } from '../../model/change.ts';
import { attribute, type Item, type ItemKey, keyIn } from '../../model/item.ts';
import type { AnyKind } from '../../model/kind.ts';
import { archivedAs, type Registry } from '../../model/registry.ts';
import { digestOf } from '../object.ts';

/** What the archive has to hold, or no more. */
export interface Claim {
  /**
   * - `stands`: the item is in the table and going to expire: its newest archived state must be this one;
   * - `ended`: it is gone, and this was its last state: it must be among those archived;
   * - `erased`: a user deleted it under a rule that erases: no state up to that deletion may be left.
   */
  readonly that: 'exists' | 'ended' | 'erased';
  readonly rule: ArchiveRule;
  readonly kind: AnyKind;
  readonly key: ItemKey;
  /** Of the item in that state. */
  readonly digest: string;
  /** Of the record of its removal; 0 where it stands. */
  readonly sequence: bigint;
}

/**
 * What is wrong:
 * - `missing`: it is going to expire, and nothing of it is archived;
 * - `outdated`: it is going to expire, and another state than its present one is archived;
 * - `lost`: it has ended, and its last state is not archived;
 * - `damaged`: it is archived, and what was archived is not there, or is not what was put;
 * - `left`: it was to be erased, and states of it are left.
 */
export type Wrong = 'missing' | 'outdated' | 'lost' | 'damaged' | 'left';

/** What became of looking for what a claim claims. */
export type Classification =
  | {
      readonly is: 'right';
      /** Where it stands; undefined where nothing has to. */
      readonly at: Standing | undefined;
    }
  | { readonly is: Wrong; readonly objectKey: string; readonly at?: undefined };

/** An archived state that is what it is claimed to be, by its digest. */
export interface Standing {
  readonly objectKey: string;
  readonly versionId: string | undefined;
  readonly line: number | undefined;
}

/** Something that is wrong, seen twice. */
export interface AuditFinding {
  readonly wrong: Wrong;
  readonly rule: string;
  readonly kind: string;
  readonly key: ItemKey;
  /** Where it ought to stand, or stands. */
  readonly objectKey: string;
  /** Of the record of the removal; undefined where there is none. */
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

/** That the present state of each is archived, where it is going to expire and of a kind that is archived. */
export function claimsOfItems(registry: Registry, items: readonly Item[]): Claim[] {
  return items.flatMap((item): Claim[] => {
    const found = archivedAs(registry, item);
    if (found === undefined || attribute(item, registry.table.ttl) === undefined) return [];
    const key = keyIn(registry.table, item);
    return [{ that: 'exists', ...found, key, digest: digestOf(item), sequence: 0n }];
  });
}

/** That the last state of each item which was removed is archived, or all of it erased; or nothing. */
export function claimsOfEnds(registry: Registry, changes: readonly Change[]): Claim[] {
  return changes.flatMap(({ key, before, after, sequence, expired }): Claim[] => {
    if (after !== undefined || before === undefined) return [];
    const found = archivedAs(registry, before);
    if (found === undefined) return [];
    const { onDelete } = found.rule;
    if (!expired && onDelete === 'keep') return [];
    const that = expired || onDelete === 'archive' ? 'ended' : 'erased';
    return [{ that, ...found, key, digest: digestOf(before), sequence }];
  });
}
