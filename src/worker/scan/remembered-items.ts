import type { Item } from '../../model/item.ts';
import { itemSize } from '../../model/item-size.ts';

/** The total size of remembered items, in bytes. */
const maxBytes = 8 * 1024 * 1024;

/** As many as sixteen propagations read at once, a page each. In memory, a small item takes several times its bytes. */
const maxItems = 8_000;

/** Recently seen items by key text, up to 8,000 items and 8 MB. */
export class RememberedItems {
  private readonly items = new Map<string, { readonly item: Item; readonly size: number }>();
  private bytes = 0;
  private seen = 0;
  private seenBytes = 0;

  get(key: string): Item | undefined {
    return this.items.get(key)?.item;
  }

  put(key: string, item: Item): void {
    const size = itemSize(item);
    this.seen += 1;
    this.seenBytes += size;
    this.forget(key);
    this.items.set(key, { item, size });
    this.bytes += size;
    for (const oldest of this.items.keys()) {
      if ((this.bytes <= maxBytes && this.items.size <= maxItems) || oldest === key) break;
      this.forget(oldest);
    }
  }

  /** The average size of all items seen so far, in bytes. */
  averageSize(): number {
    return this.seen === 0 ? 0 : this.seenBytes / this.seen;
  }

  private forget(key: string): void {
    this.bytes -= this.items.get(key)?.size ?? 0;
    this.items.delete(key);
  }
}
