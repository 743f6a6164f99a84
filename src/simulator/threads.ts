import { parentPort, Worker } from 'node:worker_threads';
import { explore, type SmallWorld } from './exhaustive/explore.ts';
import { add, emptySummary, type SeedRange, type Summary } from './summary.ts';

/** What a thread is asked to do: to run seeds, or to explore the small world at this place in the list, up to so many states. */
export type Job = SeedRange | { readonly world: number; readonly most?: number };

/** What a thread has found of its job so far, or in all. */
export interface JobAnswer<Found> {
  readonly job: Job;
  readonly found: Found;
  readonly ended: boolean;
}

export interface Threads {
  /** A module that calls {@link answerJobs}, and what it is started with. */
  readonly module: URL;
  readonly data?: unknown;
  readonly workers: number;
}

/**
 * Gives each thread one job after another, until there are none, or it is over.
 * @throws the error of a thread that failed, after all threads have ended
 */
export async function onThreads<Found>(
  { module, data, workers }: Threads,
  nextJob: () => Job | undefined,
  isOver: () => boolean,
  onAnswer: (answer: JobAnswer<Found>) => void,
): Promise<void> {
  const threads = Array.from({ length: workers }, () => new Worker(module, { workerData: data }));
  const work = (thread: Worker) =>
    new Promise<void>((done, failed) => {
      const give = () => {
        const job = isOver() ? undefined : nextJob();
        if (job === undefined) done();
        else thread.postMessage(job);
      };
      thread.on('message', (answer: JobAnswer<Found>) => {
        onAnswer(answer);
        if (answer.ended) give();
        else if (isOver()) done();
      });
      thread.on('error', failed);
      give();
    });
  try {
    await Promise.all(threads.map(work));
  } finally {
    await Promise.all(threads.map((thread) => thread.terminate()));
  }
}

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
  /**
   * Called after each range.
   * @param found of that range
   */
  readonly progress: (summary: Summary, found: Summary) => void;
}

/** Runs seeds on several threads, until all are played, the time is up, or enough was found: all up to the last that was played. */
export async function runOnThreads(wanted: SeedsWanted): Promise<Summary> {
  const { seed, seeds, minutes, steps, rangeSize, maxShown, enough, progress } = wanted;
  const summary = emptySummary();
  const started = performance.now();
  const last = seed + seeds - 1;
  function* ranges(): Generator<SeedRange, undefined> {
    for (let from = seed; from <= last; from += rangeSize) {
      const shown = summary.failures.length < maxShown;
      yield { from, to: Math.min(last, from + rangeSize - 1), steps, shown };
    }
  }
  const left = ranges();
  await onThreads<Summary>(
    { ...wanted, workers: Math.min(wanted.workers, Math.ceil(seeds / rangeSize)) },
    () => left.next().value,
    () => performance.now() - started > minutes * 60_000 || enough(summary),
    ({ found }) => {
      add(summary, found);
      progress(summary, found);
    },
  );
  summary.seconds = (performance.now() - started) / 1000;
  return summary;
}

/** The thread's side of {@link onThreads}. */
export function answerJobs(
  runRange: (range: SeedRange) => Promise<Summary>,
  worlds: readonly SmallWorld[],
): void {
  parentPort?.on('message', async (job: Job) => {
    const say = (found: unknown, ended = true) => parentPort?.postMessage({ job, found, ended });
    if ('from' in job) return say(await runRange(job));
    const world = worlds[job.world];
    if (world !== undefined) say(await explore(world, { ...job, onStates: (so) => say(so, false) }));
  });
}
