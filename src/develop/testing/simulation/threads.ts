import { parentPort, Worker } from 'node:worker_threads';
import { explore, type SmallWorld } from './exhaustive/explore.ts';
import type { SeedRange, Summary } from './summary.ts';

/** What a thread is asked to do: to run seeds, or to explore the small world at this place in the list, up to so many states. */
export type Job = SeedRange | { readonly world: number; readonly most?: number };

/** What a thread has found of its job so far, or in all. */
export interface Answer<Found> {
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
  onAnswer: (answer: Answer<Found>) => void,
): Promise<void> {
  const threads = Array.from({ length: workers }, () => new Worker(module, { workerData: data }));
  const work = (thread: Worker) =>
    new Promise<void>((done, failed) => {
      const give = () => {
        const job = isOver() ? undefined : nextJob();
        if (job === undefined) done();
        else thread.postMessage(job);
      };
      thread.on('message', (answer: Answer<Found>) => {
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
