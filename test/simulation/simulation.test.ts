import { describe, expect, test } from 'vitest';
import { failureText } from '../../src/develop/testing/simulation/report.ts';
import { defaultSteps } from '../../src/develop/testing/simulation/run.ts';
import { command, playShare, replay, run } from './run.ts';

/** `npm run suite long` plays a thousand, and `npm run simulate` as many as it is asked to. */
const seeds = 10;

describe('the simulation', () => {
  test(`finds no broken promise in ${seeds} seeds of ${defaultSteps} steps`, async () => {
    const { failures, violations } = await playShare({
      from: 1,
      to: seeds,
      steps: defaultSteps,
      shown: true,
    });

    expect(
      failures.map(({ outcome, shrunk }) => failureText(outcome, shrunk, defaultSteps, command)),
    ).toEqual([]);
    expect(violations).toBe(0);
  });

  test('plays one seed always in the same way, and different seeds differently', async () => {
    const hashes = [];
    for (const seed of [7, 7, 8]) hashes.push((await run(seed)).hash);

    expect(hashes[0]).toBe(hashes[1]);
    expect(hashes[0]).not.toBe(hashes[2]);
  });

  test('repeats a run from its recorded steps', async () => {
    const played = await run(11);

    expect((await replay(11, played.steps)).hash).toBe(played.hash);
  });
});
