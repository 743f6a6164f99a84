import { expect, test } from 'vitest';
import { measureFanOut } from '../../bench/pace/fan-out.ts';

const copies = 20_000;

test('a paced fan-out uses its ceiling, and leaves the application its share', async () => {
  const paced = await measureFanOut(copies, 800);

  expect(paced.rate).toBeGreaterThanOrEqual(0.95 * 800);
  expect(paced.throttled / paced.statements).toBeLessThanOrEqual(0.02);
  expect(paced.applicationThrottled / paced.applicationWrites).toBeLessThan(0.01);
}, 120_000);

test('above what the partition has left, it finds a pace itself', async () => {
  const paced = await measureFanOut(copies, 1_600);

  expect(paced.throttled / paced.statements).toBeLessThanOrEqual(0.05);
}, 120_000);

test('without a pace, the same fan-out throttles the application', async () => {
  const unpaced = await measureFanOut(copies, Number.POSITIVE_INFINITY);

  expect(unpaced.applicationThrottled / unpaced.applicationWrites).toBeGreaterThan(0.01);
}, 120_000);
