import { randomBytes } from 'node:crypto';
import { Command } from 'commander';
import { describeTable } from '../../adapters/dynamodb/describe-table.ts';
import { dynamoDbRange } from '../../adapters/dynamodb/index-range.ts';
import { dynamoDbScan } from '../../adapters/dynamodb/scan-pages.ts';
import type { AgingRule } from '../../archive/sweep/aging.ts';
import { type SweepOptions, sweep } from '../../archive/sweep/sweep.ts';
import type { SweepReport } from '../../archive/sweep/sweep-context.ts';
import { Budget } from '../../scan/budget.ts';
import { systemClock } from '../../scan/clock.ts';
import { exitCodes } from '../errors.ts';
import { interruption } from '../interruption.ts';
import { type ArchiveOptions, openArchive, withArchive } from '../options/archive-where.ts';
import { unitsOption } from '../options/option-values.ts';
import { openWhere, type WhereOptions, withWhere } from '../options/where.ts';
import { type Progress, progressBar } from '../output/progress.ts';
import { type AgingOptions, agingInForce, agingRules, withAging } from './aging-in-force.ts';
import {
  number,
  sweepJson,
  sweepLine,
  sweepTable,
  UnclassifiedList,
  unclassifiedJson,
} from './sweep-report.ts';

interface Options extends WhereOptions, ArchiveOptions, AgingOptions {
  readonly rule?: string;
  readonly rcu: number;
  readonly dryRun?: true;
  readonly restart?: true;
  readonly json?: true;
}

/** `denorm sweep` */
export function sweepCommand(): Command {
  return withAging(withArchive(withWhere(new Command('sweep'))))
    .description('Archives what is done with for long enough, and then lets it expire in a week.')
    .option('--rule <name>', 'only what ages by this archive rule')
    .option('--rcu <units>', 'read units a second, or `unlimited`', unitsOption, 100)
    .option('--dry-run', 'counts what would be swept, from the beginning, and writes nothing')
    .option('--restart', 'begins a new pass, wherever the last one stopped')
    .option('--json', 'JSON lines for machines: one for each item that cannot be judged, and a summary last')
    .addHelpText('after', helpAfter)
    .action(runSweep);
}

const helpAfter = `
What it does with an aged item and what goes with it (\`denorm rules\` says which those are): it sees to it that they stand in
the archive as they are, and then sets their expiry to a week from now, on condition that they are still what was archived.
Copies, what has an expiry, and what was restored less than the rule's age ago are left alone.

Counted are those found: swept; expiring, which had an expiry; restored lately; changed while they were swept, and left to the
next pass; unclassified, which do not say whether they have aged, or take no expiry because they would grow beyond 400 KB.

It finds them by an index where the rule names one, else by a scan (half a unit for each 4 KB), within --rcu a second; each
one costs some six units more, and its writes. Where it has got to stands beside the archive, in state/sweep-<rule>.json: a
run that was stopped, here or in the deployed function, is gone on with by the next one.

Ends with 1 where it was stopped or items could not be judged.

Examples:
  $ denorm sweep --stack prod-denorm --dry-run
  $ denorm sweep --endpoint http://127.0.0.1:8000 --archive-dir .denorm
  $ denorm sweep --stack prod-denorm --rule archive-orders --rcu 500`;

async function runSweep(options: Options): Promise<void> {
  const where = await openWhere(options);
  const interrupted = interruption();
  const bars = new Bars();
  try {
    const { tableName, connection } = where;
    const { registry, storageClass } = await agingInForce(where, options);
    const rules = agingRules(registry, options.rule);
    const { archive, notes, name } = await openArchive(options, where, storageClass);
    const { items } = await describeTable(connection.dynamoDb, tableName, registry.table);
    const location = { client: connection.dynamoDb, tableName, table: registry.table };
    const list = new UnclassifiedList();
    const asked: SweepOptions = {
      tableName,
      rules: rules.map((rule) => rule.name),
      dryRun: options.dryRun === true,
      restart: options.restart === true,
      onPage: (report) => bars.show(report, rules, items),
    };
    const reports = await sweep(
      {
        ...{ registry, archive, notes, table: where.table, clock: systemClock, stop: interrupted.asked },
        scan: dynamoDbScan(location),
        range: dynamoDbRange(location),
        reads: new Budget(options.rcu, systemClock),
        nonce: () => randomBytes(8),
        telemetry: {
          swept: () => {},
          failed: () => {},
          unclassified(item) {
            bars.stop();
            if (options.json) console.log(unclassifiedJson(item));
            else for (const line of list.linesOf(item)) console.log(line);
          },
        },
      },
      asked,
    );
    bars.stop();
    tell(reports, options, { table: tableName, archive: name });
    const stopped = interrupted.asked() && !reports.every(({ finished }) => finished);
    if (stopped || reports.length < rules.length) sayStopped(options);
    process.exitCode = isFine(reports, rules) ? exitCodes.fine : exitCodes.failed;
  } finally {
    bars.stop();
    interrupted.end();
    where.close();
  }
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
  else console.log('nothing has aged');
  for (const report of reports) console.log(sweepLine(report, dryRun === true));
}

function sayStopped({ dryRun }: Options): void {
  console.error(
    dryRun
      ? 'denorm: stopped before its end; a dry run keeps no place'
      : 'denorm: stopped before its end; the same command goes on there, and so does the deployed function',
  );
}

function isFine(reports: readonly SweepReport[], rules: readonly AgingRule[]): boolean {
  const unclassified = reports.some(({ kinds }) =>
    Object.values(kinds).some((counts) => counts.unclassified > 0),
  );
  return reports.length === rules.length && reports.every(({ finished }) => finished) && !unclassified;
}

/** A bar for the rule that is under way. */
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
