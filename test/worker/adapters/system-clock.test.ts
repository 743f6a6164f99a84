import { expect, test } from 'vitest';
import { systemClock } from '../../../src/worker/adapters/system-clock.ts';

test('the system clock tells the time and sleeps', async () => {
  const before = Date.now();
  const began = systemClock.now();

  await systemClock.sleep(20);

  expect(began).toBeGreaterThanOrEqual(before);
  expect(systemClock.now() - began).toBeGreaterThanOrEqual(19);
});
