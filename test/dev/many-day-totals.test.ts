import { test } from 'vitest';
import { expectDayTotals } from './day-totals.ts';

test('10,000 orders, in any order, twice and with deletions, have exact totals by day', async () => {
  await expectDayTotals(10_000);
}, 600_000);
