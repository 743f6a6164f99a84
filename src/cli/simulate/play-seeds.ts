import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import type { RuleSettings } from '../../model/config.ts';
import { add, emptySummary, type Share, type Summary } from '../../testing/simulation/summary.ts';

/** Seeds that a thread plays before it reports. */
const shareSize = 10;

/** Failing seeds after which no others are played: a wrong rule fails in most of them. */
const maxFailures = 3;

export interface SeedsWanted {
  readonly seed: number;
  readonly seeds: number;
  readonly minutes: number;
  readonly steps: number;
  readonly threads: number;
  /** The config file of the project, and the settings of its rules. */
  readonly file: string;
  readonly settings: RuleSettings;
}

/** Plays seeds on several threads, until all are played, the time is up, enough have failed, or somebody stops it. */
export async function playSeeds(
  wanted: SeedsWanted,
  on: { readonly progress: (seeds: number) => void; readonly stopped: () => boolean },
): Promise<Summary> {
  const summary = emptySummary();
  const started = performance.now();
  const until = started + wanted.minutes * 60_000;
  const last = wanted.seed + wanted.seeds - 1;
  let next = wanted.seed;
  const share = (): Share | undefined => {
    const isOver = next > last || performance.now() > until || on.stopped();
    if (isOver || summary.failures.length >= maxFailures) return undefined;
    const from = next;
    next = Math.min(last + 1, from + shareSize);
    return { from, to: next - 1, steps: wanted.steps, shown: true };
  };
  const threads = Math.min(wanted.threads, Math.ceil(wanted.seeds / shareSize));
  await Promise.all(
    Array.from({ length: threads }, () =>
      work(wanted, share, (done) => {
        add(summary, done);
        on.progress(summary.seeds);
      }),
    ),
  );
  summary.seconds = (performance.now() - started) / 1000;
  return summary;
}

/** Keeps one thread busy until there is nothing more to share. */
function work(
  { file, settings }: SeedsWanted,
  share: () => Share | undefined,
  take: (done: Summary) => void,
): Promise<void> {
  return new Promise((done, failed) => {
    // Beside this file, compiled or not.
    const worker = new Worker(
      new URL(`./share-worker${extname(fileURLToPath(import.meta.url))}`, import.meta.url),
      {
        workerData: { file, settings },
      },
    );
    const give = (): void => {
      const one = share();
      if (one !== undefined) worker.postMessage(one);
      else worker.terminate().then(() => done(), failed);
    };
    worker.on('message', (summary: Summary) => {
      take(summary);
      give();
    });
    worker.on('error', failed);
    give();
  });
}
