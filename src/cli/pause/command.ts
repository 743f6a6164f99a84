import type { Command } from 'commander';
import { keyAttributes } from '../../model/items/item.ts';
import { isOfKind } from '../../model/kinds/kind.ts';
import { type Pauses, pausesKey } from '../../model/rules/pauses.ts';
import { isInForce, type Registry } from '../../model/rules/registry.ts';
import { pauseRule, resumeRule } from '../../operate/adapters/dynamodb/pauses.ts';
import { freshForMs, readPauses } from '../../worker/pauses.ts';
import { exitCodes, UsageError } from '../errors.ts';
import { allRules, unknownRule } from '../options/rules-in-force.ts';
import { describedTable, type ServiceOptions, usingTable, withTableOptions } from '../options/services.ts';
import { printSummary } from '../output/json.ts';
import { resumeCommandOn } from '../output/next-command.ts';
import { tableOf } from '../output/table.ts';
import { say } from '../output/terminal.ts';
import { timeText } from '../output/text.ts';

interface PauseOptions extends ServiceOptions {
  readonly rule?: string;
  readonly json?: true;
}

export function pauseCommand(command: Command): Command {
  return withTableOptions(command)
    .option('--rule <name>', 'the rule or aggregate to pause (default: none, prints what is paused)')
    .option('--json', 'JSON for machines')
    .addHelpText('after', helpAfter)
    .action((options: PauseOptions) => run(options, pause));
}

export function resumeCommand(command: Command): Command {
  return withTableOptions(command)
    .requiredOption('--rule <name>', 'the rule or aggregate whose pause ends; required')
    .option('--json', 'JSON for machines')
    .action((options: PauseOptions) => run(options, resume));
}

const helpAfter = `
A paused rule begins nothing, from ${freshForMs / 1000} seconds after this command on; what an invocation has begun may take a minute
more. What matches it waits in the fan-out queue, over deployments too, and arrives within 15 minutes after \`denorm resume\`. What it
costs, and what is not held: docs/deploy.md#pause-a-rule.

Required on AWS: dynamodb:DescribeTable, GetItem and UpdateItem on the table; with --stack also cloudformation:DescribeStacks.`;

/** The sentence that says what was done, and what is paused then. */
interface Done {
  readonly text: string;
  readonly paused: Pauses;
}

interface Pausing {
  readonly location: Parameters<typeof pauseRule>[0];
  readonly registry: Registry;
  readonly paused: Pauses;
  readonly rule: string | undefined;
  /** The command that ends a pause, to paste. */
  readonly toResume: (rule: string) => string;
}

async function run(
  { rule, json, ...options }: PauseOptions,
  change: (pausing: Pausing) => Promise<Done>,
): Promise<void> {
  await usingTable(options, async (services) => {
    const { connection, tableName, table: port } = services;
    const registry = await allRules(options);
    const { table } = registry;
    await describedTable(services, table);
    const location = { client: connection.dynamoDb, tableName, table };
    requirePlace(registry);
    const { text, paused } = await change({
      location,
      registry,
      paused: await readPauses(port, table),
      rule,
      toResume: (name) => `$ ${resumeCommandOn(name, options)}`,
    });
    if (json) printSummary({ table: tableName, paused: Object.fromEntries(paused) });
    else for (const line of text.split('\n')) say(line);
    process.exitCode = exitCodes.fine;
  });
}

async function pause({ location, registry, paused, rule, toResume }: Pausing): Promise<Done> {
  if (rule === undefined) {
    const rows = [...paused];
    const gone = rows.flatMap(([name]) => (isInForce(registry, name) ? [] : [name]));
    const lines = gone.flatMap((name) => [
      `no rule is called ${name}: its messages wait, and this lets them be dead-lettered:`,
      toResume(name),
    ]);
    const text = rows.length === 0 ? 'nothing is paused' : tableOf(['rule', 'paused since'], rows);
    return { text: [text, ...lines].join('\n'), paused };
  }
  requireKnown(registry, rule);
  const then = (await pauseRule(location, rule, timeText(Date.now()))) ?? paused;
  const before = paused.has(rule) ? 'was paused already, since' : 'is paused since';
  const text = `${rule} ${before} ${then.get(rule)}: what matches it waits in the fan-out queue, until this:`;
  return { text: `${text}\n${toResume(rule)}`, paused: then };
}

async function resume({ location, registry, paused, rule = '' }: Pausing): Promise<Done> {
  if (!paused.has(rule)) requireKnown(registry, rule);
  const before = (await resumeRule(location, rule)) ?? paused;
  const since = before.get(rule);
  const left = new Map([...before].filter(([name]) => name !== rule));
  if (since === undefined) return { text: `${rule} was not paused`, paused: left };
  const text = `${rule} goes on: it was paused since ${since}, and what waited arrives within 15 minutes`;
  return { text, paused: left };
}

/** @throws UsageError `usage.rule` */
function requireKnown(registry: Registry, name: string): void {
  if (!isInForce(registry, name)) throw unknownRule(name, [...registry.rules, ...registry.aggregates]);
}

/** @throws UsageError `usage.pause` if the table has no key for pauses that is free for sure */
function requirePlace({ table, kinds }: Registry): void {
  const key = pausesKey(table);
  if (key === undefined)
    throw new UsageError(
      'usage.pause',
      'Expected a table whose partition key is text, which has a key for pauses, found a number: switch the rule off by DisabledRules, and backfill it afterward',
    );
  const taker = kinds.find((kind) => isOfKind(kind, keyAttributes(table, key)));
  if (taker === undefined) return;
  throw new UsageError(
    'usage.pause',
    `Expected no kind to fit the key of pauses, '${key.pk}', found ${taker.name}: give it a type, or a pk that begins with a text of its own`,
  );
}
