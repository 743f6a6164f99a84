/**
 * `npm run simulate -- --seeds N --seed S --minutes M --steps L`: plays many seeds on all cores, shows what fails with
 * the steps that matter, and ends with a summary. Exits 1 where a promise was not kept, 2 on wrong use.
 */
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { playOnThreads, type SeedsWanted } from '../../src/develop/testing/simulation/play-on-threads.ts';
import { failureText } from '../../src/develop/testing/simulation/report.ts';
import { defaultSteps } from '../../src/develop/testing/simulation/run.ts';
import { type Summary, summaryText } from '../../src/develop/testing/simulation/summary.ts';
import { command } from './run.ts';

/** Failing seeds that are shown; the others are only counted. */
const maxShown = 3;

function readWish(): SeedsWanted | string {
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

async function simulate(wish: SeedsWanted): Promise<Summary> {
  const started = performance.now();
  const summary = await playOnThreads(wish, {
    module: new URL('./share-worker.ts', import.meta.url),
    shareSize: 50,
    enough: () => false,
    shows: ({ failures }) => failures.length < maxShown,
    reported(done, { seeds }) {
      for (const { outcome, shrunk } of done.failures) {
        clearBar();
        console.log(failureText(outcome, shrunk, wish.steps, command));
      }
      showBar(seeds, wish, started);
    },
  });
  clearBar();
  return summary;
}

function showBar(seeds: number, { seeds: all, minutes }: SeedsWanted, started: number): void {
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
