import type { ArchiveRule } from '../../model/archive-rule.ts';
import type { Change } from '../../model/change.ts';
import { archivedAs, type Registry } from '../../model/registry.ts';
import { archivingOf } from '../../worker/archive/admission.ts';

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
  const found = archivingOf(registry, change);
  const name = archivedAs(registry, change.after ?? change.before ?? {})?.rule.name;
  return registry.archives.map((rule): WhyArchived => {
    if (rule.name !== name) return { rule, asks: 'nothing', because: 'unconcerned' };
    if (typeof found === 'string') return { rule, asks: 'nothing', because: found };
    const { because, fault } = found;
    return {
      rule,
      asks: because === 'excluded' ? 'nothing' : 'archive',
      because: because === 'erased' ? 'deleted' : because,
      ...(fault && { fault: `${fault.code}: ${fault.message}` }),
    };
  });
}
