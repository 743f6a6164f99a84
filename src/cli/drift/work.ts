import type { Aggregate } from '../../model/aggregate.ts';
import type { Registry } from '../../model/registry.ts';
import type { Rule } from '../../model/rule.ts';
import type { TableDescription } from '../../operate/adapters/dynamodb/describe-table.ts';
import { Propagations } from '../../operate/drift/repair.ts';
import { overlaidTable, type WouldWrite } from '../../operate/offline/dry-run-table.ts';
import { silentTelemetry } from '../../operate/offline/silent-telemetry.ts';
import { coalescingTable } from '../../worker/adapters/dynamodb/coalescing-table.ts';
import { dynamoDbScan } from '../../worker/adapters/dynamodb/read-pages.ts';
import { systemClock } from '../../worker/adapters/system-clock.ts';
import type { ScanPort, TablePort } from '../../worker/ports.ts';
import { Budget } from '../../worker/scan/budget.ts';
import { countedScan, meteredTable, type Spent } from '../../worker/scan/metered-table.ts';
import type { Selection } from '../../worker/verify/inspect.ts';
import { UsageError } from '../errors.ts';
import type { Interruption } from '../interruption.ts';
import { type RulesOptions, rulesInForce } from '../options/rules-in-force.ts';
import { describeWhere, type Where, type WhereOptions, withOpenWhere } from '../options/where.ts';

export interface DriftOptions extends WhereOptions, RulesOptions {
  readonly rule?: string;
  readonly root?: string;
  readonly sample?: number;
  readonly rcu: number;
  readonly resume?: true;
  readonly json?: true;
  readonly grace?: number;
  readonly allOrphans?: true;
  readonly dryRun?: true;
  readonly wcu?: number;
  readonly allowRemove?: true;
  readonly withoutStream?: true;
}

/** An open table with its budgets, its description, and its rules. */
export interface DriftWork {
  readonly where: Where;
  readonly description: TableDescription;
  readonly registry: Registry;
  /** The rules and aggregates that the options select. */
  readonly selected: Selection;
  readonly digest: string;
  readonly reads: Budget;
  /** Keeps to the budgets, and merges concurrent reads into one request. */
  readonly table: TablePort;
  readonly scan: ScanPort;
  readonly spent: Readonly<Spent>;
  readonly propagations: Propagations;
  readonly interruption: Interruption;
}

const propagationsAtOnce = 16;

/**
 * Opens the table that the options name, runs the work, and closes the table.
 * @param writes whether to write nothing, to write for good, or to report each write without sending it
 */
export async function withDriftWork(
  options: DriftOptions,
  writes: 'nothing' | 'for good' | ((write: WouldWrite) => void),
  work: (opened: DriftWork) => Promise<void>,
): Promise<void> {
  await withOpenWhere(options, async (where, interrupted) => {
    const { tableName, connection } = where;
    const { registry, digest } = await rulesInForce(where, options);
    const selected = selectedIn(registry, options);
    const description = await describeWhere(where, registry.table);
    if (writes === 'for good' && !description.hasStream && options.withoutStream !== true)
      throw new UsageError(
        'usage.stream',
        `Expected table ${tableName} to have a stream with new and old images, found none: without a worker, copies drift again; add --without-stream to write anyway`,
      );
    const reads = new Budget(options.rcu, systemClock);
    const wcu = writes === 'for good' ? (options.wcu ?? Number.POSITIVE_INFINITY) : Number.POSITIVE_INFINITY;
    const inner = typeof writes === 'function' ? dryRun(where, registry, writes) : where.table;
    const { port, spent } = meteredTable(inner, {
      reads,
      writes: new Budget(wcu, systemClock),
      stop: interrupted.asked,
    });
    const scan = dynamoDbScan({ client: connection.dynamoDb, tableName, table: registry.table });
    const table = coalescingTable(port, registry.table);
    await work({
      ...{ where, description, registry, selected, digest, reads, table, spent, interruption: interrupted },
      scan: countedScan(scan, spent),
      propagations: new Propagations({
        ...{ registry, table, clock: systemClock, telemetry: silentTelemetry },
        ...{ concurrency: propagationsAtOnce, stop: interrupted.asked },
        allowRemove: options.allowRemove === true,
      }),
    });
  });
}

/** The number of written items that a dry run remembers. */
const maxWritten = 2000;

function dryRun({ table }: Where, registry: Registry, wouldWrite: (write: WouldWrite) => void): TablePort {
  return overlaidTable(
    table,
    registry.table,
    (spend) => {
      if (spend.does === 'write') wouldWrite(spend);
    },
    maxWritten,
  );
}

/** @throws UsageError `usage.rule` if no enabled rule or aggregate has this name */
function selectedIn(registry: Registry, { rule: name }: DriftOptions): Selection {
  const isNamed = (one: Rule | Aggregate) => name === undefined || one.name === name;
  const rules = registry.rules.filter(isNamed);
  const aggregates = registry.aggregates.filter(isNamed);
  if (name === undefined || rules.length + aggregates.length > 0) return { rules, aggregates };
  throw new UsageError(
    'usage.rule',
    `Expected --rule to be one of ${[...registry.rules, ...registry.aggregates].map((one) => one.name).join(', ')}, got '${name}'`,
  );
}
