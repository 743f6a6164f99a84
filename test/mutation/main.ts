/**
 * `npm run mutate`: changes the source in many small wrong ways and runs the unit tests and 50 seeds of the simulator with
 * each. Exits 1 if too few mutants are killed, 2 on wrong use. docs/proofs.md says more.
 */
import { readFileSync } from 'node:fs';
import { availableParallelism, constants } from 'node:os';
import { fileURLToPath } from 'node:url';
import { Command } from 'commander';
import { countOption, rate } from '../../src/cli/options/option-values.ts';
import { progressBar } from '../../src/cli/output/terminal.ts';
import { mutatedFolders } from './folders.ts';
import { dryRun, runMutants } from './mutant-runner.ts';
import { createSandbox, type Sandbox } from './sandbox.ts';
import { isEnough, scoreLine, scoresOf, type Threshold } from './score.ts';
import { compare, survivorsText } from './survivors.ts';

const repository = fileURLToPath(new URL('../..', import.meta.url));

const folders = mutatedFolders.map((name) => `src/${name}`);

const thresholds: readonly Threshold[] = [
  { folder: 'src/plan', percent: 90 },
  ...folders.map((folder) => ({ folder, percent: 80 })),
];

interface Options {
  readonly only: string;
  readonly minutes: number;
  readonly seeds: number;
  readonly workers: number;
}

const given = new Command('mutate')
  .option('--only <files>', 'parts of paths, with commas between: only such files', '')
  .option('--minutes <number>', 'when to stop', rate, Number.POSITIVE_INFINITY)
  .option('--seeds <count>', 'seeds of the simulator', countOption, 50)
  .option('--workers <count>', 'processes', countOption, availableParallelism())
  .exitOverride(({ exitCode }) => process.exit(exitCode && 2))
  .parse()
  .opts<Options>();

/** What fails without a mutant is shown up to so many. */
const maxShown = 10;

async function mutate(given: Options, sandbox: Sandbox): Promise<boolean> {
  const options = { ...given, until: given.minutes * 60_000 };
  console.log(`${sandbox.mutants.length} mutants; first, everything runs without any`);
  const dry = await dryRun(sandbox.folder, options);
  for (const why of dry.leftOut) console.log(`left out: ${why}`);
  if (dry.failing.length > 0) {
    console.error(`Expected everything to pass without a mutant, found ${dry.failing.length} that fail:`);
    console.error(dry.failing.slice(0, maxShown).join('\n'));
    return false;
  }
  console.log(`${dry.tests.length - given.seeds} tests, ${given.seeds} seeds of the simulator`);
  const progress = progressBar({ label: 'mutate', unit: 'mutants', total: sandbox.mutants.length });
  const results = await runMutants(sandbox, dry, options, (done) => progress.update(done));
  progress.stop();
  const list = readFileSync(new URL('survivors.md', import.meta.url), 'utf8');
  const isWhole = given.only === '' && results.every(({ status }) => status !== 'not run');
  console.log(survivorsText(compare(results, list), isWhole));
  const scores = scoresOf(thresholds, results);
  console.log(`${Math.round(performance.now() / 1000)} s`);
  console.log(scoreLine(scores));
  return isEnough(scores);
}

async function main(given: Options): Promise<void> {
  const isWanted = (file: string) => given.only.split(',').some((part) => file.includes(part));
  const sandbox = await createSandbox(repository, folders, isWanted);
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.once(signal, () => {
      sandbox.remove();
      process.exit(128 + constants.signals[signal]);
    });
  try {
    if (sandbox.mutants.length > 0) process.exitCode = (await mutate(given, sandbox)) ? 0 : 1;
    else console.log(`Nothing to mutate: 0 mutants\n${scoreLine(scoresOf(thresholds, []))}`);
  } finally {
    sandbox.remove();
  }
}

await main(given);
