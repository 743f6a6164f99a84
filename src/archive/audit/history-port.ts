import type { Change, Unreadable } from '../../model/change.ts';

/** What the table's stream still holds, 24 hours of it. Throws as the table's port does. */
export interface HistoryPort {
  /** The shards by their ids, closed ones included. */
  shards(): Promise<readonly string[]>;
  /**
   * One page of a shard, from its oldest record on. It may be empty and yet not the last.
   * @param from `next` of the page before; undefined for the first one
   */
  page(shard: string, from?: string): Promise<HistoryPage>;
}

export interface HistoryPage {
  readonly changes: readonly (Change | Unreadable)[];
  /** Undefined where the shard is closed and this was its end. An open one always has a next page. */
  readonly next: string | undefined;
}
