import { type Command, Option } from 'commander';
import { stackSettings } from '../../deploy/stack-settings.ts';
import type { ChangeCost, RuleCost } from '../../explain/cost/cost.ts';
import { assumed, gbSeconds, prices } from '../../explain/cost/prices.ts';
import { describeLocation } from '../../explain/description.ts';
import { DenormError } from '../../model/basics/errors.ts';
import { counted, number } from '../../model/basics/text.ts';
import type { Registry } from '../../model/rules/registry.ts';
import type { Rule } from '../../model/rules/rule.ts';
import { writesNothing } from '../../model/rules/rule-attributes.ts';
import { exitCodes, UsageError } from '../errors.ts';
import { countsOption, itemSizeOption } from '../options/option-values.ts';
import { localRules, localSettings, type RulesOptions, withRules } from '../options/rules-in-force.ts';
import { withStage } from '../options/stage.ts';
import { printSummary } from '../output/json.ts';
import { tableOf } from '../output/table.ts';
import { styled } from '../output/terminal.ts';
import { paragraphs } from '../output/visible.ts';
import { project } from '../project.ts';
import { wantedStack } from '../template/project-templates.ts';

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
    .option('--json', 'JSON for machines')
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
  $ npx denorm cost --json | jq '.summary.rules[] | {rule, fanOuts}'`;

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
  const leftOut = rules.flatMap((rule) => {
    const why = neverChanges(rule);
    return why === undefined ? [] : [{ rule: rule.name, why }];
  });
  const isCounted = ({ name }: Rule) => !leftOut.some(({ rule }) => rule === name);
  for (const rule of [...rules.filter(isCounted), ...aggregates])
    try {
      costs.push(await costOf(rule, counted));
    } catch (error) {
      if (!(error instanceof DenormError)) throw error;
      failed.push({ rule: rule.name, why: error.message });
    }
  const report = {
    costs,
    uncounted: [...failed, ...leftOut],
    windowSeconds: stack.Propagate.MaximumBatchingWindowInSeconds,
  };
  if (options.json) printSummary(costJson(report));
  else console.log(costText(report) || 'Nothing to count: no rule writes copies, and no aggregate totals');
  process.exitCode = failed.length > 0 ? exitCodes.failed : exitCodes.fine;
}

/** Why no change of a root writes its copies. */
function neverChanges(rule: Rule): string | undefined {
  if (writesNothing(rule)) return 'it only removes copies';
  return rule.located.in === 'itself' && rule.reads.root.length === 0
    ? 'it reads ids alone, which never change: an item that lacks its keys is written once'
    : undefined;
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

interface Uncounted {
  readonly rule: string;
  readonly why: string;
}

interface CostReport {
  readonly costs: readonly RuleCost[];
  readonly uncounted: readonly Uncounted[];
  readonly windowSeconds: number;
}

function costJson({ costs, uncounted, windowSeconds }: CostReport) {
  return {
    prices,
    assumed,
    windowSeconds,
    rules: costs.map(({ rule, attributes, itemBytes, fanOuts, created }) => ({
      rule: rule.name,
      changes: attributes.map((attribute) => attribute ?? null),
      itemBytes,
      fanOuts: fanOuts.map(changeJson),
      ...(created !== undefined && { created: changeJson(created) }),
    })),
    uncounted,
  };
}

function changeJson({ fanOut, counts, dollars }: ChangeCost) {
  return { fanOut, ...counts, gbSeconds: gbSeconds(counts.milliseconds), dollarsOfAMillion: dollars };
}

function costText({ costs, uncounted, windowSeconds }: CostReport): string {
  const notes = [
    ...(costs.some(({ created }) => created !== undefined) ? [paragraphs(ofCreations)] : []),
    ...(costs.length === 0 ? [] : [paragraphs(footnotes(windowSeconds))]),
  ];
  const without = uncounted.map(({ rule, why }) => `${styled('bold', rule)}  not counted: ${why}`);
  return [...costs.map(tableText), ...without, ...notes].join('\n\n');
}

function tableText({ rule, attributes, itemBytes, fanOuts, created }: RuleCost): string {
  const rows = fanOuts.map((cost) => row(number(cost.fanOut), cost));
  if (created !== undefined) rows.push(row(`${number(created.fanOut)} created`, created));
  const changes = attributes.map((one) => (one === undefined ? 'a member is added' : `'${one}' changes`));
  const lines = [
    `${styled('bold', rule.name)}  ${described(rule)}`,
    `${changes.join(' or ')}; items of ${size(itemBytes)}`,
  ];
  const head = [
    ...[
      rule.is === 'aggregate' ? 'members' : 'copies',
      'requests',
      'read units',
      'write units',
      'SQS requests',
    ],
    ...['invocations', 'GB-s', '$ a million changes', 'of it writes'],
  ];
  return [...lines, tableOf(head, rows, ['GB-s', 'SQS requests', 'invocations'])].join('\n');
}

function described(rule: RuleCost['rule']): string {
  if (rule.is === 'aggregate')
    return `${rule.of.name} → ${rule.on.name}, ${rule.ledger ? 'by a ledger' : rule.members.map((location) => describeLocation(location)).join(', and ')}`;
  const to = rule.located.in === 'itself' ? 'the item itself' : rule.copy.name;
  return `${rule.root.name} → ${to}, ${describeLocation(rule.located)}`;
}

function row(label: string, { counts, dollars }: ChangeCost): string[] {
  return [
    label,
    ...[counts.requests, counts.readUnits, counts.writeUnits].map(number),
    ...[counts.sqsRequests, counts.invocations].map(number),
    gbSeconds(counts.milliseconds).toFixed(3),
    ...[dollars.total, dollars.writes].map(money),
  ];
}

function money(dollars: number): string {
  return dollars.toLocaleString('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 2 });
}

function size(bytes: number): string {
  return bytes < 1024 ? counted(bytes, 'byte') : `${number(bytes / 1024)} KB`;
}

const ofCreations = `A row of copies that are created is of a new root. The worker puts them in transactions, on condition that their keys are free
and that the root is as read: two units for each KB, and two for each KB of the root.`;

function footnotes(windowSeconds: number): string {
  return `Numbers are of one change of a root, alone: changes that come together share invocations and cost less. They contain the
worker's writes, the checks of these writes when they come back on the stream (batching window: ${windowSeconds} s), the recheck of
an index, and Archive where its filters pass the items. A handler of your own that reads nothing and checks nothing pays for the
writes all the same.

Left out: the application's own write of the root, the stream (free for Lambda), other rules on the same root, rules whose root is
a copy that is written, storage, alarms and metrics, replicas, retries, provisioned capacity and the free tier.
Prices: lists of ${prices.region}, on demand, ${prices.of}. Assumed: ${assumed.request} ms a request, ${assumed.invocation} ms an invocation besides, ${assumed.memoryMb} MB, ${assumed.copy} ms
of a core for each copy, and ${assumed.logBytes} bytes of logs an invocation.`;
}
