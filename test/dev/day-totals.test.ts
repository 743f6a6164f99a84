import { test } from 'vitest';
import { expectDayTotals } from './day-totals.ts';

test('days come with their first order, go with their last, and have its exact totals', async () => {
  await expectDayTotals(300);
});
