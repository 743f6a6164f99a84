import type { Item, ItemKey } from './item.ts';

/** A stream record of one item. Its images prove a change; what is written comes from the table. */
export interface Change {
  readonly key: ItemKey;
  readonly before: Item | undefined;
  readonly after: Item | undefined;
  /** Orders the changes of one item. Not comparable between items. */
  readonly sequence: bigint;
  /** Whether the item was removed because its TTL had passed. */
  readonly expired: boolean;
  /** When the change was made, in epoch milliseconds, rounded by the stream. For reports, never for decisions. */
  readonly at: number | undefined;
}

/** Changes of one item in the order in which they were made. */
export function inSequence(changes: readonly Change[]): readonly Change[] {
  return [...changes].sort((a, b) => (a.sequence < b.sequence ? -1 : a.sequence > b.sequence ? 1 : 0));
}

/** An invalid record: the reason and the record's id, without its content. */
export interface Unreadable {
  readonly unreadable: string;
  readonly record: string;
}
