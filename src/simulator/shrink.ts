import { type Outcome, replay } from './run.ts';
import type { Scenario } from './scenario.ts';
import { allOthers, type Step } from './world/step.ts';
import type { Functions } from './world/worker-under-test.ts';

/** Steps and requests that shrinking plays at most: about 15 s of one core. A count, so that the same run shrinks to the same steps. */
const budget = 450_000;

export const fewSteps = 20;

/** The steps of a failing run that matter: without any of them the promise is kept. The same run shrinks to the same steps. */
export async function shrink(scenario: Scenario, outcome: Outcome, functions?: Functions): Promise<Outcome> {
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
