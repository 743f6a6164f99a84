import type { Item } from '../../model/item.ts';
import { itemSize, itemSizeAtMost, maxItem } from '../../model/item-size.ts';

/** Source: AWS, "BatchGetItem". */
const batch = { keys: 100, bytes: 16 * 1024 ** 2 };

/** The most bytes of a page of a query. Source: AWS, "Query". */
export const queryBytes = 1024 ** 2;

/** What a hundred keys return at most: after a response of up to 1 MB that leaves keys, the others are read too. */
const chunkBytes = batch.bytes + queryBytes;

/** Items that are larger together are not read a second time beside their first reading. */
const largeBytes = batch.bytes;

/** Keys that are read together: three requests in parallel. With five, large items took all of a function's memory at times. */
export const keysAtOnce = 300;

/** The most bytes of items that a bounded read of so many keys can return, their root included. */
export function mostBytes(keys: number): number {
  const last = Math.min((keys % batch.keys) * maxItem, chunkBytes);
  return Math.floor(keys / batch.keys) * chunkBytes + last + maxItem;
}

/** The size of these items, in bytes as DynamoDB counts them, or a little more where they are small. */
export function bytesOf(items: readonly Item[]): number {
  const atMost = items.reduce((sum, item) => sum + itemSizeAtMost(item), 0);
  return atMost <= queryBytes ? atMost : items.reduce((sum, item) => sum + itemSize(item), 0);
}

export function areLarge(items: readonly Item[]): boolean {
  return bytesOf(items) > largeBytes;
}

export interface Hold {
  /** Whether there was no room at first. */
  readonly waited: boolean;
  /** Gives back what the items do not need: less than was asked for, once they are read. */
  keep(bytes: number): void;
  release(): void;
}

/**
 * Bounds the items that an invocation holds at once, in bytes. Before a page is read, room is taken for the largest items that it
 * may have; when it has been read, what it does not need is given back. Work that holds room must not ask for more.
 */
export class Memory {
  private free: number;
  private readonly total: number;
  private readonly waiting: { readonly bytes: number; readonly start: () => void }[] = [];

  /** @param bytes default: one page of {@link keysAtOnce} items of any size */
  constructor(bytes = mostBytes(keysAtOnce)) {
    this.free = bytes;
    this.total = bytes;
  }

  /** Waits for room, after all that asked before. More than there is in all counts as all. */
  async hold(asked: number): Promise<Hold> {
    let bytes = Math.min(asked, this.total);
    const waited = this.waiting.length > 0 || bytes > this.free;
    if (waited) await new Promise<void>((start) => this.waiting.push({ bytes, start }));
    else this.free -= bytes;
    const keep = (needed: number) => {
      const less = Math.max(0, bytes - needed);
      bytes -= less;
      this.free += less;
      this.startWaiting();
    };
    return { waited, keep, release: () => keep(0) };
  }

  private startWaiting(): void {
    for (let next = this.waiting[0]; next !== undefined && next.bytes <= this.free; next = this.waiting[0]) {
      this.waiting.shift();
      this.free -= next.bytes;
      next.start();
    }
  }
}

/** Does work that holds so many bytes at most. Without a memory, nothing bounds it. */
export async function holding<Result>(
  memory: Memory | undefined,
  bytes: number,
  work: () => Promise<Result>,
): Promise<Result> {
  const hold = await memory?.hold(bytes);
  try {
    return await work();
  } finally {
    hold?.release();
  }
}
