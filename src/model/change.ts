import type { Item, ItemKey } from './item.ts';

/** A stream record of one item. Its images prove a change; written values come from the table. */
export interface Change {
  readonly key: ItemKey;
  readonly before: Item | undefined;
  readonly after: Item | undefined;
  /** Orders the changes of one item. Not comparable between items. */
  readonly sequence: bigint;
  /** Whether the item was removed because its TTL had passed. */
  readonly expired: boolean;
  /** When the change was made, in epoch milliseconds, as rounded by the stream. Use it only in reports. */
  readonly at: number | undefined;
}

/** The changes of one item, in the order of their sequence numbers. */
export function inSequence(changes: readonly Change[]): readonly Change[] {
  return [...changes].sort((a, b) => (a.sequence < b.sequence ? -1 : a.sequence > b.sequence ? 1 : 0));
}

/** An invalid record: the reason and the record's id, without its content. */
export interface Unreadable {
  readonly unreadable: string;
  readonly record: string;
}
