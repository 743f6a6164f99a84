import type { MutantResult, MutantStatus } from './mutant.ts';

/** A folder of the source, and how many of its mutants have to be killed, in percent. */
export interface Threshold {
  readonly folder: string;
  readonly percent: number;
}

/** The mutants of one folder by their status. */
export interface Score {
  readonly threshold: Threshold;
  readonly counts: Readonly<Record<MutantStatus, number>>;
  readonly ran: number;
  /** Of those that ran, killed ones in percent; undefined if none ran. */
  readonly percent: number | undefined;
}

/** Counts the mutants of each folder. A timeout counts as killed; a mutant that nothing covers counts as survived. */
export function scoresOf(thresholds: readonly Threshold[], results: readonly MutantResult[]): Score[] {
  return thresholds.map((threshold) => {
    const counts = { killed: 0, timeout: 0, survived: 0, 'not covered': 0, 'not run': 0 };
    for (const { mutant, status } of results)
      if (thresholdOf(thresholds, mutant.file) === threshold) counts[status] += 1;
    const killed = counts.killed + counts.timeout;
    const ran = killed + counts.survived + counts['not covered'];
    return { threshold, counts, ran, percent: ran === 0 ? undefined : (100 * killed) / ran };
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
    .map(({ threshold: { folder, percent: least }, ran, percent, counts }) => {
      const name = folder.slice(folder.lastIndexOf('/') + 1);
      if (ran + counts['not run'] === 0) return `${name}: no mutants`;
      const rest = counts['not run'] > 0 ? `, ${counts['not run']} not run` : '';
      return `${name} ${percentText(percent)} of ${ran} killed (at least ${least} %)${rest}`;
    })
    .join(', ');
}

/** Cut, not rounded: 89.99 % is not 90 %. */
function percentText(percent: number | undefined): string {
  return percent === undefined ? '-' : `${(Math.floor(percent * 10) / 10).toFixed(1)} %`;
}
