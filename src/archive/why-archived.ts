import type { ArchiveRule } from '../model/archive-rule.ts';
import type { Change } from '../model/change.ts';
import { attribute } from '../model/item.ts';
import { archivedAs, type Registry } from '../model/registry.ts';

/**
 * Why an archive rule sees to an item on account of a change, or does not:
 * - `unconcerned`: the item is of no kind that the rule archives;
 * - `expiring`: it is going to expire; `lasting`: it is not;
 * - `expired`, `deleted`: it is gone, and its last state is kept or erased; `kept`: what stands in the archive stays.
 */
export interface WhyArchived {
  readonly rule: ArchiveRule;
  readonly asks: 'archive' | 'nothing';
  readonly because: 'unconcerned' | 'expiring' | 'lasting' | 'expired' | 'deleted' | 'kept';
}

/** What each archive rule makes of one change. */
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
