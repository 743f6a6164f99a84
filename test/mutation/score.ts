import type { MutantResult, Status } from './mutant.ts';

/** A folder of the source, and how many of its mutants have to be killed, in percent. */
export interface Threshold {
  readonly folder: string;
  readonly percent: number;
}

/** What became of the mutants of one folder. */
export interface Score {
  readonly threshold: Threshold;
  readonly counts: Readonly<Record<Status, number>>;
  /** Mutants that were tried or that nothing reaches. */
  readonly tested: number;
  /** Those that showed, in percent of these; undefined where none was. */
  readonly percent: number | undefined;
}

/** Counts what became of the mutants of each folder. A mutant that hangs shows; one that nothing reaches does not. */
export function scoresOf(thresholds: readonly Threshold[], results: readonly MutantResult[]): Score[] {
  return thresholds.map((threshold) => {
    const counts = { killed: 0, hung: 0, survived: 0, unreached: 0, untried: 0 };
    for (const { mutant, status } of results)
      if (thresholdOf(thresholds, mutant.file) === threshold) counts[status] += 1;
    const tried = counts.killed + counts.hung + counts.survived + counts.unreached;
    const percent = tried === 0 ? undefined : (100 * (counts.killed + counts.hung)) / tried;
    return { threshold, counts, tested: tried, percent };
  });
}

/** The threshold of the innermost folder that holds a file. */
function thresholdOf(thresholds: readonly Threshold[], file: string): Threshold | undefined {
  return thresholds
    .filter(({ folder }) => file.startsWith(`${folder}/`))
    .sort((a, b) => b.folder.length - a.folder.length)[0];
}

/** Whether no folder falls short of its threshold. */
export function isEnough(scores: readonly Score[]): boolean {
  return scores.every(({ percent, threshold }) => percent === undefined || percent >= threshold.percent);
}

/** What each folder came to, in one line. */
export function scoreLine(scores: readonly Score[]): string {
  return scores
    .map(({ threshold: { folder, percent: least }, tested, percent, counts }) => {
      const name = folder.slice(folder.lastIndexOf('/') + 1);
      if (tested + counts.untried === 0) return `${name}: no mutants`;
      const untried = counts.untried > 0 ? `, ${counts.untried} not tried` : '';
      return `${name} ${percentText(percent)} of ${tested} killed (at least ${least} %)${untried}`;
    })
    .join(', ');
}

/** Cut, not rounded: 89.99 % is not 90 %. */
function percentText(percent: number | undefined): string {
  return percent === undefined ? '-' : `${(Math.floor(percent * 10) / 10).toFixed(1)} %`;
}
