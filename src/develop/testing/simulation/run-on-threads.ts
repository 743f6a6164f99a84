import { Worker } from 'node:worker_threads';
import { add, emptySummary, type SeedRange, type Summary } from './summary.ts';

export interface SeedsWanted {
  readonly seed: number;
  readonly seeds: number;
  readonly minutes: number;
  readonly steps: number;
  readonly workers: number;
}

interface Threads {
  /** A module that answers each {@link SeedRange} with its {@link Summary}, and what it is started with. */
  readonly module: URL;
  readonly data?: unknown;
  readonly rangeSize: number;
  readonly maxShown: number;
  readonly enough: (summary: Summary) => boolean;
  readonly progress: (seeds: number) => void;
}

/**
 * Plays seeds on several threads, until all are played, the time is up, or enough was found.
 * @throws the error of a thread that failed, after all threads have ended
 */
export async function runOnThreads(
  { seed, seeds, minutes, steps, workers }: SeedsWanted,
  { module, data, rangeSize, maxShown, enough, progress }: Threads,
): Promise<Summary> {
  const summary = emptySummary();
  const started = performance.now();
  const last = seed + seeds - 1;
  let next = seed;
  const share = (): SeedRange | undefined => {
    if (next > last || performance.now() - started > minutes * 60_000 || enough(summary)) return undefined;
    const from = next;
    next = Math.min(last + 1, from + rangeSize);
    return { from, to: next - 1, steps, shown: summary.failures.length < maxShown };
  };
  const count = Math.min(workers, Math.ceil(seeds / rangeSize));
  const threads = Array.from({ length: count }, () => new Worker(module, { workerData: data }));
  const work = (thread: Worker) =>
    new Promise<void>((done, failed) => {
      const give = (): void => {
        const one = share();
        if (one !== undefined) thread.postMessage(one);
        else done();
      };
      thread.on('message', (found: Summary) => {
        add(summary, found);
        progress(summary.seeds);
        give();
      });
      thread.on('error', failed);
      give();
    });
  try {
    await Promise.all(threads.map(work));
  } finally {
    await Promise.all(threads.map((thread) => thread.terminate()));
  }
  summary.seconds = (performance.now() - started) / 1000;
  return summary;
}
