import type { ExplainedRule } from '../../develop/page/protocol/explanation.ts';
import type { Item } from '../../model/item.ts';
import type { TableNames } from '../../model/table-names.ts';
import { classify, classifyMissing } from '../../worker/propagation/plan/classify.ts';
import type { Check } from '../../worker/propagation/plan/match.ts';
import { explainedRule } from './sentences.ts';

/** What a check finds of a copy, or of a key at which a rule may have to create one. */
export function findingOf(
  table: TableNames,
  { rule, root: rootKey, copy, image }: Check,
  root: Item | undefined,
): ExplainedRule {
  const found =
    image === undefined
      ? classifyMissing(table, rule, rootKey, root, copy)
      : classify(table, rule, rootKey, root, image);
  const role = { as: 'copy', asks: 'check', of: [rootKey] } as const;
  switch (found.is) {
    case 'differs': {
      const { set, remove } = found.decision.update;
      return explainedRule(rule, {
        ...{ ...role, because: 'wrong', attributes: [...Object.keys(set), ...remove] },
      });
    }
    case 'excluded': {
      const note = `it ${rule.onDelete === 'clear' ? 'loses what the rule wrote' : 'is deleted'}`;
      return explainedRule(rule, { ...role, because: 'withdrawn', note });
    }
    case 'invalid':
      return explainedRule(rule, {
        ...{ ...role, because: 'invalid', fault: { code: found.code, message: found.reason } },
      });
    case 'right':
    case 'missing':
    case 'foreign':
    case 'orphan':
      return explainedRule(rule, { ...role, because: found.is });
  }
}
