import type { InstrumentedCopy } from './instrumented-copy.ts';
import type { DryRun } from './messages.ts';
import type { Mutant, MutantResult } from './mutant.ts';
import { MutantRunner } from './mutant-runner.ts';
import { TestProcess } from './test-process.ts';

/** How much is played, and how long. */
export interface Effort {
  readonly seeds: number;
  /** Processes that play side by side. */
  readonly workers: number;
  /** When time is up, by `performance.now()`. */
  readonly until: number;
}

/** Plays every test and seed once without a mutant. */
export async function dryRunOf(folder: string, { seeds }: Effort): Promise<DryRun> {
  const testProcess = await TestProcess.start(folder, seeds);
  try {
    return await testProcess.dryRun();
  } finally {
    await testProcess.end();
  }
}

/**
 * Tries every mutant, several side by side, until time is up.
 * @param tell is told after each mutant how many were tried
 */
export async function runMutants(
  { folder, mutants }: InstrumentedCopy,
  dryRun: DryRun,
  effort: Effort,
  tell: (tested: number) => void,
): Promise<MutantResult[]> {
  const results: MutantResult[] = [];
  const waiting: Mutant[] = [...mutants];
  const work = async () => {
    const runner = new MutantRunner(folder, effort.seeds, dryRun, effort.until);
    try {
      for (let mutant = waiting.shift(); mutant !== undefined; mutant = waiting.shift()) {
        results.push(await runner.run(mutant));
        tell(results.length);
      }
    } finally {
      await runner.close();
    }
  };
  await Promise.all(Array.from({ length: effort.workers }, work));
  return results.toSorted((a, b) => Number(a.mutant.id) - Number(b.mutant.id));
}
