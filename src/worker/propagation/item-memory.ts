import type { KeyedItem } from '../../model/items/item.ts';
import { itemSize, itemSizeAtMost, maxItem } from '../../model/items/item-size.ts';

/** Source: AWS, "BatchGetItem". */
const batch = { keys: 100, bytes: 16 * 1024 ** 2 };

/** Source: AWS, "Query". */
export const queryBytes = 1024 ** 2;

/** After a response of up to 1 MB that leaves keys, the others are read too. */
const chunkBytes = batch.bytes + queryBytes;

/** Items that are larger together are not read a second time beside their first reading. */
const largeBytes = batch.bytes;

/** Three requests in parallel. With five, large items took all of a function's memory at times. */
export const keysAtOnce = 300;

/** What a bounded read of so many keys can return at most, their root included. */
export function mostBytes(keys: number): number {
  const last = Math.min((keys % batch.keys) * maxItem, chunkBytes);
  return Math.floor(keys / batch.keys) * chunkBytes + last + maxItem;
}

/** As DynamoDB counts them, or a little more where they are small. */
export function bytesOf(items: readonly KeyedItem[]): number {
  const atMost = items.reduce((sum, { item }) => sum + itemSizeAtMost(item), 0);
  return atMost <= queryBytes ? atMost : items.reduce((sum, { item }) => sum + itemSize(item), 0);
}

export function areLarge(items: readonly KeyedItem[]): boolean {
  return bytesOf(items) > largeBytes;
}

export interface Hold {
  readonly waited: boolean;
  /** Less is needed than was asked for, once the items are read. */
  keep(bytes: number): void;
  release(): void;
}

/** Bounds the items that an invocation holds at once, in bytes. Work that holds room must not ask for more. */
export class Memory {
  private free: number;
  private readonly total: number;
  private readonly waiting: { readonly bytes: number; readonly start: () => void }[] = [];

  /** @param bytes default: one page of {@link keysAtOnce} items of any size */
  constructor(bytes = mostBytes(keysAtOnce)) {
    this.free = bytes;
    this.total = bytes;
  }

  /** After all that asked before. More than there is in all counts as all. */
  async hold(wantedBytes: number): Promise<Hold> {
    let bytes = Math.min(wantedBytes, this.total);
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

/** Without a memory, nothing bounds the work. */
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
