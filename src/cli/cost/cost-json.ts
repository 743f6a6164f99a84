import { assumed, gbSeconds } from '../../develop/cost/assumptions.ts';
import type { AggregateCost } from '../../develop/cost/cost-of-aggregate.ts';
import type { ChangeCost, RuleCost } from '../../develop/cost/cost-of-rule.ts';
import { prices } from '../../develop/cost/prices.ts';
import type { Uncounted } from './cost-text.ts';

/** The costs for machines: of one change, and in dollars of a million, with prices and assumptions. */
export function costJson(
  costs: readonly RuleCost[],
  aggregates: readonly AggregateCost[],
  uncounted: readonly Uncounted[],
  windowSeconds: number,
) {
  return {
    prices,
    assumed,
    windowSeconds,
    rules: costs.map(({ rule, attribute, copyBytes, fanOuts, created }) => ({
      rule: rule.name,
      location: rule.located.in,
      changes: attribute,
      copyBytes,
      fanOuts: fanOuts.map(change),
      ...(created !== undefined && { created: change(created) }),
    })),
    aggregates: aggregates.map(({ aggregate, attribute, memberBytes, fanOuts }) => ({
      rule: aggregate.name,
      changes: attribute ?? null,
      memberBytes,
      fanOuts: fanOuts.map(change),
    })),
    uncounted,
  };
}

function change({ fanOut, counts, dollars }: ChangeCost) {
  const { milliseconds, copiesWritten: _, ...others } = counts;
  return { fanOut, ...others, milliseconds, gbSeconds: gbSeconds(milliseconds), dollarsOfAMillion: dollars };
}
