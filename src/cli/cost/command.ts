import { Command } from 'commander';
import type { RuleCost } from '../../cost/cost-of-rule.ts';
import type { RuleItems } from '../../cost/rule-items.ts';
import { readTemplate } from '../../dev/template.ts';
import { DenormError } from '../../model/errors.ts';
import type { Registry } from '../../model/registry.ts';
import type { Rule } from '../../model/rule.ts';
import { exitCodes, UsageError } from '../errors.ts';
import { countsOption, itemSizeOption } from '../options/option-values.ts';
import { localRules, type RulesOptions, withRules } from '../options/rules-in-force.ts';
import { withStage } from '../options/stage.ts';
import { templateFile } from '../project.ts';
import { costJson } from './cost-json.ts';
import { costText, type Uncounted } from './cost-text.ts';
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
    .argument('[rules...]', 'names of rules (default: all rules in force)')
    .option(
      '--copies <numbers>',
      'copies of a root: a row of the table for each number',
      countsOption,
      [1, 5, 500],
    )
    .option(
      '--item-size <size>',
      'the size to which smaller items are padded, such as 700 or 4KB (default: 1KB; as they are with --root)',
      itemSizeOption,
    )
    .option('--root <file>', 'for one rule: an item that is its root, as `aws dynamodb get-item` prints it')
    .option('--copy <file>', 'and a copy of that root. Others are made from it, with other ids in their keys')
    .option('--json', 'one JSON object for machines')
    .addHelpText('after', helpAfter)
    .action(cost);
}

const helpAfter = `
The worker's own code runs on a model of the table, with the batch size, batching window, lanes and filters of template.yaml.
Roots change one after another; what the worker asks of DynamoDB and SQS is counted until nothing is left to do, with the
checks of its own writes and the recheck of an index. The usual handler makes the same changes: a Query for the copies of a
changed root, and an UpdateItem for each. No table and no account is needed.

Roots and copies are made from the key patterns and schemas of the kinds, or from your own items with --root and --copy. Of
the root's attributes, the one changes that costs least. An item pays for each index whose two keys its schema lists: a
change of such a key costs up to three units instead of two. A rule that finds its copy by key has one, whatever --copies
says. \`denorm explain\` says what one change of one item of a real table costs.

Units, requests, messages and invocations are counted; the time of Lambda is assumed. Notes below the table say how, which
prices are meant, and what is left out.

Exits 1 if a rule could not be counted.

Examples:
  $ denorm cost
  $ denorm cost author-on-posts --copies 10,1000 --item-size 4KB
  $ denorm cost author-on-posts --root author.json --copy post.json
  $ denorm cost --copies 100 --json | jq '.rules[] | {rule, dollars: .fanOuts[0].worker.dollarsOfAMillion.total}'`;

async function cost(names: readonly string[], options: CostCommandOptions): Promise<void> {
  // Imported here, because other commands need neither the model of the table nor the telemetry of the functions.
  const { costOfRule } = await import('../../cost/cost-of-rule.ts');
  const registry = await localRules(options);
  const template = readTemplate(await templateFile());
  const rules = names.length === 0 ? registry.rules : names.map((name) => ruleNamed(registry, name));
  const given = options.root !== undefined || options.copy !== undefined;
  const itemBytes = options.itemSize ?? (given ? undefined : 1024);
  const costs: RuleCost[] = [];
  const uncounted: Uncounted[] = [];
  for (const rule of rules)
    try {
      const items = given ? await itemsOfFiles(registry, rules, options) : await madeItems(registry, rule);
      costs.push(await costOfRule(template, registry, rule, items, { fanOuts: options.copies, itemBytes }));
    } catch (error) {
      if (!(error instanceof DenormError) || error instanceof UsageError) throw error;
      uncounted.push({ rule: rule.name, why: error.message });
    }
  const { MaximumBatchingWindowInSeconds: window } = template.functions.Propagate.mapping;
  console.log(
    options.json
      ? JSON.stringify(costJson(costs, uncounted, window), null, 2)
      : costText(costs, uncounted, window),
  );
  process.exitCode = uncounted.length > 0 ? exitCodes.failed : exitCodes.fine;
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

async function madeItems({ table }: Registry, rule: Rule): Promise<RuleItems> {
  const { generatedItems } = await import('../../cost/generated-items.ts');
  return generatedItems(table, rule);
}

async function itemsOfFiles(
  { table }: Registry,
  [rule, ...others]: readonly Rule[],
  { root, copy }: CostCommandOptions,
): Promise<RuleItems> {
  if (rule === undefined || others.length > 0)
    throw new UsageError(
      'usage.items',
      `Expected --root and --copy with one rule, whose items they are, got ${others.length + 1} rules: name one rule`,
    );
  const itself = rule.located.in === 'itself';
  if (root === undefined || (copy === undefined && !itself))
    throw new UsageError(
      'usage.items',
      `Expected --root with an item of kind ${rule.root.name}${itself ? '' : ` and --copy with one of its copies, of kind ${rule.copy.name}`}, got ${root === undefined ? 'no --root' : 'no --copy'}: name both, or neither to count made items`,
    );
  const { givenItems } = await import('../../cost/rule-items.ts');
  return givenItems(
    table,
    rule,
    await readItemFile(table, rule.root, root),
    copy === undefined || itself ? undefined : await readItemFile(table, rule.copy, copy),
  );
}
