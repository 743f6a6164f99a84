import type { ExplainedRule } from '../../develop/page/protocol/explanation.ts';
import type { Item } from '../../model/item.ts';
import type { TableNames } from '../../model/table-names.ts';
import type { Check } from '../../worker/propagation/plan/match.ts';
import { planCheck } from '../../worker/propagation/plan/plan-copy.ts';
import { explainedRule } from './sentences.ts';

export function findingOf(
  table: TableNames,
  { rule, root: rootKey, copy, image }: Check,
  root: Item | undefined,
): ExplainedRule {
  const found = planCheck({ table, rule, rootKey, root }, { key: copy, image });
  const role = { as: 'copy', asks: 'check', of: [rootKey] } as const;
  switch (found.is) {
    case 'update': {
      const { set, remove } = found.write;
      return explainedRule(rule, {
        ...{ ...role, because: 'wrong', attributes: [...Object.keys(set), ...remove] },
      });
    }
    case 'remove': {
      const note = `it ${rule.onDelete === 'clear' ? 'loses what the rule wrote' : 'is deleted'}`;
      return explainedRule(rule, { ...role, because: 'withdrawn', note });
    }
    case 'taken':
    case 'refuse':
      return explainedRule(rule, { ...role, because: 'invalid', fault: found.error });
    case 'unchanged':
      return explainedRule(rule, { ...role, because: 'right' });
    case 'create':
      return explainedRule(rule, { ...role, because: 'missing' });
    case 'foreign':
    case 'orphan':
      return explainedRule(rule, { ...role, because: found.is });
  }
}
