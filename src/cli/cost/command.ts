import { type Command, Option } from 'commander';
import { stackSettings } from '../../deploy/stack-settings.ts';
import type { RuleCost } from '../../develop/cost/cost-of-rule.ts';
import type { RuleItems } from '../../develop/cost/rule-items.ts';
import { DenormError } from '../../model/errors.ts';
import type { Registry } from '../../model/registry.ts';
import type { Rule } from '../../model/rule.ts';
import { writesNothing } from '../../model/rule-attributes.ts';
import { exitCodes, UsageError } from '../errors.ts';
import { countsOption, itemSizeOption } from '../options/option-values.ts';
import { localRules, localSettings, type RulesOptions, withRules } from '../options/rules-in-force.ts';
import { withStage } from '../options/stage.ts';
import { project } from '../project.ts';
import { wantedStack } from '../template/project-templates.ts';
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

export function costCommand(command: Command): Command {
  return withRules(withStage(command))
    .argument('[rules...]', 'names of rules and aggregates (default: all in force)')
    .addOption(
      new Option(
        '--copies <numbers>',
        'copies of a root, or members of a target: a row of the table for each number',
      )
        .argParser(countsOption)
        .default([1, 5, 500], '1,5,500'),
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
The worker's own code runs on a model of the table, with the batch size, batching window, lanes and filters of the stack.
Roots change one after another; what the worker asks of DynamoDB and SQS is counted until nothing is left to do, with the
checks of its own writes and the recheck of an index. No table and no account is needed.

Roots and copies are made from the key patterns and schemas of the kinds, or from your own items with --root and --copy. Of
the root's attributes, the one changes that costs least. An item pays for each index whose two keys its schema lists: a
change of such a key costs up to three units instead of two. A rule that finds its copy by key has one, whatever --copies
says, and a rule with a list of keys has those that its root names. A rule that creates copies has one row more: a new root, whose
copies are made; one that only removes copies is left out. \`denorm explain\` says what one change of one item of a real table
costs.

Of an aggregate, a member of one target changes, and the worker reads all members: at once, as the check of the total that it wrote,
and, if an index finds members, once more after a minute.

Units, requests, messages and invocations are counted; the time of Lambda is assumed. Notes below the table say how, which
prices are meant, and what is left out.

Exits 1 if a rule could not be counted.

Examples:
  $ denorm cost
  $ denorm cost author-on-posts --copies 10,1000 --item-size 4KB
  $ denorm cost author-on-posts --root author.json --copy post.json
  $ denorm cost --copies 100 --json | jq '.rules[] | {rule, dollars: .fanOuts[0].dollarsOfAMillion.total}'`;

async function cost(names: readonly string[], options: CostCommandOptions): Promise<void> {
  // Imported here, because other commands need neither the model of the table nor the telemetry of the functions.
  const { costOfRule } = await import('../../develop/cost/cost-of-rule.ts');
  const { costOfAggregate } = await import('../../develop/cost/cost-of-aggregate.ts');
  const registry = await localRules(options);
  const { parameters } = await localSettings(options);
  const stack = stackSettings(wantedStack(await project(), parameters));
  const { rules: all, aggregates } = named(registry, names);
  const rules = all.filter((rule) => !writesNothing(rule));
  const given = options.root !== undefined || options.copy !== undefined;
  if (given && aggregates.length > 0 && names.length > 0) refuseItems(aggregates.length + rules.length);
  const counted = { fanOuts: options.copies, itemBytes: options.itemSize ?? (given ? undefined : 1024) };
  const costs: RuleCost[] = [];
  const failed: Uncounted[] = [];
  for (const rule of [...rules, ...(given ? [] : aggregates)])
    try {
      if ('computes' in rule) costs.push(await costOfAggregate(stack, registry, rule, counted));
      else {
        const items = given ? await itemsOfFiles(registry, rules, options) : await madeItems(registry, rule);
        costs.push(await costOfRule(stack, registry, rule, items, counted));
      }
    } catch (error) {
      if (!(error instanceof DenormError) || error instanceof UsageError) throw error;
      failed.push({ rule: rule.name, why: error.message });
    }
  const leftOut = all
    .filter(writesNothing)
    .map(({ name }) => ({ rule: name, why: 'it only removes copies' }));
  const uncounted = [...failed, ...leftOut];
  const { MaximumBatchingWindowInSeconds: window } = stack.Propagate;
  console.log(
    options.json
      ? JSON.stringify(costJson(costs, uncounted, window), null, 2)
      : costText(costs, uncounted, window),
  );
  process.exitCode = failed.length > 0 ? exitCodes.failed : exitCodes.fine;
}

/** The rules and aggregates of these names; all if there are no names. */
function named({ rules, aggregates }: Registry, names: readonly string[]) {
  const all = [...rules, ...aggregates].map(({ name }) => name);
  const unknown = names.find((name) => !all.includes(name));
  if (unknown !== undefined)
    throw new UsageError(
      'usage.rule',
      `Expected the name of a rule in force (${all.join(', ') || 'there is none'}), got '${unknown}'`,
    );
  const wanted = ({ name }: { readonly name: string }) => names.length === 0 || names.includes(name);
  return { rules: rules.filter(wanted), aggregates: aggregates.filter(wanted) };
}

async function madeItems({ table }: Registry, rule: Rule): Promise<RuleItems> {
  const { generatedItems } = await import('../../develop/cost/generated-items.ts');
  return generatedItems(table, rule);
}

function refuseItems(rules: number): never {
  throw new UsageError(
    'usage.items',
    `Expected --root and --copy with one rule, whose items they are, got ${rules} rules: name one rule`,
  );
}

async function itemsOfFiles(
  { table }: Registry,
  [rule, ...others]: readonly Rule[],
  { root, copy }: CostCommandOptions,
): Promise<RuleItems> {
  if (rule === undefined || others.length > 0) refuseItems(others.length + 1);
  const itself = rule.located.in === 'itself';
  if (root === undefined || (copy === undefined && !itself))
    throw new UsageError(
      'usage.items',
      `Expected --root with an item of kind ${rule.root.name}${itself ? '' : ` and --copy with one of its copies, of kind ${rule.copy.name}`}, got ${root === undefined ? 'no --root' : 'no --copy'}: name both, or neither to count made items`,
    );
  const { givenItems } = await import('../../develop/cost/rule-items.ts');
  return givenItems(
    table,
    rule,
    await readItemFile(table, rule.root, root),
    copy === undefined || itself ? undefined : await readItemFile(table, rule.copy, copy),
  );
}
