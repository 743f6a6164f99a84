import type { AuditCounts } from '../../archive/audit/audit-context.ts';
import type { AuditFinding, Wrong } from '../../archive/audit/claim.ts';
import type { HistoryRead } from '../../archive/audit/read-history.ts';
import { counted } from '../output/counted.ts';
import { styled } from '../output/terminal.ts';
import { keyAsJson, keyText, timeText } from './state-line.ts';

/** What an audit says of itself at its end. */
export interface Audited {
  readonly table: string;
  readonly archive: string;
  readonly counts: AuditCounts;
  /** Items that were read. */
  readonly items: number;
  /** Undefined where the stream was not read. */
  readonly history: HistoryRead | undefined;
  readonly stopped: boolean;
}

const sentences: Readonly<Record<Wrong, string>> = {
  missing: 'is going to expire, and nothing of it is archived',
  outdated: 'is going to expire, and is archived in another state than it is in',
  lost: 'has expired, and its last state is not archived',
  damaged: 'is archived, but what stands there is not what was put',
  left: 'was to be erased, and states of it are left',
};

/** One finding in a line. */
export function findingLine({ wrong, kind, key, objectKey }: AuditFinding): string {
  return `${styled('red', wrong.padEnd(8))}  ${kind}  ${keyText(key)}  ${sentences[wrong]}: ${objectKey}`;
}

/** The same for machines. */
export function findingJson({ wrong, rule, kind, key, objectKey, sequence }: AuditFinding): string {
  return JSON.stringify({
    wrong,
    rule,
    kind,
    key: keyAsJson(key),
    objectKey,
    sequence: sequence?.toString(),
  });
}

/** The last line, or lines. */
export function auditSummary(audited: Audited, { json }: { readonly json?: true }): string {
  const { table, archive, counts, items, history, stopped } = audited;
  if (json) {
    const since = history?.since === undefined ? undefined : new Date(history.since).toISOString();
    return JSON.stringify({
      summary: { table, archive, items, ...counts, history: history && { ...history, since }, stopped },
    });
  }
  const lines = [
    `${counted(items, 'item')} of ${table} read: ${counts.exists} going to expire`,
    historyLine(counts, history),
    ...(counts.read + counts.unread > 0
      ? [`${counts.read} read in ${archive} and compared, ${counts.unread} not read: they stand in Glacier`]
      : []),
    counts.findings === 0
      ? `${stopped ? 'Nothing wrong so far' : 'All archived'} in ${archive}`
      : `${counts.findings} wrong in ${archive}`,
    ...(stopped ? ['Stopped before the end: what was not looked at is not proven'] : []),
  ];
  return lines.join('\n');
}

function historyLine({ ended, erased }: AuditCounts, history: HistoryRead | undefined): string {
  if (history === undefined) return 'The stream was not read: nothing is proven of what has expired';
  const reach = history.since === undefined ? 'empty' : `back to ${timeText(history.since)}`;
  const unreadable = history.unreadable > 0 ? `, ${history.unreadable} of no use` : '';
  return `${counted(history.records, 'record')} of the stream, ${reach}${unreadable}: ${ended} ended, ${erased} to be erased`;
}
