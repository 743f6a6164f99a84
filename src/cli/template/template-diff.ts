import { diff } from 'node:util';

export interface TemplateDiff {
  readonly added: number;
  readonly removed: number;
  /** Removed lines after `-`, added ones after `+`, under a line `@@ line <number>` of the new text. */
  readonly text: string;
}

const shown = 40;

export function templateDiff(before: string, after: string): TemplateDiff {
  const lines: string[] = [];
  const counts = { added: 0, removed: 0 };
  let line = 1;
  let isInside = false;
  for (const [operation, text] of diff(before.split('\n'), after.split('\n'))) {
    if (operation !== 0 && !isInside) lines.push(`@@ line ${line}`);
    isInside = operation !== 0;
    // 1 is a line of the first text alone.
    if (operation === 1) counts.removed += 1;
    if (operation === -1) counts.added += 1;
    if (operation !== 0) lines.push(`${operation === 1 ? '-' : '+'}${text}`);
    if (operation !== 1) line += 1;
  }
  const rest = lines.length - shown;
  const kept = rest > 0 ? [...lines.slice(0, shown), `… and ${rest} more lines`] : lines;
  return { ...counts, text: kept.join('\n') };
}
