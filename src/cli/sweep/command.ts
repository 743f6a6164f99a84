import { randomBytes } from 'node:crypto';
import type { Command } from 'commander';
import { counted, number, visible } from '../../model/basics/text.ts';
import type { KeyNames, TableNames } from '../../model/items/table-names.ts';
import type { Registry } from '../../model/rules/registry.ts';
import { dynamoDbScan } from '../../worker/adapters/dynamodb/read-pages.ts';
import { systemClock } from '../../worker/adapters/system-clock.ts';
import { ages } from '../../worker/archive/sweep/aging.ts';
import { sweep } from '../../worker/archive/sweep/sweep.ts';
import {
  type SweepReport,
  sweepOutcomes,
  type Unclassified,
} from '../../worker/archive/sweep/sweep-context.ts';
import { reportedWork, UsageError } from '../errors.ts';
import { type ArchiveOptions, openArchive, withArchive } from '../options/archive.ts';
import { type ConsentOptions, requireConsent, withConsent } from '../options/consent.ts';
import { lookAtExpiry } from '../options/expiry.ts';
import {
  type RulesInForce,
  type RulesOptions,
  type RulesServices,
  rulesInForce,
  withRules,
} from '../options/rules-in-force.ts';
import {
  describedTable,
  type ServiceOptions,
  type TableServices,
  usingTable,
  withTableOptions,
} from '../options/services.ts';
import { budgetOf, withUnits } from '../options/units.ts';
import { closingLine, countsText, leftText } from '../output/closing-line.ts';
import { printSummary } from '../output/json.ts';
import { type ListingEntry, listing } from '../output/listing.ts';
import { nextCommand, type PlaceOptions, typedCommand } from '../output/next-command.ts';
import { tableOf } from '../output/table.ts';
import { styled, warn, withProgress } from '../output/terminal.ts';
import { keyJson, namedKey, timeText } from '../output/text.ts';

interface Options extends ServiceOptions, ArchiveOptions, RulesOptions, ConsentOptions {
  readonly rule?: string;
  readonly rcu?: number;
  readonly dryRun?: boolean;
  readonly json?: boolean;
}

export function sweepCommand(command: Command): Command {
  return withUnits(withConsent(withRules(withArchive(withTableOptions(command)))), 'rcu')
    .option('--rule <name>', 'only items of this archive rule')
    .option('--dry-run', 'counts the items of a whole pass, and writes nothing')
    .option('--json', 'JSON lines for machines: one for each unclassified item, then a summary')
    .addHelpText('after', helpAfter)
    .action(runSweep);
}

const helpAfter = `
What a sweep does, its outcomes and costs: docs/deploy.md#let-finished-items-expire. The next run, by this command or by the deployed
function, continues where the last one stopped. Exits 1 if the sweep is stopped, finds unclassified items, or the table's
items do not expire by what it writes.`;

async function runSweep({ json = false, dryRun = false, ...options }: Options): Promise<void> {
  await usingTable(options, async (services, { stop }) => {
    const { tableName, connection } = services;
    const { registry, storageClass } = await agingInForce(services, options);
    const rules = agingRules(registry, options.rule);
    const { archive, notes, name } = await openArchive(options, services, storageClass);
    if (!dryRun)
      await requireConsent(
        options,
        `it gives finished items of ${tableName} an expiry, at which DynamoDB deletes them`,
        'look with --dry-run',
      );
    await describedTable(services, registry.table);
    const expiryFault = await expiryFaultOf(services, registry.table);
    if (expiryFault !== undefined) warn(expiryFault);
    const { add, printGroups } = listing(json);
    const began = systemClock.now();
    const swept: SweepReport[] = [];
    let reports: readonly SweepReport[] = swept;
    const context = {
      registry,
      archive,
      notes,
      table: services.table,
      clock: systemClock,
      stop,
      scan: dynamoDbScan({ client: connection.dynamoDb, tableName, table: registry.table }),
      reads: budgetOf(options.rcu, services),
      nonce: () => randomBytes(8),
      telemetry: {
        swept: (report: SweepReport) => void swept.push(report),
        failed: () => {},
        unclassified: (item: Unclassified) => add(unclassifiedEntry(registry.table, item, options)),
      },
    };
    const work = () =>
      withProgress({ label: 'sweep', unit: 'items' }, async (bar) => {
        const onPage = ({ looked, rule }: SweepReport) => bar.update(looked, `read for ${rule}`);
        reports = await sweep(context, { tableName, rules, dryRun, onPage });
      });
    const report = async () => {
      const finished = reports.length === rules.length && reports.every((report) => report.finished);
      const fault = faultOf(finished, countsOf(reports).unclassified, expiryFault !== undefined);
      await printGroups();
      if (json) printSummary(sweepJson(reports, { table: tableName, archive: name, finished }));
      else for (const line of sweepText(reports, { dryRun, began, finished, fault })) console.log(line);
      if (!finished)
        warn(
          dryRun
            ? 'stopped before the end; a dry run saves no position'
            : 'stopped before the end; the same command, or the deployed function, continues there',
        );
      return fault === undefined;
    };
    await reportedWork(work, report, () => swept.length === 0);
  });
}

/** Why the exit code is 1. */
function faultOf(finished: boolean, unclassified: number, expiresOtherwise: boolean): string | undefined {
  if (!finished) return 'it has not come to its end';
  if (unclassified > 0) return 'something is unclassified';
  return expiresOtherwise ? 'no item expires by what it writes' : undefined;
}

/** Why items do not expire by what a sweep gives them. `denorm dev` and emulators expire items with TTL off, or never. */
async function expiryFaultOf(services: TableServices, table: TableNames): Promise<string | undefined> {
  const { seen, text, fault } = await lookAtExpiry(services, table);
  if (seen.unseen !== undefined) warn(text);
  else if (seen.attribute === undefined && !services.isLocal)
    return `Expected the items of table ${services.tableName} to expire by ${table.ttl}, found TTL off: turn it on`;
  return fault;
}

/** As {@link rulesInForce}, of the Sweep function: a shorter retention would expire items too early. */
export function agingInForce(services: RulesServices, options: RulesOptions): Promise<RulesInForce> {
  return rulesInForce(services, options, services.stack?.SweepFunction ?? services.stack?.ArchiveFunction);
}

/**
 * The names of the aging rules that the options select.
 * @throws UsageError `usage.rule` if no aging rule has this name, or there is none
 */
function agingRules(registry: Registry, name: string | undefined): readonly string[] {
  const aging = registry.archives.filter(ages).map((rule) => rule.name);
  if (aging.length === 0)
    throw new UsageError(
      'usage.rule',
      'Expected an archive rule with `ages` to sweep by, found none in force: add one to denorm.config.ts, or enable it',
    );
  if (name === undefined) return aging;
  if (aging.includes(name)) return [name];
  throw new UsageError(
    'usage.rule',
    `Expected --rule to be a rule whose items age (${aging.join(', ')}), got '${name}'`,
  );
}

interface SweepRun {
  readonly dryRun: boolean;
  /** In epoch milliseconds. */
  readonly began: number;
  readonly finished: boolean;
  readonly fault: string | undefined;
}

function* sweepText(reports: readonly SweepReport[], { dryRun, began, finished: isWhole, fault }: SweepRun) {
  const counts = countsOf(reports);
  const sum = (one: (report: SweepReport) => number) =>
    reports.reduce((total, report) => total + one(report), 0);
  const found = sweepOutcomes.reduce((total, outcome) => total + counts[outcome], 0);
  if (found > 0) yield sweepTable(reports, dryRun);
  for (const { rule, finished, started } of dryRun ? [] : reports)
    if (!finished) yield `${rule}: begun ${timeText(started)}, the next run continues there`;
    else if (started < began)
      yield `${rule}: begun ${timeText(started)} by an earlier run, whose items are not looked at again`;
  if (dryRun && counts.swept > 0) yield typedCommand({ '--dry-run': [] });
  yield closingLine(
    [
      `${counted(
        sum(({ looked }) => looked),
        'item',
      )} read for ${reports.map(({ rule }) => rule).join(', ') || 'no rule'}`,
      found === 0
        ? 'found no finished items'
        : `found ${counted(found, 'finished item')} (${countsText(sweepOutcomes.map((outcome) => [named(outcome, dryRun), counts[outcome]]))})`,
      dryRun
        ? undefined
        : `${number(sum(({ stored }) => stored))} archived, ${number(counts.swept)} given an expiry`,
      leftText(
        counts.unclassified === 0 ? undefined : `${number(counts.unclassified)} unclassified`,
        isWhole,
      ),
      `${number(sum(({ readUnits }) => readUnits))} read units, ${number(sum(({ writeUnits }) => writeUnits))} write units`,
    ],
    fault,
  );
}

/** Of all rules and kinds. */
function countsOf(reports: readonly SweepReport[]) {
  const sums = { swept: 0, expiring: 0, restored: 0, changed: 0, unclassified: 0 };
  for (const { kinds } of reports)
    for (const counts of Object.values(kinds))
      for (const outcome of sweepOutcomes) sums[outcome] += counts[outcome];
  return sums;
}

function named(outcome: keyof ReturnType<typeof countsOf>, dryRun: boolean): string {
  return dryRun && outcome === 'swept' ? 'to sweep' : outcome;
}

function sweepTable(reports: readonly SweepReport[], dryRun: boolean): string {
  const rows = reports.flatMap(({ rule, kinds }) =>
    Object.entries(kinds).map(([kind, counts]) => [
      rule,
      kind,
      number(sweepOutcomes.reduce((sum, outcome) => sum + counts[outcome], 0)),
      ...sweepOutcomes.map((outcome) => (counts[outcome] === 0 ? '' : number(counts[outcome]))),
    ]),
  );
  const names = sweepOutcomes.map((outcome) => named(outcome, dryRun));
  return tableOf(['rule', 'kind', 'found', ...names], rows);
}

function unclassifiedEntry(
  table: KeyNames,
  { key, ...item }: Unclassified,
  options: PlaceOptions,
): ListingEntry {
  const { rule, code, reason } = item;
  return {
    json: () => ({ unclassified: { ...item, key: namedKey(table, key) } }),
    group: [rule, code, reason].join('\n'),
    heading: (count) =>
      `${styled('yellow', 'unclassified')}  ${rule}  ${counted(count, 'item')}: ${code}: ${visible(reason)}`,
    text: () => keyJson(table, key),
    rank: 0,
    next: () => nextCommand(['explain', keyJson(table, key)], options),
  };
}

function sweepJson(
  reports: readonly SweepReport[],
  about: { readonly table: string; readonly archive: string; readonly finished: boolean },
) {
  const rules = reports.map(({ started, at, readUnits, writeUnits, ...report }) => ({
    ...report,
    readUnits: Math.round(readUnits),
    writeUnits: Math.round(writeUnits),
    started: timeText(started),
    at: timeText(at),
  }));
  return { ...about, rules };
}
