import { add, emptySummary, type SeedRange, type Summary } from './summary.ts';
import { onThreads, type Threads } from './threads.ts';

export interface SeedsWanted extends Threads {
  readonly seed: number;
  readonly seeds: number;
  readonly minutes: number;
  readonly steps: number;
  /** Seeds that a thread is given at once. */
  readonly rangeSize: number;
  /** Failing seeds that are shrunk. */
  readonly maxShown: number;
  readonly enough: (summary: Summary) => boolean;
  /** Called after each range. @param found of that range */
  readonly progress: (summary: Summary, found: Summary) => void;
}

/** Runs seeds on several threads, until all are played, the time is up, or enough was found: all up to the last that was played. */
export async function runOnThreads(wanted: SeedsWanted): Promise<Summary> {
  const { seed, seeds, minutes, steps, rangeSize, maxShown, enough, progress } = wanted;
  const summary = emptySummary();
  const started = performance.now();
  const last = seed + seeds - 1;
  let next = seed;
  const nextRange = (): SeedRange | undefined => {
    if (next > last) return undefined;
    const from = next;
    next = Math.min(last + 1, from + rangeSize);
    return { from, to: next - 1, steps, shown: summary.failures.length < maxShown };
  };
  await onThreads<Summary>(
    { ...wanted, workers: Math.min(wanted.workers, Math.ceil(seeds / rangeSize)) },
    nextRange,
    () => performance.now() - started > minutes * 60_000 || enough(summary),
    ({ found }) => {
      add(summary, found);
      progress(summary, found);
    },
  );
  summary.seconds = (performance.now() - started) / 1000;
  return summary;
}
