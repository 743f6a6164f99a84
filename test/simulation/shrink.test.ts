import { describe, expect, test } from 'vitest';
import { failureText } from '../../src/simulator/report.ts';
import { defaultSteps, type RunOutcome, replay, run } from '../../src/simulator/run.ts';
import { emptySummary, fewSteps, shrink } from '../../src/simulator/summary.ts';
import { type Functions, realFunctions } from '../../src/simulator/world/worker-under-test.ts';
import type { TablePort } from '../../src/worker/ports.ts';
import { propagateBatch } from '../../src/worker/propagation/propagate-batch.ts';
import { command } from './run.ts';
import { worlds } from './scenario.ts';
import { summaryText } from './summary-text.ts';

const scenario = worlds.applications;

/** A worker that writes without conditions. */
const careless: Functions = {
  ...realFunctions,
  propagateBatch: (context, records) => {
    const { table } = context;
    const careless: TablePort = {
      ...table,
      update: (updates) => table.update(updates.map((update) => ({ ...update, expect: {} }))),
    };
    return propagateBatch({ ...context, table: careless }, records);
  },
};

test('a failing run is shrunk to the same few steps each time, all of which it needs to fail', async () => {
  const outcome = await firstFailure();
  const shrunk = await shrink(scenario, outcome, careless);
  const again = await shrink(scenario, outcome, careless);

  expect(shrunk.steps.length).toBeLessThanOrEqual(fewSteps);
  expect(again.steps).toEqual(shrunk.steps);
  expect(await whatBreaks(shrunk.steps)).toBe(outcome.violations[0]?.what);
  for (const index of shrunk.steps.keys())
    expect(await whatBreaks(shrunk.steps.toSpliced(index, 1))).not.toBe(outcome.violations[0]?.what);

  async function whatBreaks(steps: RunOutcome['steps']): Promise<string | undefined> {
    return (await replay(scenario, outcome.seed, steps, careless)).violations[0]?.what;
  }
});

async function firstFailure(): Promise<RunOutcome> {
  for (let seed = 1; seed <= 100; seed += 1) {
    const outcome = await run(scenario, seed, defaultSteps, careless);
    if (outcome.violations.length > 0) return outcome;
  }
  throw new Error('Expected a failing seed, found none');
}

test('the summary says what no seed has met, and which rules wrote nothing', () => {
  const faults = new Map([
    ['outages', 2],
    ['unreadable records', 0],
  ]);

  const written = new Map([
    ['a-rule', 0],
    ['another-rule', 3],
  ]);
  const text = summaryText({ ...emptySummary(), faults, written });

  expect(text).toContain('never met: unreadable records, writes of a-rule\nwritten: 3 another-rule');
});

describe('the report of a failing run', () => {
  const outcome: RunOutcome = {
    seed: 7,
    steps: Array.from({ length: 200 }, () => ({ do: 'redrive' })),
    ...{ requests: 0, written: new Map(), hash: '' },
    violations: [{ invariant: 1, what: 'a copy is not what its root says', where: 'r [k]' }],
    ...{ exceptions: new Map(), faults: new Map(), rareEvents: new Map() },
  };

  test('contains the broken promise, the remaining steps, and the command that repeats them', () => {
    const writes = [{ delete: { pk: 'p'.repeat(2000), sk: 's' } }];
    const shrunk = { ...outcome, steps: [{ do: 'write', who: 'shop', writes } as const] };

    expect(failureText({ outcome, shrunk }, command).split('\n')).toEqual([
      'seed 7 fails after 200 steps, 1 of which matter:',
      '   1. shop deletes ["p… (2000 times)","s"]',
      '  then the world comes to rest, without faults',
      '  promise 1: a copy is not what its root says: r [k]',
      'replay it with: npm run simulate -- --seed 7 --seeds 1',
    ]);
  });

  test('says that it is long if many steps remain', () => {
    const shrunk = { ...outcome, steps: outcome.steps.slice(0, fewSteps + 1) };

    expect(failureText({ outcome, shrunk }, command)).toContain(
      `${fewSteps + 1} of which matter: more than ${fewSteps} could not be left out`,
    );
  });
});
