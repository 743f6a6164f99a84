import type { PropagationReport } from '../../model/report.ts';
import { keyJson } from '../options/item-key.ts';
import { styled } from './terminal.ts';

/** One line for one propagation: rule, root, cause, counts, and the milliseconds since the record was fetched. */
export function propagationLine(report: PropagationReport, milliseconds: number): string {
  const { rule, root, cause, recheck, written, unchanged, lost } = report;
  const rare = (['removed', 'orphans', 'deadLettered', 'requeued'] as const)
    .filter((name) => report[name] > 0)
    .map((name) => `, ${report[name]} ${name}`)
    .join('');
  const counts = `${written} written, ${unchanged} unchanged, ${lost} lost and retried${rare}`;
  const why = recheck ? `${cause} (recheck)` : cause;
  return `${styled('bold', rule)}  ${keyJson(root)}  ${why}  ${counts}  ${styled('dim', `${milliseconds.toFixed(0)} ms`)}`;
}
