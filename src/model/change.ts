import type { Item, ItemKey } from './item.ts';

/** What a stream record says of one item. Images are as the stream gave them: evidence of a change, not the truth. */
export interface Change {
  readonly key: ItemKey;
  readonly before: Item | undefined;
  readonly after: Item | undefined;
  /** Orders the changes of one item, and nothing else. */
  readonly sequence: bigint;
  /** Whether the item was deleted because its time had passed. */
  readonly expired: boolean;
  /** When the change was made, in epoch milliseconds, rounded by the stream. For reports, never for decisions. */
  readonly at: number | undefined;
}

/** Changes of one item in the order in which they were made. */
export function inSequence(changes: readonly Change[]): readonly Change[] {
  return [...changes].sort((a, b) => (a.sequence < b.sequence ? -1 : a.sequence > b.sequence ? 1 : 0));
}

/** A record that is no change of an item: named by what can be said of it without its content. */
export interface Unreadable {
  readonly unreadable: string;
  readonly record: string;
}
