import type { Command } from 'commander';
import { checkItems } from '../../check/check-items.ts';
import { checkProject } from '../../check/check-project.ts';
import type { Finding } from '../../check/finding.ts';
import { counted, visible } from '../../model/basics/text.ts';
import type { KeyedItem } from '../../model/items/item.ts';
import { dynamoDbScan } from '../../worker/adapters/dynamodb/read-pages.ts';
import type { ScanPort } from '../../worker/ports.ts';
import { exitCodes } from '../errors.ts';
import { countOption } from '../options/option-values.ts';
import {
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
import { printJson } from '../output/terminal.ts';
import { project } from '../project.ts';
import { templateFindings } from './template-findings.ts';
import { typeErrors } from './type-errors.ts';

interface CheckOptions extends ServiceOptions, RulesOptions {
  readonly items: number;
  readonly types: boolean;
  readonly json?: true;
}

export function checkCommand(command: Command): Command {
  return withRules(withTableOptions(command))
    .option('--no-types', 'leaves out the compiler, which takes most of the time')
    .option('--items <number>', 'with a table: how many items to read', countOption, 400)
    .option('--json', 'one JSON object for machines')
    .addHelpText('after', helpAfter)
    .action(check);
}

const helpAfter = `
Findings are about types (\`tsc --noEmit\` with the project's tsconfig.json), functions of rules, which are tried on generated
items and so must be pure, kinds with the same keys, an outdated template.yaml, missing handlers and, with --table, --stack or
--stage, items of the table. \`denorm dev\` makes the same checks when it starts.

Exits 1 if it finds anything, and 2, as every command, if a rule or the config is refused.
Required on AWS for a table: dynamodb:DescribeTable and Scan; with --stack also cloudformation:DescribeStacks and
lambda:GetFunctionConfiguration.

Examples:
  $ npx denorm check
  $ npx denorm check --stage prod
  $ npx denorm check --json | jq -r '.findings[].message'`;

async function check(options: CheckOptions): Promise<void> {
  const checked = await project();
  const settings = await localSettings(options);
  // Rules that are refused end every command in the same way.
  await localRules(options);
  const types = options.types ? typeErrors(checked.folder) : undefined;
  const sample = namesTable(options) ? await sampled(options) : undefined;
  const findings = [
    ...((await types) ?? []),
    ...checkProject(checked.config, settings),
    ...templateFindings(checked, settings.parameters),
    ...(sample?.findings ?? []),
  ];
  const table = sample && { table: sample.table, items: sample.items };
  if (options.json) printJson({ findings, ...table });
  else console.log(text(findings, table));
  process.exitCode = findings.length === 0 ? exitCodes.fine : exitCodes.failed;
}

function namesTable({ table, stack, stage, endpoint }: ServiceOptions): boolean {
  return [table, stack, stage, endpoint].some((name) => name !== undefined);
}

/** Compares a few hundred items of the table that the options name with the rules in force. */
async function sampled(options: CheckOptions) {
  const services = await openTableServices(options);
  try {
    const { registry } = await rulesInForce(services, options);
    await describedTable(services, registry.table);
    const { tableName, connection } = services;
    const scan = dynamoDbScan({ client: connection.dynamoDb, tableName, table: registry.table });
    const items = await sampleItems(scan, options.items);
    const findings = checkItems(registry, items);
    return { table: tableName, items: items.length, findings };
  } finally {
    services.close();
  }
}

function text(
  findings: readonly Finding[],
  sampled: { readonly table: string; readonly items: number } | undefined,
): string {
  const compared = sampled && `, ${counted(sampled.items, 'item')} of table ${sampled.table} compared`;
  const summary = `${counted(findings.length, 'finding')}${compared ?? ''}`;
  const lines = findings.map(({ about, subject, message }) => visible(`${about}  ${subject}  ${message}`));
  return [...lines, summary].join('\n');
}

/** A sample has a page of each of these segments: items from all over the table. */
const segments = 8;

export async function sampleItems(scan: ScanPort, count: number): Promise<readonly KeyedItem[]> {
  const items: KeyedItem[] = [];
  for (let index = 0; index < segments && items.length < count; index += 1)
    items.push(...(await scan.scan({ index, of: segments }, Math.ceil(count / segments))).entries);
  return items;
}
