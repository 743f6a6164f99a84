import type { Outcome } from './run.ts';
import type { Scenario } from './scenario.ts';
import { Attempt } from './shrink/attempt.ts';
import { joinRequests } from './shrink/join.ts';
import { leaveOutGroups, leaveOutPairs, leaveOutRanges, leaveOutWrites } from './shrink/leave-out.ts';
import { simplify } from './shrink/simplify.ts';
import type { Functions } from './world/worker-under-test.ts';

/** Steps and requests that shrinking plays at most: about 15 s of one core. */
const budget = 450_000;

/** Steps that a person reads through. */
export const fewSteps = 20;

/**
 * The steps of a failing run that matter: leaving out any of them, the same promise would be kept. What else made it
 * longer than it need be is simpler as well: requests of an invocation that can be served in one go are one step. The
 * same run shrinks to the same steps.
 */
export async function shrink(scenario: Scenario, outcome: Outcome, functions?: Functions): Promise<Outcome> {
  const { table } = scenario(outcome.seed).registry;
  const attempt = new Attempt(scenario, outcome, budget, functions);
  for (let before = Number.POSITIVE_INFINITY; attempt.steps.length < before && !attempt.isOver; ) {
    before = attempt.steps.length;
    await leaveOutRanges(attempt);
    await leaveOutGroups(attempt);
    await leaveOutWrites(attempt, table);
    await joinRequests(attempt);
    await simplify(attempt);
    await leaveOutRanges(attempt);
    if (attempt.steps.length > fewSteps && attempt.steps.length === before) await leaveOutPairs(attempt);
  }
  return attempt.best;
}
