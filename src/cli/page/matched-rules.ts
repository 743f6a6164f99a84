import { whyArchived } from '../../archive/why-archived.ts';
import type { Change } from '../../model/change.ts';
import type { Registry } from '../../model/registry.ts';
import type { Matched } from '../../page/server/change-entry.ts';
import { whyComputed } from '../../propagation/plan/computation-reasons.ts';
import { matchRules } from '../../propagation/plan/match.ts';
import { whyMatched } from '../../propagation/plan/match-reasons.ts';
import { computedSentence } from '../explain/aggregate-roles.ts';
import { archivedSentence, whySentence } from '../explain/subject-text.ts';

/** What each rule makes of a change, in the words of `denorm explain`. Rules that it does not concern are left out. */
export function matchedRules(registry: Registry) {
  return (change: Change): readonly Matched[] => {
    const { propagations, checks } = matchRules(registry, [change]);
    const rules = whyMatched(registry, change)
      .filter(({ because }) => because !== 'unconcerned')
      .map((why): Matched => {
        const asked = why.asks === 'check' ? checks : why.asks === 'propagation' ? propagations : [];
        const root = asked.find(({ rule }) => rule === why.rule)?.root;
        return { rule: why.rule.name, says: whySentence(why), asks: why.asks, root };
      });
    const archives = whyArchived(registry, change)
      .filter(({ because }) => because !== 'unconcerned')
      .map((why): Matched => {
        const root = why.asks === 'archive' ? change.key : undefined;
        return { rule: why.rule.name, says: archivedSentence(why), asks: why.asks, root };
      });
    const aggregates = whyComputed(registry, change)
      .filter(({ because }) => because !== 'unconcerned')
      .flatMap((why): Matched[] => {
        const told = { rule: why.aggregate.name, says: computedSentence(why) };
        if (why.targets.length === 0) return [{ ...told, asks: 'nothing', root: undefined }];
        const asks = why.as === 'member' ? 'propagation' : 'check';
        return why.targets.map((root) => ({ ...told, asks, root }));
      });
    return [...rules, ...aggregates, ...archives];
  };
}
