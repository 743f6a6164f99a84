import type { ExplainedRule } from '../../explain/explanation.ts';
import { explainedRule, type Reason } from '../../explain/sentences.ts';
import type { Item } from '../../model/items/item.ts';
import type { Check } from '../../plan/match.ts';
import { planCheck } from '../../plan/plan-copy.ts';

export function findingOf(
  { rule, root: rootKey, copy, image }: Check,
  root: Item | undefined,
): ExplainedRule {
  const found = planCheck({ rule, rootKey, root }, { key: copy, image });
  const says = (reason: Omit<Reason, 'as' | 'asks' | 'of'>) =>
    explainedRule(rule, { as: 'copy', asks: 'check', of: [rootKey], ...reason });
  switch (found.is) {
    case 'update': {
      const { set, remove } = found.write;
      return says({ because: 'wrong', attributes: [...Object.keys(set), ...remove] });
    }
    case 'remove': {
      const note = `it ${rule.onDelete === 'clear' ? 'loses what the rule wrote' : 'is deleted'}`;
      return says({ because: 'withdrawn', note });
    }
    case 'taken':
    case 'later':
    case 'refuse':
      return says({ because: 'invalid', fault: found.error });
    case 'unchanged':
      return says({ because: 'right' });
    case 'create':
      return says({ because: 'missing' });
    case 'foreign':
    case 'orphan':
      return says({ because: found.is });
  }
}
