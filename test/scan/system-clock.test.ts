import { expect, test } from 'vitest';
import { systemClock } from '../../src/scan/system-clock.ts';

test('the machine’s clock says the time, and goes on while somebody sleeps', async () => {
  const before = Date.now();
  const began = systemClock.now();

  await systemClock.sleep(20);

  expect(began).toBeGreaterThanOrEqual(before);
  expect(systemClock.now() - began).toBeGreaterThanOrEqual(19);
});
