import { type Command, Option } from 'commander';
import { stackSettings } from '../../deploy/stack-settings.ts';
import type { RuleCost } from '../../explain/cost/cost.ts';
import { DenormError } from '../../model/basics/errors.ts';
import type { Registry } from '../../model/rules/registry.ts';
import { writesNothing } from '../../model/rules/rule-attributes.ts';
import { exitCodes, UsageError } from '../errors.ts';
import { countsOption, itemSizeOption } from '../options/option-values.ts';
import { localRules, localSettings, type RulesOptions, withRules } from '../options/rules-in-force.ts';
import { withStage } from '../options/stage.ts';
import { project } from '../project.ts';
import { wantedStack } from '../template/project-templates.ts';
import { costJson, costText, type Uncounted } from './report.ts';

interface CostCommandOptions extends RulesOptions {
  readonly copies: readonly number[];
  readonly itemSize: number;
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
    .addOption(
      new Option('--item-size <size>', 'the size to which smaller items are padded, such as 700 or 4KB')
        .argParser(itemSizeOption)
        .default(1024, '1KB'),
    )
    .option('--json', 'one JSON object for machines')
    .addHelpText('after', helpAfter)
    .action(cost);
}

const helpAfter = `
The worker's own code runs on a model of the table, on items made from the key patterns, schemas and examples of the kinds, until
nothing is left to do; no table and no AWS are needed. Notes below the table say what is counted, what is assumed and what is left out. \`denorm explain\` says what
one change of one item of a real table costs.

Exits 1 if a rule could not be counted.

Examples:
  $ npx denorm cost author-on-posts --copies 10,1000 --item-size 4KB
  $ npx denorm cost --json | jq '.rules[] | {rule, fanOuts}'`;

async function cost(names: readonly string[], options: CostCommandOptions): Promise<void> {
  // Imported here, because other commands need no model of the table.
  const { costOf } = await import('../../explain/cost/cost.ts');
  const registry = await localRules(options);
  const { parameters } = await localSettings(options);
  const stack = stackSettings(wantedStack(await project(), parameters));
  const { rules, aggregates } = named(registry, names);
  const counted = { stack, registry, fanOuts: options.copies, itemBytes: options.itemSize };
  const costs: RuleCost[] = [];
  const failed: Uncounted[] = [];
  for (const rule of [...rules.filter((one) => !writesNothing(one)), ...aggregates])
    try {
      costs.push(await costOf(rule, counted));
    } catch (error) {
      if (!(error instanceof DenormError)) throw error;
      failed.push({ rule: rule.name, why: error.message });
    }
  const leftOut = rules
    .filter(writesNothing)
    .map(({ name }) => ({ rule: name, why: 'it only removes copies' }));
  const report = {
    costs,
    uncounted: [...failed, ...leftOut],
    windowSeconds: stack.Propagate.MaximumBatchingWindowInSeconds,
  };
  if (options.json) console.log(JSON.stringify(costJson(report), null, 2));
  else console.log(costText(report) || 'Nothing to count: no rule writes copies, and no aggregate totals');
  process.exitCode = failed.length > 0 ? exitCodes.failed : exitCodes.fine;
}

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
