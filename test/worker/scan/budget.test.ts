import { describe, expect, test } from 'vitest';
import { VirtualClock } from '../../../src/develop/testing/table-model/virtual-clock.ts';
import { Budget, unlimited } from '../../../src/worker/scan/budget.ts';

describe('a budget', () => {
  test('grants units when they are available, and not before', async () => {
    const clock = new VirtualClock(0);
    const budget = new Budget(100, clock);

    await budget.take(50);
    expect(clock.now()).toBe(500);
    await budget.take(100);
    expect(clock.now()).toBe(1500);
  });

  test('serves requests in order', async () => {
    const clock = new VirtualClock(0);
    const budget = new Budget(10, clock);
    const served: string[] = [];

    await Promise.all(
      ['large', 'small', 'smaller'].map((who, index) =>
        budget.take([100, 10, 1][index] ?? 0).then(() => served.push(`${who} at ${clock.now()}`)),
      ),
    );

    expect(served).toEqual(['large at 10000', 'small at 11000', 'smaller at 11100']);
  });

  test('saves at most a second’s worth of unused units', async () => {
    const clock = new VirtualClock(0);
    const budget = new Budget(100, clock);
    await clock.sleep(60_000);

    await budget.take(100);
    expect(clock.now()).toBe(60_000);
    await budget.take(1);
    expect(clock.now()).toBe(60_010);
  });

  test('makes later requests wait for a price above the estimate', async () => {
    const clock = new VirtualClock(0);
    const budget = new Budget(100, clock);

    await budget.take(1);
    budget.correct(99);
    await budget.take(1);

    expect(clock.now()).toBe(1010);
  });

  test('makes a request that waits already wait for a price above the estimate', async () => {
    const clock = new VirtualClock(0);
    const budget = new Budget(100, clock);

    const waiting = budget.take(100);
    await Promise.resolve();
    budget.correct(50);
    await waiting;

    expect(clock.now()).toBe(1500);
  });

  test('returns the difference of a price below the estimate', async () => {
    const clock = new VirtualClock(0);
    const budget = new Budget(100, clock);

    await budget.take(100);
    budget.correct(-90);
    await budget.take(10);

    expect(clock.now()).toBe(1000);
  });

  test('never waits if it is unlimited', async () => {
    const clock = new VirtualClock(0);
    const budget = unlimited(clock);

    await budget.take(1_000_000);
    budget.correct(1_000_000);
    await budget.take(1_000_000);

    expect(clock.now()).toBe(0);
  });
});
