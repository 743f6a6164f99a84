import { describe, expect, test } from 'vitest';
import type { KeyedItem } from '../../../src/model/items/item.ts';
import { Budget, unlimited } from '../../../src/worker/budget.ts';
import type { ScanPort } from '../../../src/worker/ports.ts';
import { scanTable, type TableScan, wholeTable } from '../../../src/worker/scan/scan-table.ts';
import { VirtualClock } from '../../fixtures/virtual-clock.ts';

describe('a page of a scan', () => {
  // Half a unit for the first, of which nothing is known; then 12.5 that it did cost, and 10 for the next; 10 more.
  test('costs a quarter of a second of the budget, by the last ones', async () => {
    const { pages, run } = scanOf([0.5, 0.5, 0.5]);
    await run(40);

    expect(pages.map(({ at }) => at)).toEqual([13, 563, 813]);
    const dearer = scanOf([0.5, 2, 0.5, 0.5]);
    await dearer.run(40);
    expect(dearer.pages.map(({ limit }) => limit)).toEqual([25, 20, 11, 12]);
  });

  test('has the maximum size if the budget is unlimited', async () => {
    const { pages, run } = scanOf([0.5, 0.5]);
    await run();

    expect(pages.map(({ limit }) => limit)).toEqual([1_000, 1_000]);
  });

  test('counts one worker’s share of the units taken during its visit', async () => {
    const { pages, run } = scanOf([0.5, 0.5]);
    await run(40, (budget) => ({ concurrency: 2, visit: (items) => budget.take(items.length) }));

    expect(pages.map(({ limit }) => limit)).toEqual([25, 10]);
  });

  test('is not read and costs nothing if the scan is stopped meanwhile', async () => {
    const { pages, run, clock } = scanOf([0.5, 0.5, 0.5]);
    const budget = new Budget(40, clock);

    const { segments } = await run(40, () => ({ budget, stop: () => clock.now() > 100 }));

    expect(pages).toHaveLength(1);
    expect(segments).toEqual([{ index: 0, of: 1, from: { page: '1' }, done: false }]);
    expect(budget.taken).toBe(12.5);
  });

  test('is not read if another visit fails while it waits for the budget', async () => {
    const { pages, run } = scanOf([0.5, 0.5, 0.5]);
    let visits = 0;
    async function visit() {
      visits += 1;
      if (visits === 1) throw new Error('no permission');
    }

    await expect(run(40, () => ({ point: wholeTable(9), concurrency: 2, visit }))).rejects.toThrow(
      'no permission',
    );
    expect(pages).toHaveLength(1);
  });
});

/** A scan whose pages are as large as asked for, each item of the nth costing the nth of these read units. */
function scanOf(prices: readonly number[]) {
  const clock = new VirtualClock(0);
  const pages: { readonly limit: number; readonly at: number }[] = [];
  const scan: ScanPort = {
    async scan(_, limit, from) {
      pages.push({ limit, at: clock.now() });
      const page = Number(from?.['page'] ?? 0);
      const next = page + 1 < prices.length ? { page: String(page + 1) } : undefined;
      return {
        entries: Array<KeyedItem>(limit).fill({ key: { pk: '', sk: '' }, item: {} }),
        next,
        units: limit * (prices[page] ?? 0),
      };
    },
  };
  const run = (unitsPerSecond?: number, settings: (budget: Budget) => Partial<TableScan> = () => ({})) => {
    const budget = unitsPerSecond === undefined ? unlimited(clock) : new Budget(unitsPerSecond, clock);
    const point = wholeTable(1);
    return scanTable({ scan, budget, point, concurrency: 1, visit: async () => {}, ...settings(budget) });
  };
  return { clock, pages, run };
}
