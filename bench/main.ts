/**
 * `npm run bench`: what this project costs beside what it is compared with, as ratios. Both sides do the same work on the same
 * stub of AWS in the same run, in turn; CPU is that of all threads of a process.
 *
 *   --rounds 20        samples of each side; a figure is their lower quartile
 *   --seconds 0.3      how long a sample repeats its work, at least once
 *   --only copy        this comparison only; may be given again
 *   --held             exits 1 if a ratio is twice worse than that in bench/held.json by more than its noise
 *   --record           writes the ratios into bench/held.json
 *   --json             for machines
 */
import { loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { comparisonsIn, ids } from './comparisons.ts';
import { measured, type Result, record, tableOf, worse } from './results.ts';
import { Workshop } from './samplers.ts';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '20' },
    seconds: { type: 'string', default: '0.3' },
    only: { type: 'string', multiple: true },
    held: { type: 'boolean', default: false },
    record: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
  },
});
const rounds = z.coerce.number().int().min(1).parse(values.rounds);
const seconds = z.coerce.number().positive().parse(values.seconds);
const only = z.array(z.enum(ids)).parse(values.only ?? ids);

const results = await resultsOf(only);
const load = loadavg().map((average) => average.toFixed(1));
if (values.record) record(results);
if (values.json) console.log(JSON.stringify({ rounds, load, results }, null, 2));
else
  console.log(
    `${tableOf(results)}\n\nLower quartiles of ${rounds} samples. Load of the machine: ${load.join(', ')}.`,
  );
if (values.held) await hold(worse(results));

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
