import { Command } from 'commander';
import { costOfRule, type RuleCost } from '../../cost/cost-of-rule.ts';
import { givenItems, type RuleItems } from '../../cost/rule-items.ts';
import { readTemplate } from '../../dev/template.ts';
import type { Registry } from '../../model/registry.ts';
import type { Rule } from '../../model/rule.ts';
import { UsageError } from '../errors.ts';
import { countsOption, itemSizeOption } from '../options/option-values.ts';
import { localRules, type RulesOptions, withRules } from '../options/rules-in-force.ts';
import { withStage } from '../options/stage.ts';
import { templateFile } from '../project.ts';
import { costJson } from './cost-json.ts';
import { costText } from './cost-text.ts';
import { readItemFile } from './read-items.ts';

interface CostCommandOptions extends RulesOptions {
  readonly copies: readonly number[];
  readonly itemSize?: number;
  readonly root?: string;
  readonly copy?: string;
  readonly json?: true;
}

export function costCommand(): Command {
  return withRules(withStage(new Command('cost')))
    .description(
      'Counts what a change of a root costs, for each rule: requests, capacity units, invocations, and US dollars for a million changes, beside the usual handler. Needs no table and no AWS.',
    )
    .argument('<rule>', 'the name of a rule')
    .option('--copies <numbers>', 'copies of a root, a table row for each number', countsOption, [1, 5, 500])
    .option(
      '--item-size <size>',
      'the size to which smaller items are padded, such as 700 or 4KB (default: as they are)',
      itemSizeOption,
    )
    .option('--root <file>', 'an item that is a root of the rule, as `aws dynamodb get-item` prints it')
    .option('--copy <file>', 'one of its copies. Others are made from it, with other ids in their keys')
    .option('--json', 'one JSON object for machines')
    .addHelpText('after', helpAfter)
    .action(cost);
}

const helpAfter = `
The worker's own code runs on a model of the table, with the batch size, batching window, lanes and filters of template.yaml.
Roots change one after another; what the worker asks of DynamoDB and SQS is counted until nothing is left to do, with the
checks of its own writes and the recheck of an index. The usual handler makes the same changes: a Query for the copies of a
changed root, and an UpdateItem for each.

Write units depend on what changes and on indexes: of the root's attributes, the one changes that costs least. An item
pays for each index whose two keys it has. \`denorm explain\` says what one change of one item of a table costs.

Time is assumed, not measured, and so is the price of Lambda: see the notes below the table. Units, requests, messages and
invocations are counted.

Examples:
  $ denorm cost author-on-posts --root author.json --copy post.json
  $ denorm cost author-on-posts --root author.json --copy post.json --copies 10,1000 --item-size 4KB
  $ denorm cost author-on-posts --root author.json --copy post.json --json | jq '.rules[0].fanOuts[].worker.dollarsOfAMillion'`;

async function cost(name: string, options: CostCommandOptions): Promise<void> {
  const registry = await localRules(options);
  const template = readTemplate(await templateFile());
  const rule = ruleNamed(registry, name);
  const items = await itemsOfFiles(registry, rule, options);
  const costs: RuleCost[] = [];
  const { copies: fanOuts, itemSize: itemBytes } = options;
  costs.push(await costOfRule(template, registry, rule, items, { fanOuts, itemBytes }));
  const { MaximumBatchingWindowInSeconds: window } = template.functions.Propagate.mapping;
  console.log(options.json ? JSON.stringify(costJson(costs, window), null, 2) : costText(costs, window));
}

function ruleNamed({ rules, rule }: Registry, name: string): Rule {
  const found = rule(name);
  if (found !== undefined) return found;
  const known = rules.map((one) => one.name).join(', ');
  throw new UsageError(
    'usage.rule',
    `Expected the name of a rule in force (${known || 'there is none'}), got '${name}'`,
  );
}

async function itemsOfFiles(
  { table }: Registry,
  rule: Rule,
  { root, copy }: CostCommandOptions,
): Promise<RuleItems> {
  const itself = rule.located.in === 'itself';
  if (root === undefined || (copy === undefined && !itself))
    throw new UsageError(
      'usage.items',
      `Expected --root with an item of kind ${rule.root.name}${itself ? '' : ` and --copy with one of its copies, of kind ${rule.copy.name}`}, got ${root === undefined ? 'no --root' : 'no --copy'}: name files with what \`aws dynamodb get-item\` prints`,
    );
  return givenItems(
    table,
    rule,
    await readItemFile(table, rule.root, root),
    copy === undefined || itself ? undefined : await readItemFile(table, rule.copy, copy),
  );
}
