/**
 * `npm run simulate -- --seeds N --seed S --minutes M --steps L`: plays many seeds on all cores, shows what fails with
 * the steps that matter, and ends with a summary. Exits 1 where a promise was not kept, 2 on wrong use.
 */
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { Worker } from 'node:worker_threads';
import { failureText } from '../../src/testing/simulation/report.ts';
import { defaultSteps } from '../../src/testing/simulation/run.ts';
import {
  add,
  emptySummary,
  type Share,
  type Summary,
  summaryText,
} from '../../src/testing/simulation/summary.ts';
import { command } from './run.ts';

/** Seeds that a worker plays before it reports. */
const shareSize = 50;

/** Failing seeds that are shown; the others are only counted. */
const maxShown = 3;

interface Wish {
  readonly seed: number;
  readonly seeds: number;
  readonly minutes: number;
  readonly steps: number;
  readonly workers: number;
}

function readWish(): Wish | string {
  const option = (preset: number | undefined) =>
    preset === undefined ? { type: 'string' as const } : { type: 'string' as const, default: String(preset) };
  try {
    const { values } = parseArgs({
      options: {
        seed: option(1),
        seeds: option(undefined),
        minutes: option(undefined),
        steps: option(defaultSteps),
        workers: option(availableParallelism()),
      },
    });
    const unlimited = values.minutes === undefined ? 1000 : Number.MAX_SAFE_INTEGER;
    const wish = {
      seed: Number(values.seed),
      seeds: values.seeds === undefined ? unlimited : Number(values.seeds),
      minutes: values.minutes === undefined ? Number.POSITIVE_INFINITY : Number(values.minutes),
      steps: Number(values.steps),
      workers: Number(values.workers),
    };
    for (const name of ['seed', 'seeds', 'steps', 'workers'] as const)
      if (!Number.isSafeInteger(wish[name]) || wish[name] < 1)
        return `Expected --${name} to be a whole number from 1 up, got '${values[name]}'`;
    return wish.minutes > 0 ? wish : `Expected --minutes to be a number above 0, got '${values.minutes}'`;
  } catch (error) {
    return `Expected --seed, --seeds, --minutes, --steps and --workers only: ${error instanceof Error ? error.message : error}`;
  }
}

async function simulate(wish: Wish): Promise<Summary> {
  const summary = emptySummary();
  const started = performance.now();
  const until = started + wish.minutes * 60_000;
  let next = wish.seed;
  const last = wish.seed + wish.seeds - 1;
  const share = (): Share | undefined => {
    if (next > last || performance.now() > until) return undefined;
    const from = next;
    next = Math.min(last + 1, from + shareSize);
    return { from, to: next - 1, steps: wish.steps, shown: summary.failures.length < maxShown };
  };
  const workers = Math.min(wish.workers, Math.ceil(wish.seeds / shareSize));
  await Promise.all(
    Array.from({ length: workers }, () =>
      work(share, (done) => {
        add(summary, done);
        for (const { outcome, shrunk } of done.failures) {
          clearBar();
          console.log(failureText(outcome, shrunk, wish.steps, command));
        }
        showBar(summary.seeds, wish, started);
      }),
    ),
  );
  clearBar();
  summary.seconds = (performance.now() - started) / 1000;
  return summary;
}

/** Keeps one worker busy until there is nothing more to share. */
function work(share: () => Share | undefined, take: (done: Summary) => void): Promise<void> {
  return new Promise((done, failed) => {
    const worker = new Worker(new URL('./share-worker.ts', import.meta.url));
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

function showBar(seeds: number, { seeds: all, minutes }: Wish, started: number): void {
  if (!process.stdout.isTTY) return;
  const byTime = (performance.now() - started) / (minutes * 60_000);
  const part = Math.min(1, Math.max(seeds / all, byTime));
  const bar = '='.repeat(Math.round(part * 30)).padEnd(30);
  process.stdout.write(`\r[${bar}] ${Math.round(part * 100)} %  ${seeds} seeds`);
}

function clearBar(): void {
  if (process.stdout.isTTY) process.stdout.write('\r\u001b[2K');
}

const wish = readWish();
if (typeof wish === 'string') {
  console.error(wish);
  process.exitCode = 2;
} else {
  const summary = await simulate(wish);
  console.log(summaryText(summary));
  process.exitCode = summary.violations > 0 ? 1 : 0;
}
