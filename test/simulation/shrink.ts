import { type Outcome, replay } from './run.ts';
import type { Step } from './world/step.ts';
import type { Functions } from './world/worker-under-test.ts';

/** Replays that shrinking takes at most. */
const mostReplays = 1500;

/**
 * The steps of a failing run that matter: leaving out any of them, the same promise would be kept. Halves are left out
 * first, then quarters, down to single steps, until nothing more can go.
 */
export async function shrink(outcome: Outcome, functions?: Functions): Promise<Outcome> {
  const broken = outcome.violations[0]?.what;
  let best = outcome;
  let replays = 0;
  const tryWith = async (steps: readonly Step[]): Promise<boolean> => {
    replays += 1;
    if (replays > mostReplays) return false;
    const tried = await replay(outcome.seed, steps, functions);
    if (tried.violations[0]?.what !== broken) return false;
    best = tried;
    return true;
  };
  for (let before = Number.POSITIVE_INFINITY; best.steps.length < before; ) {
    before = best.steps.length;
    for (let size = Math.ceil(before / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2))
      for (let start = best.steps.length - size; start > -size; start -= size) {
        const from = Math.max(0, start);
        const left = [...best.steps.slice(0, from), ...best.steps.slice(start + size)];
        if (left.length < best.steps.length) await tryWith(left);
      }
    await simplify(best.steps, tryWith);
  }
  return best;
}

/** Tries to leave single writes out of the steps that are left, and to serve fewer requests at once. */
async function simplify(
  steps: readonly Step[],
  tryWith: (steps: readonly Step[]) => Promise<boolean>,
): Promise<void> {
  let current = steps;
  for (let index = 0; index < current.length; index += 1) {
    const step = current[index];
    if (step?.do !== 'write') continue;
    for (let write = step.writes.length - 1; write >= 0; write -= 1) {
      const now = current[index];
      if (now?.do !== 'write' || now.writes.length < 2) break;
      const writes = now.writes.filter((_, at) => at !== write);
      const simpler = current.with(index, { ...now, writes });
      if (await tryWith(simpler)) current = simpler;
    }
  }
}
