import type { Matched } from '../../develop/page/server/change-entry.ts';
import type { Change } from '../../model/change.ts';
import type { Registry } from '../../model/registry.ts';
import { whyComputed } from '../../operate/reasons/computation-reasons.ts';
import { whyMatched } from '../../operate/reasons/match-reasons.ts';
import { whyArchived } from '../../operate/reasons/why-archived.ts';
import { matchRules } from '../../worker/propagation/plan/match.ts';
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
