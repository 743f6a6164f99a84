import { describe, expect, test } from 'vitest';
import { failureText } from '../../src/develop/testing/simulation/report.ts';
import { defaultSteps } from '../../src/develop/testing/simulation/run.ts';
import { command, playShare } from './run.ts';

const seeds = 1000;

describe('the simulation', () => {
  test(`finds no broken promise in ${seeds} seeds of ${defaultSteps} steps`, {
    timeout: 600_000,
  }, async () => {
    const { failures, violations, faults, rarities, exceptions } = await playShare({
      from: 1,
      to: seeds,
      steps: defaultSteps,
      shown: true,
    });

    expect(
      failures.map(({ outcome, shrunk }) => failureText(outcome, shrunk, defaultSteps, command)),
    ).toEqual([]);
    expect(violations).toBe(0);
    expect(Math.min(...faults.values())).toBeGreaterThan(0);
    expect([...faults.keys()]).toEqual(expect.arrayContaining(['unreadable records', 'unreadable messages']));
    expect(Math.min(...rarities.values())).toBeGreaterThan(0);
    expect(exceptions.get('writes of a part of a very wide copy')).toBeGreaterThan(0);
  });
});
