import { describe, expect, test } from 'vitest';
import { type Item, type KeyedItem, keyText } from '../../../src/model/items/item.ts';
import { ModelScan } from '../../../src/testing/table-model/model-scan.ts';
import { ModelTable } from '../../../src/testing/table-model/model-table.ts';
import { Budget, unlimited } from '../../../src/worker/budget.ts';
import {
  isFinished,
  type ScanPoint,
  sampleOf,
  scanPointSchema,
  scanTable,
  type TableScan,
  wholeTable,
} from '../../../src/worker/scan/scan-table.ts';
import { item } from '../../fixtures/model/items.ts';
import { table } from '../../fixtures/model/table.ts';
import { VirtualClock } from '../../fixtures/virtual-clock.ts';
import { keyIn } from '../../fixtures/world/worker.ts';

describe('a scan', () => {
  test('misses nothing and sees nothing twice when it is stopped after every few pages', async () => {
    const { seen, all, run } = scanOf(500);
    let point = wholeTable(4);
    let runs = 0;
    for (; !isFinished(point); runs += 1) {
      let pages = 0;
      await run({
        budget: new Budget(1, new VirtualClock()),
        point: scanPointSchema.parse(JSON.parse(JSON.stringify(point))),
        concurrency: 2,
        stop: () => pages >= 5,
        onPage: (page) => {
          pages += 1;
          point = page.point;
        },
      });
    }

    expect(runs).toBeGreaterThan(3);
    expect(seen.toSorted()).toEqual(all);
  });

  test('moves past a page only after its visit', async () => {
    const { seen, all, run, visit } = scanOf(100);
    let told: ScanPoint = wholeTable(1);
    const settings: Partial<TableScan> = {
      budget: new Budget(40, new VirtualClock()),
      onPage: ({ point }) => {
        told = point;
      },
    };
    const killed = async (items: readonly KeyedItem[]) => {
      if (seen.length > 0) throw new Error('killed');
      await visit(items);
    };

    await expect(run({ ...settings, visit: killed })).rejects.toThrow('killed');
    await run({ ...settings, point: told });

    expect(seen.toSorted()).toEqual(all);
  });

  test('calls what a visit resolves to when the position moves, before onPage', async () => {
    const said: string[] = [];

    await scanOf(10).run({
      async visit() {
        said.push('visited');
        return () => said.push('moved');
      },
      onPage: () => void said.push('told'),
    });

    expect(said).toEqual(['visited', 'moved', 'told']);
  });

  test.each([10, 3_000, 60_000])('keeps within its budget with items of %d bytes', async (bytes) => {
    const { scan, run } = scanOf(400, bytes);
    const clock = new VirtualClock(0);

    await run({ budget: new Budget(10, clock), point: wholeTable(4), concurrency: 4 });

    const allowed = (clock.now() / 1000) * 10;
    // The last pages may have been dearer than their estimates: nobody came after them to wait for it.
    expect(scan.units).toBeLessThanOrEqual(allowed * 1.1 + 4);
    if (scan.units > 20) expect(scan.units).toBeGreaterThan(allowed * 0.9);
  });

  test('starts nothing after a visit has failed', async () => {
    const { scan, run } = scanOf(400);
    const visit = () => Promise.reject(new Error('no permission'));

    await expect(run({ visit, point: wholeTable(100), concurrency: 4 })).rejects.toThrow('no permission');
    expect(scan.pages).toBeLessThanOrEqual(8);
  });
});

describe('a sample', () => {
  test.each([
    ['a tenth', 4000, 0.1, 200, 700],
    ['the whole', 200, 1, 200, 200],
  ])('of %s of a table reads about that share', async (_, items, share, least, most) => {
    const { seen, run } = scanOf(items);

    await run({ point: sampleOf(share, seeded()), concurrency: 2 });

    expect(new Set(seen).size).toBe(seen.length);
    expect(seen.length).toBeGreaterThanOrEqual(least);
    expect(seen.length).toBeLessThanOrEqual(most);
  });

  test('takes ten segments, none twice', () => {
    const { segments } = sampleOf(0.01, seeded());

    expect(new Set(segments.map(({ index }) => index)).size).toBe(10);
    expect(segments.every(({ of }) => of === 1000)).toBe(true);
    expect(sampleOf(0.000_001, seeded()).segments[0]?.of).toBe(1_000_000);
  });
});

/** A scan of so many items, two to a partition, and the keys that its visits see. */
function scanOf(items: number, bytes = 10) {
  const model = new ModelTable(table);
  for (let number = 0; number < items; number += 1)
    model.put(
      item({ Part: `part ${Math.floor(number / 2)}`, Sort: `${number % 2}`, Text: 'x'.repeat(bytes) }),
    );
  const scan = new ModelScan(model);
  const seen: string[] = [];
  const visit = async (some: readonly KeyedItem[]) => void seen.push(...some.map(({ key }) => keyText(key)));
  const defaults = {
    scan,
    visit,
    budget: unlimited(new VirtualClock()),
    point: wholeTable(1),
    concurrency: 1,
  };
  const run = (settings: Partial<TableScan>) => scanTable({ ...defaults, ...settings });
  return { scan, seen, visit, run, all: model.items().map(keyOf).toSorted() };
}

function keyOf(one: Item): string {
  return keyText(keyIn(one));
}

function seeded(): () => number {
  let state = 7;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}
