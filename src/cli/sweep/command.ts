import { randomBytes } from 'node:crypto';
import type { Command } from 'commander';
import { dynamoDbScan } from '../../worker/adapters/dynamodb/read-pages.ts';
import { systemClock } from '../../worker/adapters/system-clock.ts';
import type { AgingRule } from '../../worker/archive/sweep/aging.ts';
import { type SweepOptions, sweep } from '../../worker/archive/sweep/sweep.ts';
import type { SweepReport, Unclassified } from '../../worker/archive/sweep/sweep-context.ts';
import { sweepOutcomes } from '../../worker/archive/sweep/sweep-tally.ts';
import { Budget } from '../../worker/scan/budget.ts';
import { exitCodes } from '../errors.ts';
import { type ArchiveOptions, openArchive, withArchive } from '../options/archive.ts';
import { unitsOption } from '../options/option-values.ts';
import { type RulesOptions, withRules } from '../options/rules-in-force.ts';
import { describeWhere, type WhereOptions, withOpenWhere, withWhere } from '../options/where.ts';
import { type Entry, Listing } from '../output/listing.ts';
import { type Progress, progressBar, styled, tableOf } from '../output/terminal.ts';
import { keyAsJson, keyJson, number } from '../output/text.ts';
import { visible } from '../output/visible.ts';
import { agingInForce, agingRules } from './aging-in-force.ts';

interface Options extends WhereOptions, ArchiveOptions, RulesOptions {
  readonly rule?: string;
  readonly rcu: number;
  readonly dryRun?: true;
  readonly json?: true;
}

export function sweepCommand(command: Command): Command {
  return withRules(withArchive(withWhere(command)))
    .option('--rule <name>', 'only items of this archive rule')
    .option('--rcu <units>', 'read units per second, or `unlimited`', unitsOption, 100)
    .option('--dry-run', 'counts the items of a whole pass, and writes nothing')
    .option('--json', 'JSON lines for machines: one for each unclassified item, then a summary')
    .addHelpText('after', helpAfter)
    .action(runSweep);
}

const helpAfter = `
What a sweep does, its outcomes and costs: docs/deploy.md#let-finished-items-expire. The next run, by this command or by the deployed
function, continues where the last one stopped. Exits 1 if the sweep is stopped or finds unclassified items.`;

async function runSweep(options: Options): Promise<void> {
  const bars = new Bars();
  await withOpenWhere(options, async (where, { asked: stop }) => {
    const { tableName, connection } = where;
    const { registry, storageClass } = await agingInForce(where, options);
    const rules = agingRules(registry, options.rule);
    const { archive, notes, name } = await openArchive(options, where, storageClass);
    const { items } = await describeWhere(where, registry.table);
    const location = { client: connection.dynamoDb, tableName, table: registry.table };
    const listing = new Listing(options.json === true);
    const asked: SweepOptions = {
      tableName,
      rules: rules.map((rule) => rule.name),
      dryRun: options.dryRun === true,
      onPage: (report) => bars.show(report, rules, items),
    };
    const reports = await sweep(
      {
        ...{ registry, archive, notes, table: where.table, clock: systemClock, stop },
        scan: dynamoDbScan(location),
        reads: new Budget(options.rcu, systemClock),
        nonce: () => randomBytes(8),
        telemetry: {
          swept: () => {},
          failed: () => {},
          unclassified: (item) => listing.add('unclassified items', unclassifiedEntry(item)),
        },
      },
      asked,
    );
    bars.stop();
    tell(reports, options, { table: tableName, archive: name });
    const stopped = stop() && !reports.every(({ finished }) => finished);
    if (stopped || reports.length < rules.length) sayStopped(options);
    process.exitCode = isFine(reports, rules) ? exitCodes.fine : exitCodes.failed;
  }).finally(() => bars.stop());
}

function tell(
  reports: readonly SweepReport[],
  { json, dryRun }: Options,
  where: { readonly table: string; readonly archive: string },
): void {
  if (json) {
    console.log(sweepJson(reports, where));
    return;
  }
  if (reports.some(({ kinds }) => Object.keys(kinds).length > 0))
    console.log(sweepTable(reports, dryRun === true));
  else console.log('no finished items');
  for (const report of reports) console.log(sweepLine(report, dryRun === true));
}

function sayStopped({ dryRun }: Options): void {
  console.error(
    dryRun
      ? 'denorm: stopped before the end; a dry run saves no position'
      : 'denorm: stopped before the end; the same command, or the deployed function, continues there',
  );
}

function isFine(reports: readonly SweepReport[], rules: readonly AgingRule[]): boolean {
  const unclassified = reports.some(({ kinds }) =>
    Object.values(kinds).some((counts) => counts.unclassified > 0),
  );
  return reports.length === rules.length && reports.every(({ finished }) => finished) && !unclassified;
}

/** Shows a progress bar for the current rule. */
class Bars {
  private bar: Progress | undefined;
  private rule: string | undefined;

  show({ rule, looked, kinds }: SweepReport, rules: readonly AgingRule[], items: number): void {
    if (rule !== this.rule) this.stop();
    const scans = rules.find(({ name }) => name === rule)?.ages.found.in === 'scan';
    this.bar ??= progressBar({ label: `sweep ${rule}`, unit: 'items', ...(scans && { total: items }) });
    this.rule = rule;
    const swept = Object.values(kinds).reduce((sum, counts) => sum + counts.swept, 0);
    this.bar.update(looked, `${number(swept)} swept`);
  }

  stop(): void {
    this.bar?.stop();
    this.bar = undefined;
  }
}

/** A table of outcomes by rule and kind. */
function sweepTable(reports: readonly SweepReport[], dryRun: boolean): string {
  const rows = reports.flatMap(({ rule, kinds }) =>
    Object.entries(kinds).map(([kind, counts]) => [
      rule,
      kind,
      number(sweepOutcomes.reduce((sum, outcome) => sum + counts[outcome], 0)),
      ...sweepOutcomes.map((outcome) => (counts[outcome] === 0 ? '' : number(counts[outcome]))),
    ]),
  );
  const names = sweepOutcomes.map((outcome) => (dryRun && outcome === 'swept' ? 'to sweep' : outcome));
  return tableOf(['rule', 'kind', 'found', ...names], rows);
}

/** One line per rule: number of items examined, cost, and whether the sweep was complete. */
function sweepLine(report: SweepReport, dryRun: boolean): string {
  const { rule, looked, stored, readUnits, writeUnits, finished, started } = report;
  const written = dryRun ? '' : `, ${number(stored)} archived, ${number(writeUnits)} write units`;
  const end = finished
    ? 'finished'
    : `not finished, started ${new Date(started).toISOString()}: the next run continues there`;
  return `${rule}: ${number(looked)} read, ${number(readUnits)} read units${written}; ${dryRun && !finished ? 'not finished' : end}`;
}

function unclassifiedEntry({ key, ...item }: Unclassified): Entry {
  const { rule, code, reason } = item;
  return {
    json: () => ({ unclassified: { ...item, key: keyAsJson(key) } }),
    text: () => `${styled('yellow', 'unclassified')}  ${rule}  ${keyJson(key)}  ${code}: ${visible(reason)}`,
  };
}

/** The summary, as one line of JSON. */
function sweepJson(
  reports: readonly SweepReport[],
  where: { readonly table: string; readonly archive: string },
): string {
  const rules = reports.map(({ started, at, readUnits, writeUnits, ...report }) => ({
    ...report,
    readUnits: Math.round(readUnits),
    writeUnits: Math.round(writeUnits),
    started: new Date(started).toISOString(),
    at: new Date(at).toISOString(),
  }));
  return JSON.stringify({
    summary: { ...where, finished: reports.every(({ finished }) => finished), rules },
  });
}
