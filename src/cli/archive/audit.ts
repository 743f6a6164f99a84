import { Command } from 'commander';
import { isLoopback } from '../../develop/dev/loopback.ts';
import { streamHistory, streamOf } from '../../operate/adapters/dynamodb/stream-history.ts';
import { Audit, auditHistory, auditItems } from '../../operate/archive/audit/audit.ts';
import type { Auditing } from '../../operate/archive/audit/audit-context.ts';
import { auditErasures } from '../../operate/archive/audit/audit-erasures.ts';
import type { HistoryRead } from '../../operate/archive/audit/read-history.ts';
import { dynamoDbScan } from '../../worker/adapters/dynamodb/read-pages.ts';
import { systemClock } from '../../worker/adapters/system-clock.ts';
import { Budget } from '../../worker/scan/budget.ts';
import { meteredTable } from '../../worker/scan/metered-table.ts';
import { wholeTable } from '../../worker/scan/scan-table.ts';
import { exitCodes } from '../errors.ts';
import { type ArchiveOptions, readArchive, withArchive } from '../options/archive.ts';
import { countOption, secondsOption, unitsOption } from '../options/option-values.ts';
import { type RulesInForce, type RulesOptions, rulesInForce, withRules } from '../options/rules-in-force.ts';
import {
  describeWhere,
  type Where,
  type WhereOptions,
  withOpenWhere,
  withReplica,
  withWhere,
} from '../options/where.ts';
import { say, withProgress } from '../output/terminal.ts';
import { auditSummary, findingJson, findingLine } from './audit-report.ts';

interface AuditOptions extends WhereOptions, ArchiveOptions, RulesOptions {
  readonly rcu: number;
  readonly segments: number;
  readonly grace: number;
  readonly read?: true;
  readonly withoutStream?: true;
  readonly json?: true;
}

/** Maximum number of concurrent requests to the archive, and of segments read in parallel. */
const requestsAtOnce = 32;
const segmentsAtOnce = 4;

/**
 * Pause between two pages of a shard, in milliseconds. DynamoDB supports two readers per shard, and the
 * worker already runs two.
 */
const historyPause = 500;

export function auditCommand(): Command {
  return withRules(withReplica(withArchive(withWhere(new Command('audit')))))
    .description(
      'Checks that items with an expiry, and items that expired within the last day, are archived and intact.',
    )
    .option('--read', 'also reads and compares archived objects, if their storage class allows it')
    .option('--rcu <units>', 'read units per second, or `unlimited`', unitsOption, 100)
    .option('--segments <number>', 'parts into which the scan divides the table', countOption, 8)
    .option('--grace <seconds>', 'how long a change may take to reach the archive', secondsOption, 30)
    .option('--without-stream', 'audits only existing items, and does not read the stream')
    .option('--json', 'JSON lines for machines: one for each finding, then a summary')
    .addHelpText('after', helpAfter)
    .action(runAudit);
}

const helpAfter = `
Findings, costs and permissions: docs/archive.md#audit. Exits 1 if it finds something or is stopped.`;

/** An audit that is running. */
interface Running {
  readonly where: Where;
  readonly options: AuditOptions;
  readonly inForce: RulesInForce;
  readonly audit: Audit;
  readonly work: Auditing;
  readonly reads: Budget;
}

async function runAudit(options: AuditOptions): Promise<void> {
  await withOpenWhere(options, async (where, { asked: stop }) => {
    const inForce = await rulesInForce(where, options);
    const { registry } = inForce;
    const { reader, name } = readArchive(options, where);
    const reads = new Budget(options.rcu, systemClock);
    const { port } = meteredTable(where.table, { reads, writes: reads });
    const work: Auditing = {
      ...{ registry, reader, table: port, clock: systemClock, concurrency: requestsAtOnce, stop },
      grace: options.grace * 1_000,
      read: options.read === true,
      onFinding: (finding) => say(options.json ? findingJson(finding) : findingLine(finding)),
    };
    const audit = new Audit(work);
    const running = { where, options, inForce, audit, work, reads };
    const history = options.withoutStream ? undefined : await lookAtHistory(running);
    const items = await lookAtItems(running);
    await withProgress({ label: 'audit of erased items', unit: 'items' }, (bar) =>
      auditErasures(audit, work, (count) => bar.update(count)),
    );
    await withProgress({ label: 'audit, second check', unit: 'suspects' }, () => audit.finish());
    const stopped = stop();
    const audited = { table: where.tableName, archive: name, counts: audit.counts, items, history, stopped };
    console.log(auditSummary(audited, options));
    process.exitCode = audit.counts.findings === 0 && !stopped ? exitCodes.fine : exitCodes.failed;
  });
}

async function lookAtHistory({ where, options, inForce, audit, work }: Running): Promise<HistoryRead> {
  const { connection, tableName, stack } = where;
  const { registry, evidence } = inForce;
  const isLocal = options.endpoint !== undefined && isLoopback(options.endpoint);
  const streamArn = await streamOf(connection.dynamoDb, tableName);
  let records = 0;
  return withProgress({ label: 'audit of expired items', unit: 'records' }, (bar) =>
    auditHistory(audit, registry, {
      history: streamHistory({
        ...{ client: connection.streams, streamArn, table: registry.table },
        // A local server does not mark expiries.
        evidence: { globalTableReplica: evidence.globalTableReplica || (isLocal && stack === undefined) },
      }),
      ...{ clock: systemClock, pause: isLocal ? 0 : historyPause, stop: work.stop },
      onPage: (count) => {
        records += count;
        bar.update(records);
      },
    }),
  );
}

async function lookAtItems({ where, options, audit, work, reads }: Running): Promise<number> {
  const { connection, tableName } = where;
  const { registry } = work;
  const { items: total } = await describeWhere(where, registry.table);
  let items = 0;
  await withProgress({ label: 'audit of items with an expiry', unit: 'items', total }, (bar) =>
    auditItems(audit, registry, {
      scan: dynamoDbScan({ client: connection.dynamoDb, tableName, table: registry.table }),
      ...{ budget: reads, point: wholeTable(options.segments), stop: work.stop },
      concurrency: segmentsAtOnce,
      onPage: (page) => {
        items += page.items;
        bar.update(items);
      },
    }),
  );
  return items;
}
