/**
 * A process that plays tests and seeds in the instrumented copy, with one mutant switched on or none. It loads everything
 * once, and is ended by its parent. Usage: `worker.ts <folder> <seeds> [<mutant that is on while files load>]`
 */

import { activate, countFor, hitOnLoad, hitsOf, isOverrun } from './active-mutant.ts';
import { loadCases } from './cases.ts';
import type { Case, DryRun, Request, Trial, TrialRequest } from './messages.ts';
import { play } from './play.ts';
import { watch } from './watchdog.ts';

/** How long a test may take without a mutant, in milliseconds. */
const maxMilliseconds = 60_000;

watch();

const [folder = '.', seeds = '0', onLoad] = process.argv.slice(2);
activate(onLoad);
const { cases, leftOut, failing } = await loadCases(folder, Number(seeds));
activate(undefined);

// Work that a hung or failed case has left behind fails on its own later: that says nothing of the next mutant.
process.on('unhandledRejection', () => {});
process.on('uncaughtException', () => {});
process.on('disconnect', () => process.exit());
process.on('message', async (asked) => {
  process.send?.(await answer(asked as Request));
});
process.send?.('ready');

async function answer(asked: Request): Promise<DryRun | Trial> {
  return asked.do === 'dry-run' ? await dryRun() : await tryOut(asked);
}

/** Plays everything twice, since it has to stand being played over and over. */
async function dryRun(): Promise<DryRun> {
  const played: Case[] = [];
  const red = [...failing];
  for (const one of cases.values()) {
    countFor(one.name);
    const first = await play(one, maxMilliseconds);
    const started = performance.now();
    const second = await play(one, maxMilliseconds);
    const milliseconds = performance.now() - started;
    countFor(undefined);
    const failed = first ?? second;
    if (failed === undefined) played.push({ name: one.name, milliseconds, hits: hitsOf(one.name) });
    else red.push(`${one.name}: ${failed.why}`);
  }
  return { cases: played, onLoad: hitOnLoad(), leftOut: [...leftOut], failing: red };
}

/**
 * Plays the cases one after another until one shows the mutant. That one has to pass again without it: where it does not,
 * something has been left behind, and nothing is known of the mutant.
 */
async function tryOut({ mutant, cases: wanted }: TrialRequest): Promise<Trial> {
  for (const { name, patience, maxHits } of wanted) {
    const one = cases.get(name);
    if (one === undefined) return { status: 'killed', by: name, why: 'it does not load' };
    activate(mutant, maxHits);
    const failed = await play(one, patience);
    const overrun = isOverrun();
    activate(undefined);
    if (failed === undefined) continue;
    const { why } = failed;
    if (overrun) return { status: 'endless', by: name, why };
    if (failed.hung) return { status: 'hung', by: name, why };
    return { status: (await play(one, patience)) === undefined ? 'killed' : 'spoiled', by: name, why };
  }
  return { status: 'survived' };
}
