import { describe, expect, test } from 'vitest';
import { failureText } from '../../src/simulator/report.ts';
import { defaultSteps, replay, run } from '../../src/simulator/run.ts';
import { runSeeds } from '../../src/simulator/summary.ts';
import { command } from './run.ts';
import { scenario } from './scenario.ts';

/** `npm run simulate` plays as many as it is asked to. */
const seeds = 10;

describe('the simulation', () => {
  test(`finds no broken promise in ${seeds} seeds of ${defaultSteps} steps`, async () => {
    const { failures } = await runSeeds(scenario, { from: 1, to: seeds, steps: defaultSteps, shown: true });

    expect(failures.map((failure) => failureText(failure, command))).toEqual([]);
  });

  test('plays one seed always in the same way, also from its recorded steps, and different seeds differently', async () => {
    const played = await run(scenario, 7);

    expect((await run(scenario, 7)).hash).toBe(played.hash);
    expect((await replay(scenario, 7, played.steps)).hash).toBe(played.hash);
    expect((await run(scenario, 8)).hash).not.toBe(played.hash);
  });
});
