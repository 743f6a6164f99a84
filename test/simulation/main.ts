/**
 * `npm run simulate -- --seeds N --seed S --minutes M --steps L`: runs many seeds on all cores, shows what fails with
 * the steps that matter, and ends with a summary and what no seed has met. `--resume` goes on where an earlier run was stopped.
 * `--exhaustive` tries every schedule of small worlds instead, with `--quarter 1` to `4` of every fourth one. Exits 1 where a
 * promise was not kept, or the run was stopped, 2 on wrong use.
 */
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { Command, Option } from 'commander';
import { interruption } from '../../src/cli/interruption.ts';
import { countOption, rate } from '../../src/cli/options/option-values.ts';
import { progressBar } from '../../src/cli/output/terminal.ts';
import { exploreWorlds } from '../../src/cli/simulate/command.ts';
import { exploredText } from '../../src/simulator/exhaustive/explore-on-threads.ts';
import { failureText } from '../../src/simulator/report.ts';
import { defaultSteps } from '../../src/simulator/run.ts';
import { add, type Summary } from '../../src/simulator/summary.ts';
import { runOnThreads, type SeedsWanted } from '../../src/simulator/threads.ts';
import { linesOf, type NotRun, neither } from './coverage.ts';
import { keep, newProgress, type Progress, resumed } from './progress-file.ts';
import { command } from './run.ts';
import { type Quarter, quarters, smallWorldsOf } from './scenario.ts';
import { summaryText, unmetOf, untriedIn } from './summary-text.ts';

const repository = new URL('../../', import.meta.url);

/** Where a run is kept that may be resumed, and after how many seeds. */
const progressFile = '.denorm/simulation.json';
const shardSize = 2000;

/** So many seeds meet every fault and every rarity. */
const seedsThatMeetAll = 1000;

/** Failing seeds that are shown; the others are only counted. */
const maxShown = 3;

interface Options
  extends Pick<SeedsWanted, 'seed' | 'steps' | 'workers'>,
    Partial<Pick<SeedsWanted, 'seeds' | 'minutes'>> {
  readonly exhaustive?: true;
  readonly quarter?: Quarter;
  readonly resume?: true;
}

const options = new Command('simulate')
  .option('--seeds <count>', 'runs to play (default: 1000, or as many as fit into --minutes)', countOption)
  .option('--seed <number>', 'the first of them', countOption, 1)
  .option('--minutes <number>', 'how long to play at most', rate)
  .option('--steps <count>', 'steps of a run', countOption, defaultSteps)
  .option('--resume', `go on where the run before was stopped, and add up (${progressFile})`)
  .option('--exhaustive', 'every schedule of small worlds, instead of seeds')
  .addOption(new Option('--quarter <number>', 'every fourth small world').choices(quarters))
  .option('--workers <count>', 'threads', countOption, availableParallelism())
  .exitOverride(({ exitCode }) => process.exit(exitCode && 2))
  .parse()
  .opts<Options>();
const { minutes = Number.POSITIVE_INFINITY } = options;
const module = new URL('./simulation-thread.ts', import.meta.url);
if (options.exhaustive) {
  const { quarter, workers } = options;
  const worlds = smallWorldsOf(quarter);
  const found = await exploreWorlds(worlds, { module, data: { quarter }, workers, minutes });
  console.log(exploredText(worlds, found));
  process.exit(found.every(({ finished }) => finished) ? 0 : 1);
}
const { seeds = options.minutes === undefined ? 1000 : Number.MAX_SAFE_INTEGER } = options;

const again = options.steps === defaultSteps ? command : `${command} --steps ${options.steps}`;
let played = begin();
if (played.summary.seeds > 0) console.log(`goes on after ${played.summary.seeds} seeds`);

const total = options.minutes === undefined ? seeds : undefined;
const progress = progressBar({ label: 'simulate', unit: 'seeds', total });
const interrupted = interruption();
const end = performance.now() + minutes * 60_000;
while (played.summary.seeds < seeds && performance.now() < end && !interrupted.stop()) await playShard();
interrupted.end();
progress.stop();
const { summary, notRun = {} } = played;
const lines = linesOf(notRun, repository);
if (summary.seeds >= seedsThatMeetAll) for (const line of lines) console.log(`no seed ran ${line}`);
else console.log(`no seed ran something in ${lines.length} lines of src/worker/propagation`);
console.log(summaryText(summary));
/** A fault that no run meets proves nothing of what it should prove. */
const unmet = [...unmetOf(summary.faults, summary.rareEvents), ...untriedIn(summary)];
const isUnmet = summary.seeds >= seedsThatMeetAll && unmet.length > 0;
if (isUnmet)
  console.error(
    `Expected every fault and rare event to be met, and every rule to write, found none of ${unmet.join(', ')}`,
  );
const isStopped = options.minutes === undefined && summary.seeds < seeds;
if (isStopped) console.error(`stopped after ${summary.seeds} of ${seeds} seeds`);
process.exitCode = summary.failed.length > 0 || isUnmet || isStopped ? 1 : 0;

function begin(): Progress {
  const begins = newProgress(fileURLToPath(repository), options);
  try {
    return options.resume ? resumed(progressFile, begins) : begins;
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exit(2);
  }
}

/** A shard that is stopped ends with the ranges that were begun. */
async function playShard(): Promise<void> {
  const before = played.summary.seeds;
  let { notRun } = played;
  const shard = await runOnThreads({
    ...{ ...options, module, data: { notes: 'coverage' }, rangeSize: 50, maxShown },
    seed: options.seed + before,
    seeds: options.resume ? Math.min(shardSize, seeds - before) : seeds,
    minutes: (end - performance.now()) / 60_000,
    enough: interrupted.stop,
    progress(done, found) {
      progress.update(before + done.seeds);
      // The thread beside this file adds it.
      const { notRun: last } = found as Summary & { readonly notRun: NotRun };
      notRun = notRun === undefined ? last : neither(notRun, last);
    },
  });
  for (const failure of shard.failures) console.log(failureText(failure, again));
  add(played.summary, shard);
  played.summary.seconds += shard.seconds;
  played = { ...played, notRun };
  if (options.resume) keep(progressFile, played);
}
