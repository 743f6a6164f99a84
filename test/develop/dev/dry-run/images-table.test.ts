import fc from 'fast-check';
import { expect, test } from 'vitest';
import { imagesTable } from '../../../../src/develop/dev/dry-run/images-table.ts';
import { ModelTable } from '../../../../src/develop/testing/table-model/model-table.ts';
import { ModelTablePort } from '../../../../src/develop/testing/table-model/model-table-port.ts';
import type { CopyLocation } from '../../../../src/model/copy-location.ts';
import { keyOf } from '../../../../src/model/item.ts';
import type { Cursor } from '../../../../src/model/message.ts';
import type { TablePort } from '../../../../src/worker/ports.ts';
import { item } from '../../../fixtures/model/items.ts';
import { table } from '../../../fixtures/model/table.ts';

const part = fc.constantFrom('p', 'q');
const sort = fc.constantFrom('a', 'a#1', 'a#2', 'b', 'é', '😀', '～');
const images = fc.array(
  fc
    .record({ Part: part, Sort: sort, OwnerPart: fc.option(part, { nil: undefined }), OwnerSort: sort })
    .map(item),
  { maxLength: 12 },
);
const partition = fc.record({
  in: fc.constant('partition' as const),
  pk: part,
  begins: fc.constantFrom(undefined, 'a', 'a#'),
});
const index = partition.map(({ pk, begins }) => ({ in: 'index', index: 'ByOwner', pk, begins }) as const);

test('images are read like a table that contains them, page by page', async () => {
  await fc.assert(
    fc.asyncProperty(
      images,
      fc.oneof(partition, index),
      fc.integer({ min: 1, max: 4 }),
      async (items, location, limit) => {
        const model = new ModelTable(table);
        for (const one of items) model.put(one);
        const port = new ModelTablePort(model);
        const stand = imagesTable(table, items);

        expect(await pages(stand, location, limit)).toEqual(await pages(port, location, limit));
        const keys = items.map((one) => keyOf(table, one) ?? { pk: '', sk: '' });
        for (const key of keys) expect(await stand.get(key)).toEqual(model.read(key));
      },
    ),
  );
});

test('images are never written', async () => {
  const stand = imagesTable(table, [item({ Part: 'p', Sort: 's' })]);
  const key = { pk: 'p', sk: 's' };

  expect(await stand.update([{ key, set: { Name: { S: 'x' } }, remove: [], expect: {} }])).toEqual([
    'refused',
  ]);
  expect(
    await stand.transact({ key, expect: 'absent' }, [{ key, clear: undefined, expect: {}, size: 1 }]),
  ).toEqual(['refused']);
  expect(await stand.get(key)).toEqual(item({ Part: 'p', Sort: 's' }));
});

/** Every page of a location; index entries with equal keys may be in any order. */
async function pages(
  port: TablePort,
  location: Exclude<CopyLocation, { in: 'key' | 'keys' }>,
  limit: number,
): Promise<unknown[]> {
  const found: unknown[] = [];
  let from: Cursor | undefined;
  do {
    const page =
      location.in === 'partition'
        ? await port.query(location, limit, from)
        : await port.query(location, limit, from);
    found.push(...page.entries);
    from = page.next;
  } while (from !== undefined);
  return location.in === 'index'
    ? found.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))
    : found;
}
