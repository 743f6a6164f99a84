import { type Outcome, run } from './run.ts';
import type { Scenario } from './scenario.ts';
import { shrink } from './shrink.ts';
import type { Functions } from './world/worker-under-test.ts';

export interface SeedRange {
  readonly from: number;
  readonly to: number;
  readonly steps: number;
  readonly shown: boolean;
}

export interface Summary {
  seeds: number;
  steps: number;
  requests: number;
  violations: number;
  seconds: number;
  readonly faults: Map<string, number>;
  readonly rareEvents: Map<string, number>;
  readonly exceptions: Map<string, number>;
  readonly failures: { readonly outcome: Outcome; readonly shrunk: Outcome }[];
}

export function emptySummary(): Summary {
  return {
    ...{ seeds: 0, steps: 0, requests: 0, violations: 0, seconds: 0 },
    ...{ faults: new Map(), rareEvents: new Map(), exceptions: new Map(), failures: [] },
  };
}

export function add(
  sum: Summary,
  more: Pick<Outcome, 'faults' | 'rareEvents' | 'exceptions' | 'requests'> &
    Pick<Summary, 'seeds' | 'steps' | 'violations' | 'failures'>,
): void {
  for (const count of ['seeds', 'steps', 'requests', 'violations'] as const) sum[count] += more[count];
  for (const counts of ['faults', 'rareEvents', 'exceptions'] as const)
    for (const [kind, count] of more[counts]) sum[counts].set(kind, (sum[counts].get(kind) ?? 0) + count);
  sum.failures.push(...more.failures);
}

/** Plays the seeds of a share, one after another. The first that fails is shrunk, if it is to be shown. */
export async function runSeeds(
  scenario: Scenario,
  { from, to, steps, shown }: SeedRange,
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
    const counts = { seeds: 1, steps: outcome.steps.length, violations: failed ? 1 : 0, failures };
    add(summary, { ...outcome, ...counts });
    // Timers and messages of whoever plays get their turn between two seeds.
    await new Promise((done) => setImmediate(done));
  }
  return summary;
}
