/**
 * `npm run bench`: what this project costs beside what it is compared with, as ratios. Both sides do the same work on the same
 * stub of AWS in the same run, in turn; CPU is that of all threads of a process.
 */
import { loadavg } from 'node:os';
import { Command, Option } from 'commander';
import { countOption, rate } from '../src/cli/options/option-values.ts';
import { comparisonsIn, ids } from './comparisons.ts';
import { measured, type Result, record, tableOf, worse } from './results.ts';
import { Workshop } from './samplers.ts';

interface Options {
  readonly rounds: number;
  readonly seconds: number;
  readonly only: readonly string[];
  readonly held?: true;
  readonly record?: true;
  readonly json?: true;
}

const options = new Command('bench')
  .option('--rounds <count>', 'samples of each side; a figure is their lower quartile', countOption, 20)
  .option('--seconds <number>', 'how long a sample repeats its work, at least once', rate, 0.3)
  .addOption(new Option('--only <names...>', 'these comparisons only').choices(ids).default(ids, 'all'))
  .option('--held', 'exits 1 if a ratio is twice worse than that in bench/held.json by more than its noise')
  .option('--record', 'writes the ratios into bench/held.json')
  .option('--json', 'for machines')
  .exitOverride(({ exitCode }) => process.exit(exitCode && 2))
  .parse()
  .opts<Options>();
const { rounds, seconds } = options;

const results = await resultsOf(options.only);
const load = loadavg().map((average) => average.toFixed(1));
if (options.record) record(results);
if (options.json) console.log(JSON.stringify({ rounds, load, results }, null, 2));
else
  console.log(
    `${tableOf(results)}\n\nLower quartiles of ${rounds} samples. Load of the machine: ${load.join(', ')}.`,
  );
if (options.held) await hold(worse(results));

async function resultsOf(some: readonly string[]): Promise<Result[]> {
  const workshop = new Workshop();
  try {
    return await measured(await comparisonsIn(workshop, { only: some, seconds }), rounds);
  } finally {
    workshop.close();
  }
}

/** Other work on the machine may have cost one side more: what is worse is measured once more. */
async function hold(suspected: readonly Result[]): Promise<void> {
  if (suspected.length === 0) return;
  const again = await resultsOf(suspected.map(({ id }) => id));
  console.log(`\nOnce more:\n\n${tableOf(again)}`);
  for (const { title } of worse(again)) {
    console.error(`Worse than bench/held.json, by more than the noise: ${title}`);
    process.exitCode = 1;
  }
}
