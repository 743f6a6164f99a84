import type { AuditCounts } from '../../operate/archive/audit/audit.ts';
import type { AuditFinding, Wrong } from '../../operate/archive/audit/claim.ts';
import type { HistoryRead } from '../../operate/archive/audit/read-history.ts';
import { styled } from '../output/terminal.ts';
import { counted } from '../output/text.ts';
import { visible, word } from '../output/visible.ts';
import { keyAsJson, keyText, timeText } from './state-text.ts';

const sentences: Readonly<Record<Wrong, string>> = {
  missing: 'has an expiry, but no state of it is archived',
  outdated: 'has an expiry, but its present state is not archived',
  lost: 'has expired, but its last state is not archived',
  damaged: 'is archived, but the object is gone or is not what was put',
  left: 'should be erased, but the archive holds states of it',
};

export function findingLine(finding: AuditFinding, json = false): string {
  const { wrong, kind, key, objectKey, sequence } = finding;
  if (json) return JSON.stringify({ ...finding, key: keyAsJson(key), sequence: sequence?.toString() });
  return `${styled('red', wrong.padEnd(8))}  ${word(kind)}  ${keyText(key)}  ${sentences[wrong]}: ${visible(objectKey)}`;
}

export function auditSummary(
  summary: {
    readonly table: string;
    readonly archive: string;
    readonly counts: AuditCounts;
    readonly items: number;
    readonly history: HistoryRead;
    readonly stopped: boolean;
  },
  json = false,
): string {
  const { table, archive, counts, items, history, stopped } = summary;
  if (json) {
    const since = history.since === undefined ? undefined : new Date(history.since).toISOString();
    return JSON.stringify({
      summary: { table, archive, items, ...counts, history: { ...history, since }, stopped },
    });
  }
  const lines = [
    `${counted(items, 'item')} of ${table} read, ${counts.exists} with an expiry`,
    historyLine(counts, history),
    ...(counts.read + counts.unread > 0
      ? [
          `${counted(counts.read, 'object')} read in ${archive} and compared, ${counts.unread} not read, because they are in Glacier`,
        ]
      : []),
    counts.findings === 0
      ? `${stopped ? 'Nothing wrong so far' : 'Everything is archived'} in ${archive}`
      : `${counted(counts.findings, 'finding')} in ${archive}`,
    ...(stopped ? ['Stopped before the end: the rest was not checked'] : []),
  ];
  return lines.join('\n');
}

function historyLine({ ended, erased }: AuditCounts, history: HistoryRead): string {
  const reach = history.since === undefined ? 'empty' : `back to ${timeText(history.since)}`;
  const unreadable = history.unreadable > 0 ? `, ${history.unreadable} unreadable` : '';
  return `${counted(history.records, 'record')} of the stream, ${reach}${unreadable}: ${counted(ended, 'item')} ended, ${erased} to erase`;
}
