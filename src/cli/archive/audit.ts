import { Command } from 'commander';
import { kindMessages } from '../../check/check-kinds.ts';
import { counted, number, visible, word } from '../../model/basics/text.ts';
import { wrongExpiry } from '../../model/items/expiry.ts';
import type { KeyNames } from '../../model/items/table-names.ts';
import type { KindCounts } from '../../model/rules/kind-counts.ts';
import type { Registry } from '../../model/rules/registry.ts';
import { expiryAttribute } from '../../operate/adapters/dynamodb/describe-table.ts';
import { Audit, type AuditCounts, auditHistory, auditItems } from '../../operate/archive/audit/audit.ts';
import { auditErasures } from '../../operate/archive/audit/audit-erasures.ts';
import type { AuditFinding, Wrong } from '../../operate/archive/audit/claim.ts';
import type { HistoryRead } from '../../operate/archive/audit/read-history.ts';
import { dynamoDbScan } from '../../worker/adapters/dynamodb/read-pages.ts';
import { systemClock } from '../../worker/adapters/system-clock.ts';
import type { Budget } from '../../worker/budget.ts';
import { meteredTable } from '../../worker/scan/metered-table.ts';
import { wholeTable } from '../../worker/scan/scan-table.ts';
import { exitCodes, UsageError } from '../errors.ts';
import { type ArchiveOptions, readArchive, withArchive } from '../options/archive.ts';
import { tableHistory } from '../options/history.ts';
import { secondsOption } from '../options/option-values.ts';
import { type RulesInForce, type RulesOptions, rulesInForce, withRules } from '../options/rules-in-force.ts';
import {
  describedTable,
  type ServiceOptions,
  type TableServices,
  usingTable,
  withReplica,
  withTableOptions,
} from '../options/services.ts';
import { budgetOf, withUnits } from '../options/units.ts';
import { closingLine, countsText } from '../output/closing-line.ts';
import { printSummary } from '../output/json.ts';
import { type ListingEntry, listing } from '../output/listing.ts';
import { nextCommand, type PlaceOptions } from '../output/next-command.ts';
import { styled, withProgress } from '../output/terminal.ts';
import { keyJson, strangersJson, timeText } from '../output/text.ts';
import { archivedKey, keyOrNull } from './state-text.ts';

interface AuditOptions extends ServiceOptions, ArchiveOptions, RulesOptions {
  readonly rcu?: number;
  readonly grace: number;
  readonly read?: true;
  readonly json?: true;
}

const requestsAtOnce = 32;
const segments = { all: 8, atOnce: 4 };

/** A pause between pages, because the worker already runs the two readers that a shard supports. */
const historyPauseMs = 500;

export function auditCommand(): Command {
  return withUnits(withRules(withReplica(withArchive(withTableOptions(new Command('audit'))))), 'rcu')
    .description(
      'Checks that items with an expiry, and items that expired within the last day, are archived and intact.',
    )
    .option('--read', 'also reads and compares archived objects, if their storage class allows it')
    .option('--grace <seconds>', 'how long a change may take to reach the archive', secondsOption, 30)
    .option('--json', 'JSON lines for machines: one for each finding, then a summary')
    .addHelpText('after', helpAfter)
    .action(runAudit);
}

const helpAfter = `
Findings, costs and permissions: docs/archive.md#audit. Exits 1 if it finds something, looked at nothing, or is stopped.`;

async function runAudit(options: AuditOptions): Promise<void> {
  await usingTable(options, async (services, { stop }) => {
    const inForce = await rulesInForce(services, options);
    const { registry } = inForce;
    if (registry.archives.length === 0)
      throw new UsageError(
        'usage.archive',
        'Expected an archive rule to audit, found none in force: add one to denorm.config.ts, or enable it',
      );
    const { reader, name } = await readArchive(options, services);
    // Of a missing bucket, HeadObject says the same as of a missing object. Nothing is below this prefix: the names of a folder's
    // archive would all be read.
    await reader.list('archive/-/');
    const budget = budgetOf(options.rcu, services);
    const list = listing(options.json === true);
    const wrong: Partial<Record<Wrong, number>> = {};
    const { port } = meteredTable(services.table, { reads: budget, writes: budget });
    const audit = new Audit({
      registry,
      reader,
      table: port,
      clock: systemClock,
      concurrency: requestsAtOnce,
      stop,
      graceMs: options.grace * 1_000,
      read: options.read === true,
      onFinding: (finding) => {
        wrong[finding.wrong] = (wrong[finding.wrong] ?? 0) + 1;
        list.add(findingEntry(registry.table, finding, options));
      },
    });
    const summary = { ...(await audited(audit, services, inForce, { archive: name, budget })), wrong };
    await list.printGroups();
    printAudit(registry.table, summary, options.json);
    process.exitCode = faultOf(summary) === undefined ? exitCodes.fine : exitCodes.failed;
  });
}

type AuditSummary = Awaited<ReturnType<typeof audited>> & {
  readonly wrong: Readonly<Partial<Record<Wrong, number>>>;
};

async function audited(
  audit: Audit,
  services: TableServices,
  inForce: RulesInForce,
  { archive, budget }: { readonly archive: string; readonly budget: Budget },
) {
  const { registry } = inForce;
  const expiresBy = await expiryAttribute(services.connection.dynamoDb, services.tableName);
  const history = await lookAtHistory(audit, services, inForce);
  const items = await lookAtItems(audit, services, budget);
  /** Items of the archive that were looked up, because their rule erases. */
  const listed = await withProgress({ label: 'audit of erased items', unit: 'items' }, (bar) =>
    auditErasures(audit, (count) => bar.update(count)),
  );
  await withProgress({ label: 'audit, second check', unit: 'suspects' }, () => audit.finish());
  const unarchived = audit.unarchived.counts();
  const nearly = nearlyArchived(registry, unarchived);
  const disabled = registry.disabled.archives.map((rule) => rule.name);
  const { counts, work } = audit;
  const about = { table: services.tableName, archive, counts, items, listed, history };
  const expiryFault = wrongExpiry(registry.table, services.tableName, expiresBy);
  return {
    ...about,
    stopped: work.stop(),
    unarchived,
    nearly,
    otherExpiry: expiryFault && expiresBy,
    expiryFault,
    disabled,
  };
}

async function lookAtHistory(
  audit: Audit,
  services: TableServices,
  inForce: RulesInForce,
): Promise<HistoryRead> {
  const history = await tableHistory(services, inForce);
  let records = 0;
  return withProgress({ label: 'audit of expired items', unit: 'records' }, (bar) =>
    auditHistory(audit, {
      history,
      clock: systemClock,
      pauseMs: services.isLocal ? 0 : historyPauseMs,
      stop: audit.work.stop,
      onPage: (count) => {
        records += count;
        bar.update(records);
      },
    }),
  );
}

async function lookAtItems(audit: Audit, services: TableServices, budget: Budget): Promise<number> {
  const { table } = audit.work.registry;
  const { items: total } = await describedTable(services, table);
  let items = 0;
  await withProgress({ label: 'audit of items with an expiry', unit: 'items', total }, (bar) =>
    auditItems(audit, {
      scan: dynamoDbScan({ client: services.connection.dynamoDb, tableName: services.tableName, table }),
      budget,
      point: wholeTable(segments.all),
      stop: audit.work.stop,
      concurrency: segments.atOnce,
      onPage: (page) => {
        items += page.items;
        bar.update(items);
      },
    }),
  );
  return items;
}

/** Expiring items that are nearly of an archived kind: nothing archives them. */
function nearlyArchived({ archives }: Registry, counts: KindCounts): readonly string[] {
  return archives.flatMap(({ kinds }) => kinds.flatMap((kind) => kindMessages({ kind, users: [] }, counts)));
}

const sentences: Readonly<Record<Wrong, string>> = {
  missing: 'has an expiry, but no state of it is archived',
  outdated: 'has an expiry, but its present state is not archived',
  lost: 'has expired, but its last state is not archived',
  damaged: 'is archived, but the object is gone or is not what was put',
  left: 'should be erased, but the archive holds states of it',
};

function findingEntry(table: KeyNames, finding: AuditFinding, options: PlaceOptions): ListingEntry {
  const { wrong, kind, key, objectKey, sequence } = finding;
  return {
    json: () => ({ ...finding, key: keyOrNull(table, key), sequence: sequence?.toString() }),
    group: [wrong, kind].join('\n'),
    heading: (count) =>
      `${styled('red', wrong)}  ${word(kind)}  ${counted(count, 'item')}: ${sentences[wrong]}`,
    text: () => `${archivedKey(table, key)}  ${visible(objectKey)}`,
    rank: 0,
    next: key && (() => nextCommand(['explain', keyJson(table, key)], options)),
  };
}

function lookedAt({ counts: { exists, ended, erased }, listed }: AuditSummary): number {
  return exists + ended + erased + listed;
}

/** Whether something was there that could not be looked at. */
function isWanting({ nearly, otherExpiry, history }: AuditSummary): boolean {
  return nearly.length + history.unreadable > 0 || otherExpiry !== undefined;
}

function printAudit(names: KeyNames, summary: AuditSummary, json = false): void {
  const { table, archive, counts, items, listed, history, unarchived, disabled, stopped } = summary;
  if (json) {
    const since = history.since === undefined ? undefined : timeText(history.since);
    const strangers = strangersJson(names, unarchived);
    const { otherExpiry } = summary;
    const about = { table, archive, items, ...counts, unarchived: unarchived.items, strangers, disabled };
    printSummary({ ...about, otherExpiry, listed, history: { ...history, since }, stopped });
    return;
  }
  for (const line of summaryLines(summary)) console.log(line);
}

function* summaryLines(summary: AuditSummary): Generator<string> {
  const { table, archive, counts, items, listed, history, unarchived, disabled } = summary;
  const others = unarchived.items > 0 ? `, ${number(unarchived.items)} more that no rule archives` : '';
  yield* summary.nearly.map(visible);
  if (summary.expiryFault !== undefined) yield `${summary.expiryFault}; then audit again`;
  yield `${counted(items, 'item')} of ${table} read, ${number(counts.exists)} with an expiry${others}`;
  yield historyLine(counts, history);
  if (listed > 0) yield `${counted(listed, 'item')} of rules that erase looked up`;
  if (counts.read + counts.unread > 0)
    yield `${counted(counts.read, 'object')} read in ${archive} and compared, ${number(counts.unread)} not read, because they are in Glacier`;
  if (disabled.length > 0) yield `Not looked at, because disabled: ${disabled.join(', ')}`;
  yield lastLine(summary);
}

function lastLine(summary: AuditSummary): string {
  const { archive, counts, wrong, stopped } = summary;
  const looked = lookedAt(summary);
  const why = looked > 0 ? '' : ': no item of an archived kind has an expiry, or has ended';
  const kinds = Object.entries(wrong);
  const everything = isWanting(summary) ? 'everything else is archived' : 'everything is archived';
  const found =
    counts.findings > 0
      ? `found ${number(counts.findings)} (${countsText(kinds)})`
      : looked === 0 || stopped
        ? 'found nothing'
        : `found nothing: ${everything}`;
  return closingLine(
    [
      `${counted(looked, 'item')} looked at in ${archive}${why}`,
      found,
      stopped ? 'left the rest' : undefined,
    ],
    faultOf(summary),
  );
}

/** Why the exit code is 1. */
function faultOf(summary: AuditSummary): string | undefined {
  if (summary.stopped) return 'it has not come to its end';
  if (summary.counts.findings > 0) return 'something is wrong';
  if (lookedAt(summary) === 0) return 'nothing was looked at';
  return isWanting(summary) ? 'something was not looked at' : undefined;
}

function historyLine({ ended, erased }: AuditCounts, history: HistoryRead): string {
  const reach = history.since === undefined ? 'empty' : `back to ${timeText(history.since)}`;
  const unreadable = history.unreadable > 0 ? `, ${number(history.unreadable)} unreadable` : '';
  return `${counted(history.records, 'record')} of the stream, ${reach}${unreadable}: ${counted(ended, 'item')} ended, ${number(erased)} to erase`;
}
