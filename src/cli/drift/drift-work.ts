import type { Command } from 'commander';
import { coalescingTable } from '../../adapters/dynamodb/coalescing-table.ts';
import type { TableDescription } from '../../adapters/dynamodb/describe-table.ts';
import { dynamoDbScan } from '../../adapters/dynamodb/scan-pages.ts';
import type { Registry } from '../../model/registry.ts';
import type { Rule } from '../../model/rule.ts';
import type { ScanPort, TablePort } from '../../ports.ts';
import { Budget } from '../../scan/budget.ts';
import { systemClock } from '../../scan/clock.ts';
import { overlaidTable, type WouldWrite } from '../../scan/dry-run-table.ts';
import { meteredTable, type Spent } from '../../scan/metered-table.ts';
import { type ScanPoint, sampleOf, wholeTable } from '../../scan/scan-table.ts';
import { UsageError } from '../errors.ts';
import { type Interruption, interruption } from '../interruption.ts';
import { countOption, unitsOption } from '../options/option-values.ts';
import { type RulesOptions, rulesInForce, withRules } from '../options/rules-in-force.ts';
import { describeWhere, openWhere, type Where, type WhereOptions, withWhere } from '../options/where.ts';

/** Adds what the commands that go through a table have in common. */
export function withDriftOptions(command: Command): Command {
  return withRules(withWhere(command))
    .option('--rcu <units>', 'read units per second, or `unlimited`', unitsOption, 100)
    .option('--segments <number>', 'parts into which the scan divides the table', countOption, 8)
    .option('--resume', 'continues where the same command, with the same options, stopped')
    .option('--json', 'JSON lines for machines: one for each finding, then a summary');
}

/** Adds what the commands that write have in common. */
export function withWriteOptions(command: Command): Command {
  return command
    .option('--wcu <units>', 'write units per second, indexes included, or `unlimited`', unitsOption, 100)
    .option('--allow-remove', 'also writes copies that lose attributes that no rule names')
    .option('--without-stream', 'writes even if the table has no stream and therefore no worker');
}

/** What the commands that go through a table have in common. */
export interface DriftOptions extends WhereOptions, RulesOptions {
  readonly rcu: number;
  readonly wcu?: number;
  readonly segments: number;
  readonly sample?: number;
  readonly withoutStream?: true;
}

/** A table to be gone through within budgets, and what is known of it. */
export interface DriftWork {
  readonly where: Where;
  readonly description: TableDescription;
  readonly registry: Registry;
  /** Which rules they are, in a few characters. */
  readonly digest: string;
  readonly reads: Budget;
  /** Within the budgets; reads that are asked for together are one request. */
  readonly table: TablePort;
  readonly scan: ScanPort;
  readonly spent: Readonly<Spent>;
  readonly interruption: Interruption;
}

/** How many segments are read side by side, at most. */
export const segmentsAtOnce = 4;

/** Propagations that are taken side by side. */
export const propagationsAtOnce = 16;

/**
 * Opens what the options name, hands it over, and closes it.
 * @param writes what is to be done to it: nothing, what is only told, or for good
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

/** @throws UsageError `usage.rule` where no rule that is in force is called so */
export function ruleNamed(registry: Registry, name: string): Rule {
  const rule = registry.rule(name);
  if (rule !== undefined) return rule;
  throw new UsageError(
    'usage.rule',
    `Expected --rule to be one of ${registry.rules.map((one) => one.name).join(', ')}, got '${name}'`,
  );
}

/** The beginning of a scan, of everything or of a share. */
export function firstPoint({ sample, segments }: Pick<DriftOptions, 'sample' | 'segments'>): ScanPoint {
  return sample === undefined ? wholeTable(segments) : sampleOf(sample, Math.random);
}

/** About how many items a scan will see, from where it begins. */
export function expectedItems(
  description: TableDescription,
  sample: number | undefined,
  seen: number,
): number {
  return Math.max(0, Math.round(description.items * (sample ?? 1)) - seen);
}
