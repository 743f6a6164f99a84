import { type ChangeCost, costOfRule, type RuleCost } from '../../src/develop/cost/cost-of-rule.ts';
import { generatedItems } from '../../src/develop/cost/generated-items.ts';
import { registry, stack } from './costs.ts';

/** The fan-outs that the pages quote. */
const fanOuts = [1, 5, 500];

/** What `denorm cost` counts for the rules of this repository, of items of 1 KB. */
export async function ruleCosts(): Promise<RuleCost[]> {
  const costs: RuleCost[] = [];
  for (const rule of registry.rules) {
    const items = generatedItems(registry.table, rule);
    costs.push(await costOfRule(stack, registry, rule, items, { fanOuts, itemBytes: 1024 }));
  }
  return costs;
}

/** The dollars of a million changes as Markdown: a rule a row, the worker before the usual handler. */
export function ruleCostTable(costs: readonly RuleCost[]): string {
  const lines = costs.map(({ rule, attribute, fanOuts: counted }) => {
    const cells = fanOuts.map((copies) => {
      const found = counted.find((one) => one.copies === copies);
      return found === undefined ? '' : `${dollars(found.worker)} (${dollars(found.usual)})`;
    });
    return `| \`${rule.name}\`, \`${attribute}\` | ${cells.join(' | ')} |`;
  });
  const heads = fanOuts.map((copies) => `${copies} ${copies === 1 ? 'copy' : 'copies'}`);
  return [
    `| rule, attribute that changes | ${heads.join(' | ')} |`,
    `|---|${'--:|'.repeat(fanOuts.length)}`,
    ...lines,
  ].join('\n');
}

/** The sentence of README.md. */
export function renameSentence(costs: readonly RuleCost[]): string {
  const found = costs
    .find(({ rule }) => rule.name === 'username-on-memberships')
    ?.fanOuts.find(({ copies }) => copies === 5);
  if (found === undefined) throw new Error('Expected the rule username-on-memberships with 5 copies');
  return `a million renames with 5 memberships of 1 KB each cost $${dollars(found.worker)}, with the usual handler $${dollars(found.usual)}`;
}

function dollars({ dollars: { total } }: ChangeCost): string {
  return total.toLocaleString('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 2 });
}
