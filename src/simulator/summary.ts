import { count } from './oracle/findings.ts';
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
  seconds: number;
  readonly faults: Map<string, number>;
  readonly rareEvents: Map<string, number>;
  readonly exceptions: Map<string, number>;
  /** Writes of each rule and aggregate, and states of each archive rule, that were looked at. */
  readonly written: Map<string, number>;
  /** Every seed in which a promise was broken. */
  readonly failed: { readonly seed: number; readonly what: string }[];
  /** Those that are shown, with the steps that matter. */
  readonly failures: { readonly outcome: Outcome; readonly shrunk: Outcome }[];
}

export function emptySummary(): Summary {
  return {
    seeds: 0,
    steps: 0,
    requests: 0,
    seconds: 0,
    faults: new Map(),
    rareEvents: new Map(),
    exceptions: new Map(),
    written: new Map(),
    failed: [],
    failures: [],
  };
}

export function add(sum: Summary, more: Omit<Summary, 'seconds'>): void {
  for (const name of ['seeds', 'steps', 'requests'] as const) sum[name] += more[name];
  for (const counts of ['faults', 'rareEvents', 'exceptions', 'written'] as const)
    for (const [kind, times] of more[counts]) count(sum[counts], kind, times);
  sum.failed.push(...more.failed);
  sum.failures.push(...more.failures);
}

/** Runs the seeds of a range, one after another. The first that fails is shrunk, if it is to be shown. */
export async function runSeeds(
  scenario: Scenario,
  { from, to, steps, shown }: SeedRange,
  functions?: Functions,
): Promise<Summary> {
  const summary = emptySummary();
  for (let seed = from; seed <= to; seed += 1) {
    const outcome = await run(scenario, seed, steps, functions);
    const [violation] = outcome.violations;
    const failed =
      violation === undefined ? [] : [{ seed, what: `${violation.invariant}: ${violation.what}` }];
    const isShown = violation !== undefined && shown && summary.failures.length === 0;
    const failures = isShown ? [{ outcome, shrunk: await shrink(scenario, outcome, functions) }] : [];
    add(summary, { ...outcome, seeds: 1, steps: outcome.steps.length, failed, failures });
    // Timers and messages of the caller get their turn between two seeds.
    await new Promise((done) => setImmediate(done));
  }
  return summary;
}
