/**
 * A process that runs tests and seeds in the sandbox, with one active mutant or none. It loads everything once, and is ended
 * by its parent. Usage: `test-runner-child.ts <sandbox> <seeds> [<mutant that is active while files load>]`
 */
import { activate, coverageOf, coverFor, isOverHitLimit, staticMutants } from './activation.ts';
import type { CoveringTest, DryRunResult, MutantRun, MutantRunResult, RunnerRequest } from './requests.ts';
import { loadTestCases } from './test-cases.ts';
import { endWithParent, runWithin } from './time-limit.ts';

/** How long a test may take without a mutant, in milliseconds. */
const maxMilliseconds = 60_000;

endWithParent();

const [sandbox = '.', seeds = '0', staticMutant] = process.argv.slice(2);
activate(staticMutant);
const { tests, leftOut, failing } = await loadTestCases(sandbox, Number(seeds));
activate(undefined);

// What a hung or failed test has left behind fails on its own later: that says nothing of the next mutant.
process.on('unhandledRejection', () => {});
process.on('uncaughtException', () => {});
process.on('disconnect', () => process.exit());
process.on('message', async (request: RunnerRequest) => {
  process.send?.(request.run === 'dry' ? await dryRun() : await mutantRun(request));
});
process.send?.('ready');

/** Runs everything twice, since it must pass over and over. */
async function dryRun(): Promise<DryRunResult> {
  const passing: CoveringTest[] = [];
  const failed = [...failing];
  for (const one of tests.values()) {
    coverFor(one.name);
    const first = await runWithin(one, maxMilliseconds);
    const started = performance.now();
    const failure = first ?? (await runWithin(one, maxMilliseconds));
    const milliseconds = performance.now() - started;
    coverFor(undefined);
    if (failure === undefined) passing.push({ name: one.name, milliseconds, hits: coverageOf(one.name) });
    else failed.push(`${one.name}: ${failure.reason}`);
  }
  return { tests: passing, static: staticMutants(), leftOut, failing: failed };
}

/**
 * Runs tests one after another until one kills the mutant. That one has to pass again without it: otherwise something has been
 * left behind, and nothing is known of the mutant.
 */
async function mutantRun({ mutant, tests: covering }: MutantRun): Promise<MutantRunResult> {
  for (const { name: killedBy, timeout, hitLimit } of covering) {
    const one = tests.get(killedBy);
    if (one === undefined) return { status: 'killed', killedBy, reason: 'it does not load' };
    activate(mutant, hitLimit);
    const failure = await runWithin(one, timeout);
    const isOver = isOverHitLimit();
    activate(undefined);
    if (failure === undefined) continue;
    const { reason, timedOut } = failure;
    if (isOver || timedOut) return { status: isOver ? 'hit limit' : 'timeout', killedBy, reason };
    return { status: (await runWithin(one, timeout)) === undefined ? 'killed' : 'flaky', killedBy, reason };
  }
  return { status: 'survived' };
}
