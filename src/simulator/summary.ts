import { addCount } from './oracle/findings.ts';
import { type RunOutcome, replay, run } from './run.ts';
import type { Scenario } from './scenario.ts';
import { allOthers, type Step } from './world/step.ts';
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
  readonly failures: { readonly outcome: RunOutcome; readonly shrunk: RunOutcome }[];
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
    for (const [kind, times] of more[counts]) addCount(sum[counts], kind, times);
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

/** Steps and requests that shrinking plays at most: about 15 s of one core. A count, so that the same run shrinks to the same steps. */
const budget = 450_000;

export const fewSteps = 20;

/** The steps of a failing run that matter: without any of them the promise is kept. The same run shrinks to the same steps. */
export async function shrink(
  scenario: Scenario,
  outcome: RunOutcome,
  functions?: Functions,
): Promise<RunOutcome> {
  const broken = outcome.violations[0]?.what;
  let best = outcome;
  let left = budget;
  /** Plays these steps instead, and keeps them if they break the same promise in the same way. */
  async function attempt(steps: readonly Step[]): Promise<boolean> {
    if (left <= 0) return false;
    const tried = await replay(scenario, outcome.seed, steps, functions);
    left -= tried.steps.length + tried.requests + 20;
    if (tried.violations[0]?.what !== broken) return false;
    best = tried;
    return true;
  }
  /** Halves, then quarters, down to single steps, the last of them first. */
  async function leaveOutRanges(): Promise<void> {
    for (let size = Math.ceil(best.steps.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2))
      for (let start = best.steps.length - size; start > -size; start -= size) {
        const from = Math.max(0, start);
        const rest = best.steps.toSpliced(from, start + size - from);
        if (rest.length < best.steps.length) await attempt(rest);
      }
  }
  async function simplify(): Promise<void> {
    for (let index = 0; index < best.steps.length; index += 1)
      for (const simpler of simplerThan(best.steps[index])) {
        const before = best.steps.length;
        if (!(await attempt(best.steps.toSpliced(index, 1, simpler)))) continue;
        if (best.steps.length < before) index -= 1;
        break;
      }
  }
  for (let before = Number.POSITIVE_INFINITY; best.steps.length < before && left > 0; ) {
    before = best.steps.length;
    await leaveOutRanges();
    await simplify();
    await leaveOutRanges();
  }
  return best;
}

/** No fault, all requests of an invocation in one go, fewer records or writes, time enough. */
function simplerThan(step: Step | undefined): Step[] {
  switch (step?.do) {
    case 'serve':
      return [
        ...(step.more === allOthers
          ? []
          : [{ ...step, request: undefined, fault: undefined, more: allOthers }]),
        ...(step.fault === undefined ? [] : [{ ...step, fault: undefined }]),
      ];
    case 'read':
    case 'receive':
      return [
        ...(step.requestsInTime === undefined ? [] : [{ ...step, requestsInTime: undefined }]),
        ...(step.do === 'receive' || step.again === 'next' ? [] : [{ ...step, again: 'next' as const }]),
        ...(step.most === 1 ? [] : [{ ...step, most: 1 }]),
      ];
    case 'write':
      return step.writes.length === 1
        ? []
        : step.writes.map((_, index) => ({ ...step, writes: step.writes.toSpliced(index, 1) }));
    default:
      return [];
  }
}
