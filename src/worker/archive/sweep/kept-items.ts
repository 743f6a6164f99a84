import type { Item } from '../../../model/item.ts';
import { itemSizeAtMost } from '../../../model/item-size.ts';

/** In bytes as DynamoDB counts them; in memory, an item takes several times as many. */
const maxBytes = 8 * 1024 ** 2;

/**
 * Decides which items a sweep keeps in memory from one step to the next: as many as fit into 8 MB. Others are read again, so
 * that a group of any size can be swept.
 */
export class KeptItems {
  private free = maxBytes;

  /** @returns the item; undefined if there is no room for it */
  keep(item: Item): Item | undefined {
    const size = itemSizeAtMost(item);
    if (size > this.free) return undefined;
    this.free -= size;
    return item;
  }
}
