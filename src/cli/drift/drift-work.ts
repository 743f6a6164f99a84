import type { Command } from 'commander';
import type { Aggregate } from '../../model/aggregate.ts';
import type { Registry } from '../../model/registry.ts';
import type { Rule } from '../../model/rule.ts';
import type { TableDescription } from '../../operate/adapters/dynamodb/describe-table.ts';
import { overlaidTable, type WouldWrite } from '../../operate/offline/dry-run-table.ts';
import { coalescingTable } from '../../worker/adapters/dynamodb/coalescing-table.ts';
import { dynamoDbScan } from '../../worker/adapters/dynamodb/scan-pages.ts';
import { systemClock } from '../../worker/adapters/system-clock.ts';
import type { ScanPort, TablePort } from '../../worker/ports.ts';
import { Budget } from '../../worker/scan/budget.ts';
import { meteredTable, type Spent } from '../../worker/scan/metered-table.ts';
import { type ScanPoint, sampleOf, wholeTable } from '../../worker/scan/scan-table.ts';
import { UsageError } from '../errors.ts';
import { type Interruption, interruption } from '../interruption.ts';
import { countOption, unitsOption } from '../options/option-values.ts';
import { type RulesOptions, rulesInForce, withRules } from '../options/rules-in-force.ts';
import { describeWhere, openWhere, type Where, type WhereOptions, withWhere } from '../options/where.ts';

/** Adds the options common to commands that scan a table. */
export function withDriftOptions(command: Command): Command {
  return withRules(withWhere(command))
    .option('--rcu <units>', 'read units per second, or `unlimited`', unitsOption, 100)
    .option('--segments <number>', 'parts into which the scan divides the table', countOption, 8)
    .option('--resume', 'continues where the same command, with the same options, stopped')
    .option('--json', 'JSON lines for machines: one for each finding, then a summary');
}

/** Adds the options common to commands that write. */
export function withWriteOptions(command: Command): Command {
  return command
    .option('--wcu <units>', 'write units per second, indexes included, or `unlimited`', unitsOption, 100)
    .option('--allow-remove', 'also removes copies, and attributes that no rule names')
    .option('--without-stream', 'writes even if the table has no stream and therefore no worker');
}

/** Options common to commands that scan a table. */
export interface DriftOptions extends WhereOptions, RulesOptions {
  readonly rcu: number;
  readonly wcu?: number;
  readonly segments: number;
  readonly sample?: number;
  readonly withoutStream?: true;
}

/** An open table with its budgets, its description, and its rules. */
export interface DriftWork {
  readonly where: Where;
  readonly description: TableDescription;
  readonly registry: Registry;
  /** A short digest of the rules. */
  readonly digest: string;
  readonly reads: Budget;
  /** Keeps to the budgets, and merges concurrent reads into one request. */
  readonly table: TablePort;
  readonly scan: ScanPort;
  readonly spent: Readonly<Spent>;
  readonly interruption: Interruption;
}

/** Maximum number of segments scanned in parallel. */
export const segmentsAtOnce = 4;

/** Maximum number of propagations run in parallel. */
export const propagationsAtOnce = 16;

/**
 * Opens the table that the options name, runs the work, and closes the table.
 * @param writes whether to write nothing, to write for good, or to report each write without sending it
 */
export async function withDriftWork(
  options: DriftOptions,
  writes: 'nothing' | 'for good' | WouldWrite,
  work: (opened: DriftWork) => Promise<void>,
): Promise<void> {
  const where = await openWhere(options);
  const interrupted = interruption();
  try {
    const { tableName, connection } = where;
    const { registry, digest } = await rulesInForce(where, options);
    const description = await describeWhere(where, registry.table);
    if (writes === 'for good' && !description.hasStream && options.withoutStream !== true)
      throw new UsageError(
        'usage.stream',
        `Expected table ${tableName} to have a stream with new and old images, found none: without a worker, copies drift again; add --without-stream to write anyway`,
      );
    const reads = new Budget(options.rcu, systemClock);
    const wcu = writes === 'for good' ? (options.wcu ?? Number.POSITIVE_INFINITY) : Number.POSITIVE_INFINITY;
    const inner =
      typeof writes === 'function' ? overlaidTable(where.table, registry.table, writes) : where.table;
    const { port, spent } = meteredTable(inner, registry.table, {
      reads,
      writes: new Budget(wcu, systemClock),
      stop: interrupted.asked,
    });
    const scan = dynamoDbScan({ client: connection.dynamoDb, tableName, table: registry.table });
    await work({
      ...{ where, description, registry, digest, reads, spent, interruption: interrupted },
      table: coalescingTable(port, registry.table),
      scan: {
        async scan(...asked) {
          const page = await scan.scan(...asked);
          spent.readUnits += page.units;
          return page;
        },
      },
    });
  } finally {
    interrupted.end();
    where.close();
  }
}

/** @throws UsageError `usage.rule` if no enabled rule or aggregate has this name */
export function ruleNamed(registry: Registry, name: string): Rule | Aggregate {
  const rule = registry.rule(name) ?? registry.aggregate(name);
  if (rule !== undefined) return rule;
  throw new UsageError(
    'usage.rule',
    `Expected --rule to be one of ${[...registry.rules, ...registry.aggregates].map((one) => one.name).join(', ')}, got '${name}'`,
  );
}

/** The starting point of a scan of the whole table or of a sample. */
export function firstPoint({ sample, segments }: Pick<DriftOptions, 'sample' | 'segments'>): ScanPoint {
  return sample === undefined ? wholeTable(segments) : sampleOf(sample, Math.random);
}

/** Estimates how many items the scan has yet to see. */
export function expectedItems(
  description: TableDescription,
  sample: number | undefined,
  seen: number,
): number {
  return Math.max(0, Math.round(description.items * (sample ?? 1)) - seen);
}
