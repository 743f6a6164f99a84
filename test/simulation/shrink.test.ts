import { describe, expect, test } from 'vitest';
import { failureText } from '../../src/develop/testing/simulation/report.ts';
import { defaultSteps, type Outcome } from '../../src/develop/testing/simulation/run.ts';
import { fewSteps } from '../../src/develop/testing/simulation/shrink.ts';
import {
  type Functions,
  realFunctions,
} from '../../src/develop/testing/simulation/world/worker-under-test.ts';
import { propagateBatch } from '../../src/worker/propagation/propagate-batch.ts';
import { command, replay, run, shrink } from './run.ts';

/** A worker that takes a lost condition for done. */
const careless: Functions = {
  ...realFunctions,
  propagateBatch: ({ table, ...context }, records) =>
    propagateBatch(
      {
        ...context,
        table: {
          get: (key) => table.get(key),
          getMany: (keys) => table.getMany(keys),
          query: (...asked) => table.query(...asked),
          update: async (updates) => {
            const outcomes = await table.update(updates);
            return outcomes.map((outcome) => (outcome === 'lost' ? 'written' : outcome));
          },
          transact: async (root, removals) => {
            const outcomes = await table.transact(root, removals);
            return outcomes.map((outcome) => (outcome === 'lost' ? 'written' : outcome));
          },
        },
      },
      records,
    ),
};

async function firstFailure(): Promise<Outcome> {
  for (let seed = 1; seed <= 500; seed += 1) {
    const outcome = await run(seed, defaultSteps, careless);
    if (outcome.violations.length > 0) return outcome;
  }
  throw new Error('Expected a failing seed, found none');
}

describe('a failing run', { timeout: 600_000 }, () => {
  test('is shrunk to the same few steps each time, all of which it needs to fail', async () => {
    const outcome = await firstFailure();
    const shrunk = await shrink(outcome, careless);
    const again = await shrink(outcome, careless);
    const played = await replay(outcome.seed, shrunk.steps, careless);

    expect(shrunk.steps.length).toBeLessThanOrEqual(fewSteps);
    expect(again.steps).toEqual(shrunk.steps);
    expect(played.violations[0]?.what).toBe(outcome.violations[0]?.what);
    expect(played.hash).toBe(shrunk.hash);
    for (const index of shrunk.steps.keys()) {
      const { violations } = await replay(outcome.seed, shrunk.steps.toSpliced(index, 1), careless);
      expect(violations[0]?.what).not.toBe(outcome.violations[0]?.what);
    }
  });
});

describe('the report of a failing run', () => {
  const outcome: Outcome = {
    seed: 7,
    steps: Array.from({ length: 200 }, () => ({ do: 'redrive' })),
    requests: 0,
    written: 0,
    hash: '',
    violations: [{ invariant: 1, what: 'a copy is not what its root says', where: 'r [k]' }],
    exceptions: new Map(),
    faults: new Map(),
    rarities: new Map(),
  };
  const write = {
    do: 'write',
    who: 'shop',
    writes: [{ delete: { pk: 'p'.repeat(2000), sk: 's' } }],
  } as const;

  test('contains the broken promise, the remaining steps, and the command that repeats them', () => {
    expect(failureText(outcome, { ...outcome, steps: [write] }, 200, command).split('\n')).toEqual([
      'seed 7 fails after 200 steps, 1 of which matter:',
      '   1. shop deletes ["p… (2000 times)","s"]',
      '  then the world comes to rest, without faults',
      '  promise 1: a copy is not what its root says: r [k]',
      'replay it with: npm run simulate -- --seed 7 --seeds 1 --steps 200',
    ]);
  });

  test('says that it is long if many steps remain', () => {
    const steps = outcome.steps.slice(0, fewSteps + 1);

    expect(failureText(outcome, { ...outcome, steps }, 200, command)).toContain(
      `${fewSteps + 1} of which matter: more than ${fewSteps} could not be left out`,
    );
  });
});
