import type { ArchiveRule } from '../../model/archive-rule.ts';
import type { Change } from '../../model/change.ts';
import { attribute } from '../../model/item.ts';
import { archivedAs, type Registry } from '../../model/registry.ts';
import { admissionOf } from '../../worker/archive/admission.ts';

/**
 * Why an archive rule stores an item after a change, or does not:
 * - `unconcerned`: the rule does not archive items of this kind;
 * - `expiring`: the item has an expiry; `lasting`: it has none;
 * - `expired`, `deleted`: the item is gone, and its final state is kept or erased; `kept`: the archive stays as it
 *   is;
 * - `excluded`: `when` is false for the state that would be stored.
 */
export interface WhyArchived {
  readonly rule: ArchiveRule;
  readonly asks: 'archive' | 'nothing';
  readonly because: 'unconcerned' | 'expiring' | 'lasting' | 'expired' | 'deleted' | 'kept' | 'excluded';
  /** How `when` fails on the state, which is stored all the same. Never content. */
  readonly fault?: string;
}

/** What each archive rule does about a change. */
export function whyArchived(registry: Registry, change: Change): readonly WhyArchived[] {
  const { before, after, expired } = change;
  const image = after ?? before;
  const found = image && archivedAs(registry, image);
  return registry.archives.map((rule): WhyArchived => {
    if (image === undefined || found?.rule !== rule) return { rule, asks: 'nothing', because: 'unconcerned' };
    const stored = (because: 'expiring' | 'expired' | 'deleted'): WhyArchived => {
      const { stores, fault } = admissionOf(registry.table, rule, found.kind, image);
      if (!stores) return { rule, asks: 'nothing', because: 'excluded' };
      return { rule, asks: 'archive', because, ...(fault && { fault: `${fault.code}: ${fault.message}` }) };
    };
    if (after !== undefined)
      return attribute(after, registry.table.ttl) === undefined
        ? { rule, asks: 'nothing', because: 'lasting' }
        : stored('expiring');
    if (expired) return stored('expired');
    if (rule.onDelete === 'archive') return stored('deleted');
    return rule.onDelete === 'keep'
      ? { rule, asks: 'nothing', because: 'kept' }
      : { rule, asks: 'archive', because: 'deleted' };
  });
}
