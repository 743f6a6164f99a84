import { overlaidTable, type WouldSpend } from '../../explain/dry-run/overlaid-table.ts';
import { withArticle } from '../../model/basics/text.ts';
import { isOfKind } from '../../model/kinds/kind.ts';
import type { BoundAggregate, BoundRule } from '../../model/rules/bound-rule.ts';
import { nothingPaused, type Pauses } from '../../model/rules/pauses.ts';
import type { Registry } from '../../model/rules/registry.ts';
import { Propagations } from '../../operate/drift/repair.ts';
import { bareTarget, isMadeAt } from '../../plan/plan-target.ts';
import { coalescingTable } from '../../worker/adapters/dynamodb/coalescing-table.ts';
import { dynamoDbScan } from '../../worker/adapters/dynamodb/read-pages.ts';
import { sqsBacklog } from '../../worker/adapters/sqs/sqs-queue.ts';
import { systemClock } from '../../worker/adapters/system-clock.ts';
import { beatsInQueue } from '../../worker/heartbeat.ts';
import { readPauses } from '../../worker/pauses.ts';
import {
  type Backlog,
  type BacklogPort,
  type ScanPort,
  silentTelemetry,
  type TablePort,
} from '../../worker/ports.ts';
import { countedScan, meteredTable } from '../../worker/scan/metered-table.ts';
import type { Selection } from '../../worker/verify/candidates.ts';
import { UsageError } from '../errors.ts';
import type { Interruption } from '../interruption.ts';
import { readKey } from '../options/arguments.ts';
import { type RulesOptions, rulesInForce, unknownRule } from '../options/rules-in-force.ts';
import { describedTable, type ServiceOptions, type TableServices } from '../options/services.ts';
import type { StateOptions } from '../options/state.ts';
import { budgetOf } from '../options/units.ts';
import { commandOn, type PlaceOptions, resumeCommandOn } from '../output/next-command.ts';
import { keyJson } from '../output/text.ts';

export interface DriftOptions extends ServiceOptions, RulesOptions, StateOptions {
  readonly rule?: string;
  readonly root?: string;
  readonly sample?: number;
  readonly rcu?: number;
  readonly resume?: true;
  readonly json?: true;
  readonly showValues?: true;
  readonly grace?: number;
  readonly allOrphans?: true;
  readonly dryRun?: true;
  readonly wcu?: number;
  readonly allowRemove?: true;
  readonly withoutStream?: true;
  /** Whether no copy is removed without `allowRemove`, whatever proves that its root went. */
  readonly refusesRemovals?: true;
}

export type DriftWork = Awaited<ReturnType<typeof driftWork>>;

const propagationsAtOnce = 16;

/** The number of written items that a dry run remembers. */
const maxWritten = 2000;

/**
 * A table with its budgets, its description, and its rules.
 * @param writes whether to write nothing, to write for good, or to report each write without sending it
 * @throws UsageError `usage.rule` for an unknown rule, `usage.paused` for writes by a paused one, `usage.stream` for writes to a table without a stream
 */
export async function driftWork(
  services: TableServices,
  { stop }: Interruption,
  options: DriftOptions,
  writes: 'nothing' | 'for good' | ((spend: WouldSpend) => void),
) {
  const { tableName, connection } = services;
  const { registry, digest, evidence } = await rulesInForce(services, options);
  const named = selectedIn(registry, options, nothingPaused);
  const description = await describedTable(services, registry.table);
  const paused = await readPauses(services.table, registry.table);
  const selected = writes === 'nothing' ? named : selectedIn(registry, options, paused);
  if (writes === 'for good' && !description.hasStream && options.withoutStream !== true)
    throw new UsageError(
      'usage.stream',
      `Expected table ${tableName} to have a stream with new and old images, found none: without a worker, copies drift again; add --without-stream to write anyway`,
    );
  const reads = budgetOf(options.rcu, services);
  const wcu = writes === 'for good' ? options.wcu : Number.POSITIVE_INFINITY;
  const budgets = { reads, writes: budgetOf(wcu, services), stop };
  const inner =
    typeof writes === 'function'
      ? overlaidTable(services.table, registry.table, writes, maxWritten)
      : services.table;
  const { port, spent } = meteredTable(inner, budgets);
  const scan = dynamoDbScan({ client: connection.dynamoDb, tableName, table: registry.table });
  const table = coalescingTable(port);
  const propagations = new Propagations({
    registry,
    table,
    clock: systemClock,
    telemetry: silentTelemetry,
    stop,
    concurrency: propagationsAtOnce,
    allowRemove: options.allowRemove === true,
    ...(options.refusesRemovals && { refusesRemovals: true }),
  });
  const queue = backlogOf(services, registry);
  return {
    services,
    queue,
    description,
    registry,
    selected,
    paused,
    digest,
    evidence,
    reads,
    table,
    propagations,
    stop,
    scan: countedScan(scan, spent),
    spent,
  };
}

/** The fan-out queue, and what it had when it was last looked at. */
function backlogOf(
  { queueUrl, connection, table, isLocal }: TableServices,
  registry: Registry,
): BacklogPort & { last: Backlog | undefined } {
  const beats = () => beatsInQueue({ registry, table, clock: systemClock });
  const port = queueUrl === undefined ? undefined : sqsBacklog(connection.sqs, queueUrl, beats);
  return {
    last: undefined,
    async look() {
      const unseen = isLocal ? 'that of `denorm dev` is in its process' : 'no --stack or stage leads to it';
      this.last = (await port?.look()) ?? { unseen };
      return this.last;
    },
  };
}

/** @param held rules that are paused, so that nothing is written by them */
function selectedIn(registry: Registry, options: DriftOptions, held: Pauses): Selection {
  const { rule: name } = options;
  if (name !== undefined && held.has(name))
    throw new UsageError(
      'usage.paused',
      `Expected --rule to be a rule that is not paused, but ${name} is since ${held.get(name)}: run \`${resumeCommandOn(name, options)}\` first`,
    );
  const isNamed = (one: BoundRule | BoundAggregate) =>
    name === undefined ? !held.has(one.name) : one.name === name;
  const rules = registry.rules.filter(isNamed);
  const aggregates = registry.aggregates.filter(isNamed);
  if (name === undefined || rules.length + aggregates.length > 0) return { rules, aggregates };
  throw unknownRule(name, [...registry.rules, ...registry.aggregates]);
}

/**
 * A scan that gives one root of a rule, or one target of an aggregate, alone.
 * @throws UsageError `usage.root` if the rule has no such root, or the root does not exist or is of another kind
 */
export async function scanOfRoot(
  name: string,
  rule: BoundRule | BoundAggregate,
  table: Pick<TablePort, 'get'>,
  options: PlaceOptions,
): Promise<ScanPort> {
  const key = await readKey(name);
  const kind = rule.is === 'aggregate' ? rule.on : rule.root;
  if (kind.idsOf(key) === undefined)
    throw new UsageError(
      'usage.root',
      `Expected --root to be the key of a root of ${rule.name}, got ${keyJson(rule.table, key)}: \`denorm rules\` shows the keys of roots`,
    );
  const isMade = rule.is === 'aggregate' && isMadeAt(rule, key);
  const root = (await table.get(key)) ?? (isMade ? { key, item: bareTarget(rule, key) } : undefined);
  if (root !== undefined && isOfKind(kind, root.item))
    return { scan: async () => ({ entries: [root], next: undefined, units: 0 }) };
  if (root !== undefined)
    throw new UsageError(
      'usage.root',
      `Expected ${keyJson(rule.table, key)} to be ${withArticle(kind.name)}, found an item of another kind: \`${commandOn(['explain', keyJson(rule.table, key)], options)}\` says what it is`,
    );
  throw new UsageError(
    'usage.root',
    `Expected an item ${keyJson(rule.table, key)}, found none: only an existing root says where its copies are`,
  );
}
