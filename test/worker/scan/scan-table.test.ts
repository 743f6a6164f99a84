import { describe, expect, test } from 'vitest';
import { ModelScan } from '../../../src/develop/testing/table-model/model-scan.ts';
import { ModelTable } from '../../../src/develop/testing/table-model/model-table.ts';
import { VirtualClock } from '../../../src/develop/testing/table-model/virtual-clock.ts';
import { type Item, keyText } from '../../../src/model/item.ts';
import { Budget, unlimited } from '../../../src/worker/scan/budget.ts';
import {
  isFinished,
  type ScanPoint,
  sampleOf,
  scanPointSchema,
  scanTable,
  type TableScan,
  wholeTable,
} from '../../../src/worker/scan/scan-table.ts';
import { keyIn } from '../../fixtures/cruises/cruise-worker.ts';
import { item } from '../../fixtures/model/items.ts';
import { table } from '../../fixtures/model/table.ts';

describe('a scan', () => {
  test('visits every item once, in as many segments as there are', async () => {
    const model = tableOf(500);
    const seen: string[] = [];

    const point = await scanTable({ ...over(model, seen), point: wholeTable(7), concurrency: 3 });

    expect(isFinished(point)).toBe(true);
    expect(seen.toSorted()).toEqual(keysOf(model));
  });

  test('misses nothing and sees nothing twice when it is stopped after every few pages', async () => {
    const model = tableOf(500);
    const seen: string[] = [];
    let point = wholeTable(4);

    let runs = 0;
    while (!isFinished(point)) {
      let pages = 0;
      const told: ScanPoint[] = [];
      await scanTable({
        ...over(model, seen),
        budget: new Budget(1, new VirtualClock()),
        point: scanPointSchema.parse(JSON.parse(JSON.stringify(point))),
        concurrency: 2,
        stop: () => pages >= 5,
        onPage: (page) => {
          pages += 1;
          told.push(page.point);
        },
      });
      point = told.at(-1) ?? point;
      runs += 1;
    }

    expect(runs).toBeGreaterThan(3);
    expect(seen.toSorted()).toEqual(keysOf(model));
  });

  test('moves past a page only after its visit', async () => {
    const model = tableOf(100);
    const seen: string[] = [];
    let told: ScanPoint = wholeTable(1);
    const visit = async (items: readonly Item[]) => {
      if (seen.length > 0) throw new Error('killed');
      seen.push(...items.map((one) => keyText(keyIn(one))));
    };
    const scan: TableScan = {
      ...over(model, seen),
      budget: new Budget(40, new VirtualClock()),
      point: told,
      concurrency: 1,
      onPage: ({ point }) => {
        told = point;
      },
    };

    await expect(scanTable({ ...scan, visit })).rejects.toThrow('killed');
    await scanTable({ ...scan, point: told });

    expect(seen.toSorted()).toEqual(keysOf(model));
  });

  test('calls the function that a visit resolves to when the position moves, before onPage', async () => {
    const said: string[] = [];

    await scanTable({
      ...over(tableOf(10), []),
      point: wholeTable(1),
      concurrency: 1,
      async visit() {
        said.push('visited');
        return () => said.push('moved');
      },
      onPage: () => void said.push('told'),
    });

    expect(said).toEqual(['visited', 'moved', 'told']);
  });

  test('reads smaller pages if visits use the budget as well', async () => {
    const pages = async (each: number) => {
      const model = tableOf(2000);
      const scan = new ModelScan(model);
      const budget = new Budget(40, new VirtualClock(0));
      await scanTable({
        ...{ scan, budget, point: wholeTable(1), concurrency: 1 },
        visit: (items) => budget.take(items.length * each),
      });
      return scan.pages;
    };

    expect(await pages(0)).toBeLessThan(12);
    expect(await pages(1)).toBeGreaterThan(100);
  });

  test('keeps within its budget, whatever the size of the items', async () => {
    for (const bytes of [10, 3_000, 60_000]) {
      const model = tableOf(400, bytes);
      const clock = new VirtualClock(0);
      const scan = new ModelScan(model);

      await scanTable({
        ...over(model, []),
        scan,
        budget: new Budget(10, clock),
        point: wholeTable(4),
        concurrency: 4,
      });

      const allowed = (clock.now() / 1000) * 10;
      // The last pages may have been dearer than their estimates: nobody came after them to wait for it.
      expect(scan.units).toBeLessThanOrEqual(allowed * 1.1 + 4);
      if (scan.units > 20) expect(scan.units).toBeGreaterThan(allowed * 0.9);
    }
  });

  test('starts nothing after a visit has failed', async () => {
    const model = tableOf(400);
    const scan = new ModelScan(model);
    const visit = async () => {
      throw new Error('no permission');
    };

    await expect(
      scanTable({ ...over(model, []), scan, visit, point: wholeTable(100), concurrency: 4 }),
    ).rejects.toThrow('no permission');

    expect(scan.pages).toBeLessThanOrEqual(8);
  });
});

describe('a sample', () => {
  test('reads about the requested share of the table', async () => {
    const model = tableOf(4000);
    const seen: string[] = [];

    await scanTable({ ...over(model, seen), point: sampleOf(0.1, seeded()), concurrency: 2 });

    expect(seen.length).toBeGreaterThan(200);
    expect(seen.length).toBeLessThan(700);
  });

  test('of the whole table is the whole table', async () => {
    const model = tableOf(200);
    const seen: string[] = [];

    await scanTable({ ...over(model, seen), point: sampleOf(1, seeded()), concurrency: 2 });

    expect(seen.toSorted()).toEqual(keysOf(model));
  });

  test('takes ten segments, none twice', () => {
    const { segments } = sampleOf(0.01, seeded());

    expect(new Set(segments.map(({ index }) => index)).size).toBe(10);
    expect(segments.every(({ of }) => of === 1000)).toBe(true);
    expect(sampleOf(0.000_001, seeded()).segments[0]?.of).toBe(1_000_000);
  });
});

function over(model: ModelTable, seen: string[]) {
  return {
    scan: new ModelScan(model),
    budget: unlimited(new VirtualClock()),
    async visit(items: readonly Item[]) {
      seen.push(...items.map((one) => keyText(keyIn(one))));
    },
  };
}

/** Two items to a partition. */
function tableOf(items: number, bytes = 10): ModelTable {
  const model = new ModelTable(table);
  for (let number = 0; number < items; number += 1)
    model.put(
      item({ Part: `part ${Math.floor(number / 2)}`, Sort: `${number % 2}`, Text: 'x'.repeat(bytes) }),
    );
  return model;
}

function keysOf(model: ModelTable): string[] {
  return model
    .items()
    .map((one) => keyText(keyIn(one)))
    .toSorted();
}

function seeded(): () => number {
  let state = 7;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}
