import type { Command } from 'commander';
import { checkItems } from '../../check/check-items.ts';
import { checkProject } from '../../check/check-project.ts';
import { coverageLines, uncovered } from '../../check/coverage.ts';
import { type Finding, findings as findingsOf } from '../../check/finding.ts';
import { dollarsOfUnits, prices } from '../../explain/cost/prices.ts';
import { counted, visible } from '../../model/basics/text.ts';
import type { KeyedItem } from '../../model/items/item.ts';
import { countedKinds, KindCounter } from '../../model/rules/kind-counts.ts';
import type { Registry } from '../../model/rules/registry.ts';
import type { TableDescription } from '../../operate/adapters/dynamodb/describe-table.ts';
import { dynamoDbScan } from '../../worker/adapters/dynamodb/read-pages.ts';
import type { Budget } from '../../worker/budget.ts';
import type { ScanPort } from '../../worker/ports.ts';
import { scanTable, wholeTable } from '../../worker/scan/scan-table.ts';
import { exitCodes } from '../errors.ts';
import { lookAtExpiry } from '../options/expiry.ts';
import { countOption } from '../options/option-values.ts';
import {
  allRules,
  localRules,
  localSettings,
  type RulesOptions,
  rulesInForce,
  withRules,
} from '../options/rules-in-force.ts';
import {
  describedTable,
  openTableServices,
  type ServiceOptions,
  withTableOptions,
} from '../options/services.ts';
import { budgetOf, withUnits } from '../options/units.ts';
import { printSummary } from '../output/json.ts';
import { warn, withProgress } from '../output/terminal.ts';
import { strangersJson } from '../output/text.ts';
import { project } from '../project.ts';
import { type SampleSize, sampleItems } from '../sample-items.ts';
import { templateFindings } from './template-findings.ts';
import { typeErrors } from './type-errors.ts';

interface CheckOptions extends ServiceOptions, RulesOptions {
  readonly items: number | 'all';
  readonly rcu?: number;
  readonly types: boolean;
  readonly strict?: true;
  readonly json?: true;
}

export function checkCommand(command: Command): Command {
  return withUnits(withRules(withTableOptions(command)), 'rcu', 'read units per second of `--items all`')
    .option('--no-types', 'leaves out the compiler, which takes most of the time')
    .option('--items <number>', 'with a table: how many items to read, or `all`', itemsOption, 400)
    .option('--strict', 'with a table: items of no kind are findings, too')
    .option('--json', 'JSON for machines')
    .addHelpText('after', helpAfter)
    .action(check);
}

function itemsOption(text: string): number | 'all' {
  return text === 'all' ? text : countOption(text);
}

const helpAfter = `
Findings are about types (\`tsc --noEmit\` with the project's tsconfig.json), functions of rules, which are tried on generated
items and so must be pure, required attributes that rules clear, kinds with the same keys, an outdated template.yaml, missing
handlers and, with --table, --stack or --stage, items and TTL of the table. \`denorm dev\` makes the same checks when it starts.

Exits 1 if it finds anything, and 2, as every command, if a rule or the config is refused.
Required on AWS for a table: dynamodb:DescribeTable and Scan, with archive rules DescribeTimeToLive; with --stack also
cloudformation:DescribeStacks and lambda:GetFunctionConfiguration.

Examples:
  $ npx denorm check
  $ npx denorm check --stage prod
  $ npx denorm check --table app --items all --strict
  $ npx denorm check --json | jq -r '.summary.findings[].message'`;

async function check(options: CheckOptions): Promise<void> {
  const checked = await project();
  const settings = await localSettings(options);
  // Rules that are refused end every command in the same way.
  await localRules(options);
  const registry = await allRules(options);
  const types = options.types ? typeErrors(checked.folder) : undefined;
  if (types !== undefined && process.stderr.isTTY)
    warn('tsc checks the types, which takes most of the time; --no-types leaves them out');
  const sample = namesTable(options) ? await sampled(options) : undefined;
  const findings = [
    ...((await types) ?? []),
    ...checkProject(checked.config, settings),
    ...templateFindings(checked, settings.parameters),
    ...(sample?.findings ?? []),
  ];
  const table = sample && { table: sample.table, items: sample.items, expiry: sample.expiry };
  if (options.json)
    printSummary({
      checked: { ...checkedCounts(registry), template: true, types: options.types },
      findings,
      ...table,
      ...(sample && {
        kinds: { ...sample.counts, strangers: strangersJson(checked.config.table, sample.counts) },
      }),
    });
  else
    console.log(
      text(findings, sample, `${whatIsChecked(registry)}, ${options.types ? 'types' : 'no types'}`),
    );
  process.exitCode = findings.length === 0 ? exitCodes.fine : exitCodes.failed;
}

function namesTable({ table, stack, stage, endpoint }: ServiceOptions): boolean {
  return [table, stack, stage, endpoint].some((name) => name !== undefined);
}

/** Compares items of the table that the options name with the rules in force. */
async function sampled(options: CheckOptions) {
  const services = await openTableServices(options);
  try {
    const { registry } = await rulesInForce(services, options);
    const description = await describedTable(services, registry.table);
    const { tableName, connection } = services;
    const budget = budgetOf(options.rcu, services);
    const scan = dynamoDbScan({ client: connection.dynamoDb, tableName, table: registry.table });
    const { items, counts } =
      options.items === 'all'
        ? await everyItem(scan, registry, { ...description, tableName, budget })
        : await someItems(scan, registry, { items: options.items, ofAbout: description.items });
    const expiry = registry.archives.length === 0 ? undefined : await lookAtExpiry(services, registry.table);
    const findings = [
      ...findingsOf('table', 'TTL', [expiry?.fault]),
      ...checkItems(registry, items, counts),
      ...(options.strict ? uncovered(registry, counts) : []),
    ];
    return {
      table: tableName,
      items: items.length,
      counts,
      expiry: expiry?.seen,
      findings,
      lines: [...coverageLines(registry, counts), ...(expiry === undefined ? [] : [`table  ${expiry.text}`])],
    };
  } finally {
    services.close();
  }
}

async function someItems(scan: ScanPort, registry: Registry, size: SampleSize) {
  const items = await sampleItems(scan, size);
  return { items, counts: countedKinds(registry, items) };
}

/** Of a whole table, all items are counted, and so many are compared. */
const maxCompared = 2_000;

interface WholeTable extends Pick<TableDescription, 'items' | 'bytes'> {
  readonly tableName: string;
  readonly budget: Budget;
}

async function everyItem(
  scan: ScanPort,
  registry: Registry,
  { tableName, items: total, bytes, budget }: WholeTable,
) {
  // A unit reads 8 KB, eventually consistent. Source: AWS, "Read consistency".
  const readUnits = Math.max(1, Math.ceil(bytes / 8192));
  const dollars = dollarsOfUnits({ readUnits, writeUnits: 0 }).toFixed(4);
  warn(
    `reads all of table ${tableName}, by its last count ${counted(total, 'item')}: about ${counted(readUnits, 'unit')}, $${dollars} on demand in ${prices.region}, ${prices.of}`,
  );
  const counter = new KindCounter(registry);
  const items: KeyedItem[] = [];
  let read = 0;
  await withProgress({ label: 'check', unit: 'items', total }, (bar) =>
    scanTable({
      ...{ scan, point: wholeTable(8), concurrency: 4, budget },
      async visit(page) {
        counter.add(page);
        for (const item of page) {
          read += 1;
          // Each item is as likely as any other to be compared.
          const place = items.length < maxCompared ? items.length : Math.floor(Math.random() * read);
          if (place < maxCompared) items[place] = item;
        }
        bar.update(read);
      },
    }),
  );
  return { items, counts: counter.counts() };
}

/** What a check has looked at, whatever it has found. */
export function whatIsChecked(registry: Registry): string {
  const { rules, kinds } = checkedCounts(registry);
  return `${counted(rules, 'rule')}, ${counted(kinds, 'kind')}, template.yaml`;
}

function checkedCounts({ rules, aggregates, archives, kinds }: Registry) {
  return { rules: rules.length + aggregates.length + archives.length, kinds: kinds.length };
}

function text(
  findings: readonly Finding[],
  sampled: { readonly table: string; readonly items: number; readonly lines: readonly string[] } | undefined,
  what: string,
): string {
  const compared = sampled ? `, ${counted(sampled.items, 'item')} of table ${sampled.table}` : '';
  const summary = `checked ${what}${compared}: ${counted(findings.length, 'finding')}`;
  const found = findings.map(({ about, subject, message }) => `${about}  ${subject}  ${message}`);
  return [...found, ...(sampled?.lines ?? []), summary].map(visible).join('\n');
}
