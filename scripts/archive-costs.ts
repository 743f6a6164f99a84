import { type StorageClass, storageClasses } from '../src/model/archive-rule.ts';
import { prices, smallestWatched } from './archive-prices.ts';

/** How a layout stores items, as far as S3 charges for it. */
export interface LayoutShape {
  /** Items of one object. */
  readonly itemsPerObject: number;
  /** Bytes of one object. */
  readonly objectBytes: number;
  /** Looks (HeadObject) that find nothing yet, for each object: billed as reads in STANDARD. */
  readonly looksAtNothing: number;
  /** Looks that find the object: billed in its class. */
  readonly looks: number;
  /** Requests and bytes that are stored in STANDARD beside each object, whatever its class. */
  readonly beside: { readonly puts: number; readonly reads: number; readonly bytes: number };
}

/** US dollars for all items together. */
export interface Cost {
  /** Puts, with the looks that go with them. */
  readonly put: number;
  /** Storage for a year. */
  readonly year: number;
}

export interface ClassCost {
  readonly storageClass: StorageClass;
  readonly object: Cost;
  readonly batch: Cost;
}

const gb = 2 ** 30;
const months = 12;

/** What so many items cost in a storage class, each put once. */
export function costOf(storageClass: StorageClass, layout: LayoutShape, items: number): Cost {
  const price = prices[storageClass];
  const standard = prices.STANDARD;
  const objects = items / layout.itemsPerObject;
  const { beside } = layout;
  const put =
    price.puts +
    layout.looksAtNothing * standard.reads +
    layout.looks * price.reads +
    beside.puts * standard.puts +
    beside.reads * standard.reads;
  const own = Math.max(layout.objectBytes, price.smallest) + price.overhead.own;
  const watched = layout.objectBytes >= smallestWatched ? price.watching / 1000 : 0;
  const month =
    (own / gb) * price.gbMonth + ((price.overhead.standard + beside.bytes) / gb) * standard.gbMonth + watched;
  return { put: (objects * put) / 1000, year: objects * month * months };
}

/** A million items in each storage class and layout. */
export function costs(
  layouts: { readonly object: LayoutShape; readonly batch: LayoutShape },
  items = 1_000_000,
): ClassCost[] {
  return storageClasses.map((storageClass) => ({
    storageClass,
    object: costOf(storageClass, layouts.object, items),
    batch: costOf(storageClass, layouts.batch, items),
  }));
}

/** The table as Markdown. */
export function costTable(table: readonly ClassCost[]): string {
  const rows = table.map(({ storageClass, object, batch }) => {
    const { days, wait } = prices[storageClass];
    const cells = [object.put, object.year, batch.put, batch.year].map(dollars);
    return `| \`${storageClass}\` | ${cells.join(' | ')} | ${wait} | ${days === 0 ? 'none' : `${days} days`} |`;
  });
  return [
    '| storage class | `object`: put | keep a year | `batch`: put | keep a year | first byte | billed for at least |',
    '|---|--:|--:|--:|--:|---|---|',
    ...rows,
  ].join('\n');
}

/** Whole cents, or what is left of one. */
function dollars(amount: number): string {
  return `$${amount < 0.1 ? amount.toFixed(3) : amount.toFixed(2)}`;
}
