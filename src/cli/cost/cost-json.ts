import { assumed, gbSeconds } from '../../develop/cost/assumptions.ts';
import type { ChangeCost, RuleCost } from '../../develop/cost/cost-of-rule.ts';
import { prices } from '../../develop/cost/prices.ts';
import type { Uncounted } from './cost-text.ts';

/** The costs for machines: of one change, and in dollars of a million, with prices and assumptions. */
export function costJson(costs: readonly RuleCost[], uncounted: readonly Uncounted[], windowSeconds: number) {
  return {
    prices,
    assumed,
    windowSeconds,
    rules: costs.map(({ rule, attribute, itemBytes, fanOuts, created }) => ({
      rule: rule.name,
      changes: attribute ?? null,
      itemBytes,
      fanOuts: fanOuts.map(change),
      ...(created !== undefined && { created: change(created) }),
    })),
    uncounted,
  };
}

function change({ fanOut, counts, dollars }: ChangeCost) {
  const { milliseconds, copiesWritten: _, ...others } = counts;
  return { fanOut, ...others, milliseconds, gbSeconds: gbSeconds(milliseconds), dollarsOfAMillion: dollars };
}
