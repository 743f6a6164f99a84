import type { InstrumentedCopy } from './instrumented-copy.ts';
import { Judge } from './judge.ts';
import type { Survey } from './messages.ts';
import type { Judged, Mutant } from './mutant.ts';
import { Player } from './player.ts';

/** How much is played, and how long. */
export interface Effort {
  readonly seeds: number;
  /** Processes that play side by side. */
  readonly workers: number;
  /** When time is up, by `performance.now()`. */
  readonly until: number;
}

/** Plays every test and seed once without a mutant. */
export async function surveyOf(folder: string, { seeds }: Effort): Promise<Survey> {
  const player = await Player.start(folder, seeds);
  try {
    return await player.survey();
  } finally {
    await player.end();
  }
}

/**
 * Judges every mutant, several side by side, until time is up.
 * @param tell is told after each mutant how many are judged
 */
export async function judgeAll(
  { folder, mutants }: InstrumentedCopy,
  survey: Survey,
  effort: Effort,
  tell: (judged: number) => void,
): Promise<Judged[]> {
  const judged: Judged[] = [];
  const waiting: Mutant[] = [...mutants];
  const work = async () => {
    const judge = new Judge(folder, effort.seeds, survey, effort.until);
    try {
      for (let mutant = waiting.shift(); mutant !== undefined; mutant = waiting.shift()) {
        judged.push(await judge.judge(mutant));
        tell(judged.length);
      }
    } finally {
      await judge.close();
    }
  };
  await Promise.all(Array.from({ length: effort.workers }, work));
  return judged.toSorted((a, b) => Number(a.mutant.id) - Number(b.mutant.id));
}
