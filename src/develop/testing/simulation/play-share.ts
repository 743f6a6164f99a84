import { run } from './run.ts';
import type { Scenario } from './scenario.ts';
import { shrink } from './shrink.ts';
import { add, emptySummary, type Share, type Summary } from './summary.ts';
import type { Functions } from './world/worker-under-test.ts';

/** Plays the seeds of a share, one after another. The first that fails is shrunk, where it is to be shown. */
export async function playShare(
  scenario: Scenario,
  { from, to, steps, shown }: Share,
  functions?: Functions,
): Promise<Summary> {
  const summary = emptySummary();
  for (let seed = from; seed <= to; seed += 1) {
    const outcome = await run(scenario, seed, steps, functions);
    const failed = outcome.violations.length > 0;
    const failures =
      failed && shown && summary.failures.length === 0
        ? [{ outcome, shrunk: await shrink(scenario, outcome, functions) }]
        : [];
    add(summary, {
      ...outcome,
      seeds: 1,
      steps: outcome.steps.length,
      faults: new Map(outcome.faults),
      rarities: new Map(outcome.rarities),
      exceptions: new Map(outcome.exceptions),
      violations: failed ? 1 : 0,
      failures,
    });
    // Timers and messages of whoever plays get their turn between two seeds.
    await new Promise((done) => setImmediate(done));
  }
  return summary;
}
