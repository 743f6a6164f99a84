import type { ArchiveRule } from '../model/archive-rule.ts';
import type { Change } from '../model/change.ts';
import { attribute } from '../model/item.ts';
import { archivedAs, type Registry } from '../model/registry.ts';

/**
 * Why an archive rule stores an item after a change, or does not:
 * - `unconcerned`: the rule does not archive items of this kind;
 * - `expiring`: the item has an expiry; `lasting`: it has none;
 * - `expired`, `deleted`: the item is gone, and its final state is kept or erased; `kept`: the archive stays as it
 *   is.
 */
export interface WhyArchived {
  readonly rule: ArchiveRule;
  readonly asks: 'archive' | 'nothing';
  readonly because: 'unconcerned' | 'expiring' | 'lasting' | 'expired' | 'deleted' | 'kept';
}

/** What each archive rule does about a change. */
export function whyArchived(registry: Registry, change: Change): readonly WhyArchived[] {
  const { before, after, expired } = change;
  const image = after ?? before;
  const found = image && archivedAs(registry, image);
  return registry.archives.map((rule): WhyArchived => {
    if (found?.rule !== rule) return { rule, asks: 'nothing', because: 'unconcerned' };
    if (after !== undefined) {
      return attribute(after, registry.table.ttl) === undefined
        ? { rule, asks: 'nothing', because: 'lasting' }
        : { rule, asks: 'archive', because: 'expiring' };
    }
    if (expired) return { rule, asks: 'archive', because: 'expired' };
    return rule.onDelete === 'keep'
      ? { rule, asks: 'nothing', because: 'kept' }
      : { rule, asks: 'archive', because: 'deleted' };
  });
}
