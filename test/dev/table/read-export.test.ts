import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { makeExport } from '../../../scripts/make-export.ts';
import { checkedExport, itemsOfFile } from '../../../src/dev/table/read-export.ts';
import type { Item } from '../../../src/model/items/item.ts';
import { newFolder } from '../../suites/new-folder.ts';

test('an export has the items that its files have', async () => {
  const folder = newFolder();
  makeExport(folder, 12);
  const { items, files, at } = await checkedExport(folder, new AbortController().signal);
  const read = (await Promise.all(files.map(itemsIn))).flat();

  expect({ items, at }).toEqual({ items: 12, at: '2026-11-20T03:00:00.000Z' });
  expect(read).toHaveLength(12);
  expect(read[0]).toMatchObject({ PK: { S: 'USER#0' }, userId: { S: '0' } });
});

test('a line without an item is left out', async () => {
  const file = join(newFolder(), 'a.json.gz');
  writeFileSync(file, gzipSync('{"Item":{"PK":{"S":"a"}}}\n{"Item":7}\nnone\n'));

  expect(await itemsIn(file)).toEqual([{ PK: { S: 'a' } }]);
});

async function itemsIn(file: string): Promise<readonly Item[]> {
  const items: Item[] = [];
  for await (const item of itemsOfFile(file)) items.push(item);
  return items;
}
