import type { KeyedItem } from '../model/items/item.ts';
import { itemSize } from '../model/items/item-size.ts';
import type { Cursor } from '../model/work/message.ts';
import type { ScanPort } from '../worker/ports.ts';

export interface SampleSize {
  /** Items to read, at least, if there are so many. */
  readonly items: number;
  /** Roughly how many the table has; 0 if that is unknown. */
  readonly ofAbout: number;
}

/** A page of a sample has as many items, or more if the table is small. */
const minPage = 20;

/** A sample never needs more. */
const maxBytes = 20_000_000;

/** Items from all over the table: pages of random ones of its segments, and further pages until there are enough. */
export async function sampleItems(
  { scan }: ScanPort,
  { items: wanted, ofAbout }: SampleSize,
  random: () => number = Math.random,
): Promise<readonly KeyedItem[]> {
  const of = Math.min(1000, Math.max(8, Math.floor(ofAbout / minPage)));
  const limit = Math.max(minPage, Math.ceil(wanted / of));
  const waiting: { readonly index: number; readonly from?: Cursor }[] = Array.from(
    { length: of },
    (_, index) => ({
      order: random(),
      index,
    }),
  ).toSorted((one, other) => one.order - other.order);
  const items: KeyedItem[] = [];
  let bytes = 0;
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
    if (items.length >= wanted || bytes >= maxBytes) break;
    const { index, from } = next;
    const page = await scan({ index, of }, limit, from);
    items.push(...page.entries);
    bytes += page.entries.reduce((sum, { item }) => sum + itemSize(item), 0);
    if (page.next !== undefined) waiting.push({ index, from: page.next });
  }
  return items;
}
