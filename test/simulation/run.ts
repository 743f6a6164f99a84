import * as shares from '../../src/develop/testing/simulation/play-share.ts';
import type { Outcome } from '../../src/develop/testing/simulation/run.ts';
import * as simulation from '../../src/develop/testing/simulation/run.ts';
import { shrink as shrinkIn } from '../../src/develop/testing/simulation/shrink.ts';
import type { Share, Summary } from '../../src/develop/testing/simulation/summary.ts';
import type { Step } from '../../src/develop/testing/simulation/world/step.ts';
import type { Functions } from '../../src/develop/testing/simulation/world/worker-under-test.ts';
import { scenario } from './scenario.ts';

/** The command that plays seeds. */
export const command = 'npm run simulate --';

/** Plays the run that a seed decides. */
export function run(seed: number, length?: number, functions?: Functions): Promise<Outcome> {
  return simulation.run(scenario, seed, length, functions);
}

/** Plays these steps in the world of a seed. */
export function replay(seed: number, steps: readonly Step[], functions?: Functions): Promise<Outcome> {
  return simulation.replay(scenario, seed, steps, functions);
}

/** The steps of a failing run that matter. */
export function shrink(outcome: Outcome, functions?: Functions): Promise<Outcome> {
  return shrinkIn(scenario, outcome, functions);
}

/** Plays the seeds of a share, one after another. */
export function playShare(share: Share, functions?: Functions): Promise<Summary> {
  return shares.playShare(scenario, share, functions);
}
