import type { KeyedItem } from '../../model/items/item.ts';
import type { ScanPort } from '../../worker/ports.ts';

/** A sample has a page of each of these segments: items from all over the table. */
const segments = 8;

export async function sampleItems(scan: ScanPort, count: number): Promise<readonly KeyedItem[]> {
  const items: KeyedItem[] = [];
  for (let index = 0; index < segments && items.length < count; index += 1)
    items.push(...(await scan.scan({ index, of: segments }, Math.ceil(count / segments))).entries);
  return items;
}
