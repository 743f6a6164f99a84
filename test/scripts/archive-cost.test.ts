import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { costOf, costs, costTable, type LayoutShape } from '../../scripts/archive-costs.ts';
import { measuredLayouts } from '../../scripts/measured-layouts.ts';
import { sampleOrders } from '../../scripts/sample-orders.ts';
import { defaultStorageClass, storageClasses } from '../../src/model/archive-rule.ts';
import { itemSize } from '../../src/model/item-size.ts';

const KB = 1024;
const nothingBeside = { puts: 0, reads: 0, bytes: 0 };
const bare: LayoutShape = {
  itemsPerObject: 1,
  objectBytes: KB,
  looksAtNothing: 0,
  looks: 0,
  beside: nothingBeside,
};
const gbInKb = 2 ** 20;

test('a GB of 1 KB objects in STANDARD costs its puts, and twelve months of a GB', () => {
  const cost = costOf('STANDARD', bare, gbInKb);

  expect(cost.put).toBeCloseTo((gbInKb / 1000) * 0.005, 6);
  expect(cost.year).toBeCloseTo(12 * 0.023, 6);
});

test('an object of an infrequent-access class is billed as at least 128 KB', () => {
  expect(costOf('STANDARD_IA', bare, gbInKb).year).toBeCloseTo(128 * 12 * 0.0125, 6);
  expect(costOf('STANDARD_IA', { ...bare, objectBytes: 256 * KB }, 4096).year).toBeCloseTo(12 * 0.0125, 6);
});

test('an object in Glacier is billed with 32 KB there and 8 KB in STANDARD', () => {
  expect(costOf('GLACIER', bare, gbInKb).year).toBeCloseTo(12 * (33 * 0.0036 + 8 * 0.023), 6);
});

test('INTELLIGENT_TIERING watches objects from 128 KB up', () => {
  expect(costOf('INTELLIGENT_TIERING', bare, gbInKb).year).toBeCloseTo(12 * 0.023, 6);
  expect(costOf('INTELLIGENT_TIERING', { ...bare, objectBytes: 128 * KB }, 8192).year).toBeCloseTo(
    12 * (0.023 + (8192 / 1000) * 0.0025),
    6,
  );
});

test('a look is billed as a read in the class of the object, or in STANDARD if there is none yet', () => {
  const looking = { ...bare, looksAtNothing: 1, looks: 2 };

  expect(costOf('GLACIER_IR', looking, 1000).put).toBeCloseTo(0.02 + 0.0004 + 2 * 0.01, 9);
});

test('a batch shares its requests and its minimum among its items', () => {
  const batch = { ...bare, itemsPerObject: 100, beside: { puts: 1, reads: 0, bytes: KB } };
  const cost = costOf('ONEZONE_IA', batch, 100_000);

  expect(cost.put).toBeCloseTo(0.01 + 0.005, 9);
  expect(cost.year).toBeCloseTo(((1000 * 12) / gbInKb) * (128 * 0.01 + 0.023), 9);
});

test('the sample is orders of 1 KB, a batch of which is compressed to a third or less', () => {
  const { object, batch } = measuredLayouts();

  expect(sampleOrders(3, KB).map(itemSize)).toEqual([KB, KB, KB]);
  expect(object.objectBytes).toBeGreaterThan(KB);
  expect(batch.objectBytes / 100).toBeLessThan(object.objectBytes / 3);
  expect(batch.itemsPerObject).toBe(50);
});

test('no storage class is less expensive than the default one for items of 1 KB in objects of their own', () => {
  const template = readFileSync(new URL('../../template.yaml', import.meta.url), 'utf8');
  const [, ofTemplate] =
    /^ {2}ArchiveStorageClass:\n {4}Type: String\n {4}Default: (\w+)$/m.exec(template) ?? [];
  const all = costs(measuredLayouts()).map(({ storageClass, object: { put, year } }) => ({
    storageClass,
    dollars: put + year,
  }));
  const least = Math.min(...all.map(({ dollars }) => dollars));

  expect(ofTemplate).toBe(defaultStorageClass);
  expect(all).toContainEqual({ storageClass: defaultStorageClass, dollars: least });
});

test('the table has the same rows each time, one for each storage class', () => {
  const table = costTable(costs(measuredLayouts()));

  expect(table.split('\n').slice(2)).toHaveLength(storageClasses.length);
  expect(table).toBe(costTable(costs(measuredLayouts())));
  for (const storageClass of storageClasses) expect(table).toContain(`| \`${storageClass}\` | $`);
});

test('the table in docs/archive.md equals the computed one', () => {
  const docs = readFileSync(new URL('../../docs/archive.md', import.meta.url), 'utf8');

  expect(docs).toContain(costTable(costs(measuredLayouts())));
});
