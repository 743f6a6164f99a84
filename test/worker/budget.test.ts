import { expect, test } from 'vitest';
import { Budget } from '../../src/worker/budget.ts';
import { VirtualClock } from '../fixtures/virtual-clock.ts';

type Steps = (budget: Budget, clock: VirtualClock) => Promise<unknown>;

test.each<[string, number, Steps, number]>([
  ['grants units when they are available, and not before', 100, (budget) => budget.take(50), 500],
  [
    'saves at most a second’s worth of unused units',
    100,
    async (budget, clock) => {
      await clock.sleep(60_000);
      await budget.take(101);
    },
    60_010,
  ],
  [
    'makes later requests wait for a price above the estimate',
    100,
    async (budget) => {
      await budget.spend(1, async (report) => report(100));
      await budget.take(1);
    },
    1010,
  ],
  [
    'makes a request that waits already wait for a price above the estimate',
    100,
    async (budget) => {
      let waiting: Promise<void> | undefined;
      await budget.spend(0, async (report) => {
        waiting = budget.take(100);
        report(50);
      });
      await waiting;
    },
    1500,
  ],
  [
    'returns the difference of a price below the estimate',
    100,
    async (budget) => {
      await budget.spend(100, async (report) => report(10));
      await budget.take(10);
    },
    1000,
  ],
  [
    'never waits if it is unlimited',
    Number.POSITIVE_INFINITY,
    async (budget) => {
      await budget.spend(1_000_000, async (report) => report(2_000_000));
      await budget.take(1_000_000);
    },
    0,
  ],
])('a budget %s', async (_, unitsPerSecond, steps, milliseconds) => {
  const clock = new VirtualClock(0);
  await steps(new Budget(unitsPerSecond, clock), clock);

  expect(clock.now()).toBe(milliseconds);
});

test.each<[string, (report: (units: number) => void) => Promise<unknown>, number]>([
  ['what it reports, however often', async (report) => [report(2), report(3)], 5],
  ['its estimate if it reports nothing', async () => {}, 10],
  ['what it reported before it failed', async (report) => Promise.reject([report(4)]), 4],
  ['its estimate if it failed before it reported anything', async () => Promise.reject([]), 10],
])('a request costs %s', async (_, send, units) => {
  const budget = new Budget(Number.POSITIVE_INFINITY, new VirtualClock(0));
  await budget.spend(10, send).catch(() => {});

  expect(budget.taken).toBe(units);
});

test('a budget serves requests in order', async () => {
  const clock = new VirtualClock(0);
  const budget = new Budget(10, clock);
  const served: string[] = [];

  await Promise.all(
    [100, 10, 1].map((units) => budget.take(units).then(() => served.push(`${units} at ${clock.now()}`))),
  );

  expect(served).toEqual(['100 at 10000', '10 at 11000', '1 at 11100']);
});
