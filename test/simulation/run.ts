import * as simulation from '../../src/simulator/run.ts';
import { scenario } from './scenario.ts';

/** The command that plays seeds. */
export const command = 'npm run simulate --';

/** Plays the run that a seed decides. */
export function run(seed: number): Promise<simulation.RunOutcome> {
  return simulation.run(scenario, seed);
}
