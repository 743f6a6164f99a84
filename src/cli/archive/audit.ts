import { Command } from 'commander';
import { isLoopback } from '../../develop/dev/loopback.ts';
import type { Registry } from '../../model/registry.ts';
import { streamHistory, streamOf } from '../../operate/adapters/dynamodb/stream-history.ts';
import { Audit, auditHistory, auditItems } from '../../operate/archive/audit/audit.ts';
import type { Auditing } from '../../operate/archive/audit/audit-context.ts';
import { auditErasures } from '../../operate/archive/audit/audit-erasures.ts';
import type { HistoryRead } from '../../operate/archive/audit/read-history.ts';
import { dynamoDbScan } from '../../worker/adapters/dynamodb/scan-pages.ts';
import { systemClock } from '../../worker/adapters/system-clock.ts';
import { Budget } from '../../worker/scan/budget.ts';
import { meteredTable } from '../../worker/scan/metered-table.ts';
import { wholeTable } from '../../worker/scan/scan-table.ts';
import { exitCodes } from '../errors.ts';
import { type Interruption, interruption } from '../interruption.ts';
import {
  type ArchiveOptions,
  orDevArchive,
  readArchive,
  refuseMissingFolder,
  withArchive,
} from '../options/archive.ts';
import { countOption, secondsOption, unitsOption } from '../options/option-values.ts';
import { type RulesInForce, type RulesOptions, rulesInForce, withRules } from '../options/rules-in-force.ts';
import {
  describeWhere,
  openWhere,
  type Where,
  type WhereOptions,
  withReplica,
  withWhere,
} from '../options/where.ts';
import { progressBar, say } from '../output/terminal.ts';
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
    .action(audit);
}

const helpAfter = `
Findings:
  missing   an item has an expiry, but the archive holds no state of it
  outdated  an item has an expiry, but the archive does not hold its last change
  lost      an item has expired, and the archive does not hold its last state
  damaged   an archived object is gone, or is not what was put
  left      a user deleted an item under a rule that erases, but the archive still holds states of it

The command scans the table within --rcu and asks the archive for the digest of each item with an expiry (one HeadObject; for the
layout \`batch\` it reads all manifests). It then reads the stream, which holds the last 24 hours, for expired items. It checks
suspects again after --grace seconds, strongly consistent. Under rules that erase, it lists the whole archive and reports as \`left\`
items that the table no longer has and that have no last state. A rule that has not always erased may have left such states.

A local server does not mark expiries: there, unless a stack is named, and on a replica of a global table, an item that was removed
after its time counts as expired. The command reads the stream slowly, because the worker's two functions read it too.

Required on AWS: with --stack cloudformation:DescribeStacks and lambda:GetFunctionConfiguration; dynamodb:DescribeTable, Scan,
BatchGetItem and GetItem; DescribeStream, GetShardIterator and GetRecords on the stream; s3:GetObject, s3:GetObjectVersion and
s3:ListBucketVersions. Exits 1 if it finds something or is stopped.

Examples:
  $ denorm archive audit --stack prod-denorm
  $ denorm archive audit --stack prod-denorm --read --rcu 500 --json > audit.jsonl
  $ denorm archive audit --stage dev`;

async function audit(given: AuditOptions): Promise<void> {
  const options = await orDevArchive(given);
  refuseMissingFolder(options);
  const where = await openWhere(options);
  const interrupted = interruption();
  try {
    const inForce = await rulesInForce(where, options);
    const { registry } = inForce;
    const { reader, name } = readArchive(options, where);
    const reads = new Budget(options.rcu, systemClock);
    const { port } = meteredTable(where.table, registry.table, { reads, writes: reads });
    const work: Auditing = {
      ...{ registry, reader, table: port, clock: systemClock, concurrency: requestsAtOnce },
      grace: options.grace * 1_000,
      read: options.read === true,
      stop: interrupted.asked,
      onFinding: (finding) => say(options.json ? findingJson(finding) : findingLine(finding)),
    };
    const auditing = new Audit(work);
    const history = options.withoutStream
      ? undefined
      : await lookAtHistory(where, options, auditing, inForce, interrupted);
    const items = await lookAtItems(where, options, auditing, registry, reads, interrupted);
    await lookAtErasures(auditing, work);
    await lookAgain(auditing);
    const stopped = interrupted.asked();
    console.log(
      auditSummary(
        { table: where.tableName, archive: name, counts: auditing.counts, items, history, stopped },
        options,
      ),
    );
    process.exitCode = auditing.counts.findings === 0 && !stopped ? exitCodes.fine : exitCodes.failed;
  } finally {
    interrupted.end();
    where.close();
  }
}

async function lookAtHistory(
  { connection, tableName, stack }: Where,
  { endpoint }: AuditOptions,
  auditing: Audit,
  { registry, evidence }: RulesInForce,
  interrupted: Interruption,
): Promise<HistoryRead> {
  const isLocal = endpoint !== undefined && isLoopback(endpoint);
  const streamArn = await streamOf(connection.dynamoDb, tableName);
  const bar = progressBar({ label: 'audit of expired items', unit: 'records' });
  let records = 0;
  try {
    return await auditHistory(auditing, registry, {
      history: streamHistory({
        client: connection.streams,
        streamArn,
        table: registry.table,
        evidence: { globalTableReplica: evidence.globalTableReplica || (isLocal && stack === undefined) },
      }),
      clock: systemClock,
      pause: isLocal ? 0 : historyPause,
      stop: interrupted.asked,
      onPage: (count) => {
        records += count;
        bar.update(records);
      },
    });
  } finally {
    bar.stop();
  }
}

async function lookAtItems(
  where: Where,
  { segments }: AuditOptions,
  auditing: Audit,
  registry: Registry,
  budget: Budget,
  interrupted: Interruption,
): Promise<number> {
  const { connection, tableName } = where;
  const description = await describeWhere(where, registry.table);
  const bar = progressBar({
    label: 'audit of items with an expiry',
    unit: 'items',
    total: description.items,
  });
  let items = 0;
  try {
    await auditItems(auditing, registry, {
      scan: dynamoDbScan({ client: connection.dynamoDb, tableName, table: registry.table }),
      budget,
      point: wholeTable(segments),
      concurrency: segmentsAtOnce,
      stop: interrupted.asked,
      onPage: (page) => {
        items += page.items;
        bar.update(items);
      },
    });
    return items;
  } finally {
    bar.stop();
  }
}

async function lookAtErasures(auditing: Audit, work: Auditing): Promise<void> {
  const bar = progressBar({ label: 'audit of erased items', unit: 'items' });
  try {
    await auditErasures(auditing, work, (items) => bar.update(items));
  } finally {
    bar.stop();
  }
}

/** Checks suspected findings a second time, after the grace period. */
async function lookAgain(auditing: Audit): Promise<void> {
  const bar = progressBar({ label: 'audit, second check', unit: 'seconds' });
  const began = systemClock.now();
  const timer = setInterval(() => bar.update(Math.floor((systemClock.now() - began) / 1_000)), 500);
  try {
    await auditing.finish();
  } finally {
    clearInterval(timer);
    bar.stop();
  }
}
