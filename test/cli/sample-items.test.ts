import { expect, test } from 'vitest';
import { sampleItems } from '../../src/cli/sample-items.ts';
import { keyed } from '../../src/model/items/item.ts';
import type { ScanPort } from '../../src/worker/ports.ts';
import { item } from '../fixtures/model/items.ts';
import { table } from '../fixtures/model/table.ts';

/** A table with so many items in each of its segments. */
function scanned(itemsASegment: number, bytes = 1) {
  const read: string[] = [];
  const port: ScanPort = {
    async scan({ index, of }, limit, from) {
      read.push(`${index} of ${of}`);
      const first = Number(from?.['Sort'] ?? 0);
      const numbers = Array.from({ length: itemsASegment }, (_, n) => n).slice(first, first + limit);
      const next = first + limit < itemsASegment ? { Sort: String(first + limit) } : undefined;
      const entries = numbers.map((n) =>
        keyed(table, item({ Part: `${index}`, Sort: `${n}`, Text: 'x'.repeat(bytes) })),
      );
      return { entries, next, units: 1 };
    },
  };
  return { port, read };
}

test('a sample of a large table has small pages of random segments', async () => {
  const { port, read } = scanned(1000);
  const items = await sampleItems(port, { items: 400, ofAbout: 1_000_000 });

  expect(items).toHaveLength(400);
  expect(read).toHaveLength(20);
  expect(new Set(read).size).toBe(20);
  expect(read.every((segment) => segment.endsWith(' of 1000'))).toBe(true);
  expect(read).not.toEqual(Array.from({ length: 20 }, (_, index) => `${index} of 1000`));
});

test('a sample of a small table is all of it', async () => {
  const { port } = scanned(150);

  expect(await sampleItems(port, { items: 5000, ofAbout: 0 })).toHaveLength(8 * 150);
});

test('a sample of large items ends at 20 MB', async () => {
  const { port, read } = scanned(1000, 300_000);
  await sampleItems(port, { items: 2000, ofAbout: 1_000_000 });

  expect(read).toHaveLength(4);
});
