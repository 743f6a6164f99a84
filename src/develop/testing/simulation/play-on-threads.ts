import { Worker } from 'node:worker_threads';
import { add, emptySummary, type Share, type Summary } from './summary.ts';

/** Seeds to play, and how many threads play them. */
export interface SeedsWanted {
  readonly seed: number;
  readonly seeds: number;
  readonly minutes: number;
  readonly steps: number;
  readonly workers: number;
}

/** How threads play, and what is done with what they find. */
export interface SeedPlay {
  /** A module that answers each {@link Share} with its {@link Summary}, and what it is started with. */
  readonly module: URL;
  readonly data?: unknown;
  /** Seeds that a thread plays before it reports. */
  readonly shareSize: number;
  /** Whether no more seeds are to be played, after what was found so far. */
  readonly enough: (summary: Summary) => boolean;
  /** Whether failing seeds are still to be shrunk and shown. */
  readonly shows: (summary: Summary) => boolean;
  /** Called with each report, which the summary already contains. */
  readonly reported: (done: Summary, summary: Summary) => void;
}

/**
 * Plays seeds on several threads, until all are played, the time is up, or enough was found.
 * @throws the error of a thread that failed, after all threads have ended
 */
export async function playOnThreads(
  { seed, seeds, minutes, steps, workers }: SeedsWanted,
  { module, data, shareSize, enough, shows, reported }: SeedPlay,
): Promise<Summary> {
  const summary = emptySummary();
  const started = performance.now();
  const until = started + minutes * 60_000;
  const last = seed + seeds - 1;
  let next = seed;
  const share = (): Share | undefined => {
    if (next > last || performance.now() > until || enough(summary)) return undefined;
    const from = next;
    next = Math.min(last + 1, from + shareSize);
    return { from, to: next - 1, steps, shown: shows(summary) };
  };
  const take = (done: Summary): void => {
    add(summary, done);
    reported(done, summary);
  };
  const count = Math.min(workers, Math.ceil(seeds / shareSize));
  const threads = Array.from({ length: count }, () => new Worker(module, { workerData: data }));
  try {
    await Promise.all(threads.map((thread) => work(thread, share, take)));
  } finally {
    await Promise.all(threads.map((thread) => thread.terminate()));
  }
  summary.seconds = (performance.now() - started) / 1000;
  return summary;
}

/** Keeps one thread busy until there is nothing more to share. */
function work(thread: Worker, share: () => Share | undefined, take: (done: Summary) => void): Promise<void> {
  return new Promise((done, failed) => {
    const give = (): void => {
      const one = share();
      if (one !== undefined) thread.postMessage(one);
      else done();
    };
    thread.on('message', (summary: Summary) => {
      take(summary);
      give();
    });
    thread.on('error', failed);
    give();
  });
}
