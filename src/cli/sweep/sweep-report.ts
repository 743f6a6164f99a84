import type { SweepReport, Unclassified } from '../../archive/sweep/sweep-context.ts';
import { sweepOutcomes } from '../../archive/sweep/sweep-tally.ts';
import { keyJson } from '../options/item-key.ts';
import { styled, tableOf } from '../output/terminal.ts';

/** No more than this are listed for people; machines get them all. */
const maxListed = 10;

/** What became of the items, by rule and kind. */
export function sweepTable(reports: readonly SweepReport[], dryRun: boolean): string {
  const rows = reports.flatMap(({ rule, kinds }) =>
    Object.entries(kinds).map(([kind, counts]) => [
      rule,
      kind,
      number(sweepOutcomes.reduce((sum, outcome) => sum + counts[outcome], 0)),
      ...sweepOutcomes.map((outcome) => (counts[outcome] === 0 ? '' : number(counts[outcome]))),
    ]),
  );
  const names = sweepOutcomes.map((outcome) => (dryRun && outcome === 'swept' ? 'to sweep' : outcome));
  return tableOf(['rule', 'kind', 'found', ...names], rows);
}

/** A line for each rule: how much was looked at, at what price, and whether that was all. */
export function sweepLine(report: SweepReport, dryRun: boolean): string {
  const { rule, looked, stored, readUnits, writeUnits, finished, started } = report;
  const written = dryRun ? '' : `, ${number(stored)} archived, ${number(writeUnits)} write units`;
  const end = finished
    ? 'finished'
    : `not finished, started ${new Date(started).toISOString()}: the next run continues there`;
  return `${rule}: ${number(looked)} read, ${number(readUnits)} read units${written}; ${dryRun && !finished ? 'not finished' : end}`;
}

/** Lists items that could not be judged, the first of them, as they come. */
export class UnclassifiedList {
  private listed = 0;

  linesOf({ rule, key, code, reason }: Unclassified): string[] {
    this.listed += 1;
    if (this.listed <= maxListed)
      return [`${styled('yellow', 'unclassified')}  ${rule}  ${keyJson(key)}  ${code}: ${reason}`];
    return this.listed === maxListed + 1 ? [styled('dim', '… more are only counted; --json lists all')] : [];
  }
}

/** One item that could not be judged, for machines. */
export function unclassifiedJson({ key, ...unclassified }: Unclassified): string {
  return JSON.stringify({ unclassified: { ...unclassified, key: JSON.parse(keyJson(key)) } });
}

/** The last line, for machines. */
export function sweepJson(
  reports: readonly SweepReport[],
  where: { readonly table: string; readonly archive: string },
): string {
  const rules = reports.map(({ started, at, readUnits, writeUnits, ...report }) => ({
    ...report,
    readUnits: Math.round(readUnits),
    writeUnits: Math.round(writeUnits),
    started: new Date(started).toISOString(),
    at: new Date(at).toISOString(),
  }));
  return JSON.stringify({
    summary: { ...where, finished: reports.every(({ finished }) => finished), rules },
  });
}

export function number(count: number): string {
  return count.toLocaleString('en-US', { maximumFractionDigits: 1 });
}
