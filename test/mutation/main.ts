/**
 * `npm run mutate`: changes the source in many small wrong ways and plays the unit tests and 50 seeds of the simulator
 * with each, to see whether they notice. Exits 1 where they notice too few, 2 on wrong use. docs/proofs.md says more.
 */
import { readFileSync } from 'node:fs';
import { availableParallelism, constants } from 'node:os';
import { fileURLToPath } from 'node:url';
import { Command } from 'commander';
import { countOption, rate } from '../../src/cli/options/option-values.ts';
import { progressBar } from '../../src/cli/output/terminal.ts';
import { mutatedFolders } from './folders.ts';
import { type InstrumentedCopy, instrumentedCopy } from './instrumented-copy.ts';
import { dryRunOf, runMutants } from './mutate.ts';
import { isEnough, scoreLine, scoresOf, type Threshold } from './score.ts';
import { compare, survivorsText } from './survivors.ts';

const repository = fileURLToPath(new URL('../..', import.meta.url));

const folders = mutatedFolders.map((name) => `src/${name}`);

const thresholds: readonly Threshold[] = [
  { folder: 'src/worker/propagation/plan', percent: 90 },
  ...folders.map((folder) => ({ folder, percent: 80 })),
];

interface MutateOptions {
  readonly only: string;
  readonly minutes: number;
  readonly seeds: number;
  readonly workers: number;
}

const options = new Command('mutate')
  .option('--only <files>', 'parts of paths, with commas between: only such files', '')
  .option('--minutes <number>', 'when to stop', rate, Number.POSITIVE_INFINITY)
  .option('--seeds <count>', 'seeds of the simulator', countOption, 50)
  .option('--workers <count>', 'processes', countOption, availableParallelism())
  .exitOverride(({ exitCode }) => process.exit(exitCode && 2))
  .parse()
  .opts<MutateOptions>();

/** What fails without a mutant is shown up to so many. */
const maxShown = 10;

async function mutate(options: MutateOptions, copy: InstrumentedCopy): Promise<boolean> {
  const effort = { ...options, until: options.minutes * 60_000 };
  console.log(`${copy.mutants.length} mutants; first, everything is played without any`);
  const dryRun = await dryRunOf(copy.folder, effort);
  for (const why of dryRun.leftOut) console.log(`left out: ${why}`);
  if (dryRun.failing.length > 0) {
    console.error(`Expected everything to pass without a mutant, found ${dryRun.failing.length} that fail:`);
    console.error(dryRun.failing.slice(0, maxShown).join('\n'));
    return false;
  }
  console.log(`${dryRun.cases.length - options.seeds} tests, ${options.seeds} seeds of the simulator`);
  const progress = progressBar({ label: 'mutate', unit: 'mutants', total: copy.mutants.length });
  const results = await runMutants(copy, dryRun, effort, (done) => progress.update(done));
  progress.stop();
  const list = readFileSync(new URL('survivors.md', import.meta.url), 'utf8');
  const isWhole = options.only === '' && results.every(({ status }) => status !== 'untried');
  console.log(survivorsText(compare(results, list), isWhole));
  const scores = scoresOf(thresholds, results);
  console.log(`${Math.round(performance.now() / 1000)} s`);
  console.log(scoreLine(scores));
  return isEnough(scores);
}

async function main(options: MutateOptions): Promise<void> {
  const isWanted = (file: string) => options.only.split(',').some((part) => file.includes(part));
  const copy = await instrumentedCopy(repository, folders, isWanted);
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.once(signal, () => {
      copy.remove();
      process.exit(128 + constants.signals[signal]);
    });
  try {
    if (copy.mutants.length > 0) process.exitCode = (await mutate(options, copy)) ? 0 : 1;
    else console.log(`Nothing to mutate: 0 mutants\n${scoreLine(scoresOf(thresholds, []))}`);
  } finally {
    copy.remove();
  }
}

await main(options);
