/**
 * `npm run simulate -- --seeds N --seed S --minutes M --steps L`: plays many seeds on all cores, shows what fails with
 * the steps that matter, and ends with a summary. `--exhaustive` tries every schedule of small worlds instead. Exits 1 where a promise
 * was not kept, or a search did not end, 2 on wrong use.
 */
import { availableParallelism } from 'node:os';
import { Command } from 'commander';
import { countOption, rate } from '../../src/cli/options/option-values.ts';
import { progressBar } from '../../src/cli/output/terminal.ts';
import { exploreWorlds } from '../../src/cli/simulate/explore-worlds.ts';
import { exploredText } from '../../src/develop/testing/simulation/exhaustive/explore-on-threads.ts';
import { failureText, summaryText } from '../../src/develop/testing/simulation/report.ts';
import { defaultSteps } from '../../src/develop/testing/simulation/run.ts';
import { runOnThreads, type SeedsWanted } from '../../src/develop/testing/simulation/run-on-threads.ts';
import { command } from './run.ts';
import { allSmallWorlds } from './scenario.ts';

/** So many seeds meet every fault and every rarity. */
const seedsThatMeetAll = 1000;

/** Failing seeds that are shown; the others are only counted. */
const maxShown = 3;

interface Options
  extends Pick<SeedsWanted, 'seed' | 'steps' | 'workers'>,
    Partial<Pick<SeedsWanted, 'seeds' | 'minutes'>> {
  readonly exhaustive?: true;
}

const options = new Command('simulate')
  .option('--seeds <count>', 'runs to play (default: 1000, or as many as fit into --minutes)', countOption)
  .option('--seed <number>', 'the first of them', countOption, 1)
  .option('--minutes <number>', 'how long to play at most', rate)
  .option('--steps <count>', 'steps of a run', countOption, defaultSteps)
  .option('--exhaustive', 'every schedule of small worlds, instead of seeds')
  .option('--workers <count>', 'threads', countOption, availableParallelism())
  .exitOverride(({ exitCode }) => process.exit(exitCode && 2))
  .parse()
  .opts<Options>();
const { minutes = Number.POSITIVE_INFINITY } = options;
const module = new URL('./simulation-thread.ts', import.meta.url);
if (options.exhaustive) {
  const found = await exploreWorlds(allSmallWorlds, { module, workers: options.workers, minutes });
  console.log(exploredText(allSmallWorlds, found));
  process.exit(found.every(({ finished }) => finished) ? 0 : 1);
}
const { seeds = options.minutes === undefined ? 1000 : Number.MAX_SAFE_INTEGER } = options;

const total = options.minutes === undefined ? seeds : undefined;
const progress = progressBar({ label: 'simulate', unit: 'seeds', total });
const summary = await runOnThreads({
  ...{ ...options, seeds, minutes, module, rangeSize: 50, maxShown },
  enough: () => false,
  progress: (done) => progress.update(done),
});
progress.stop();
const again = options.steps === defaultSteps ? command : `${command} --steps ${options.steps}`;
for (const failure of summary.failures) console.log(failureText(failure, again));
console.log(summaryText(summary));
/** A fault that no run meets proves nothing of what it should prove. */
const unmet = [...summary.faults, ...summary.rareEvents].flatMap(([kind, count]) =>
  count > 0 ? [] : [kind],
);
const isUnmet = summary.seeds >= seedsThatMeetAll && unmet.length > 0;
if (isUnmet) console.error(`Expected every fault and rarity to be met, found none of ${unmet.join(', ')}`);
process.exitCode = summary.violations > 0 || isUnmet ? 1 : 0;
