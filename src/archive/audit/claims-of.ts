import type { Change } from '../../model/change.ts';
import { attribute, type Item, keyIn } from '../../model/item.ts';
import { archivedAs, type Registry } from '../../model/registry.ts';
import { digestOf } from '../object.ts';
import type { Claim } from './claim.ts';

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
