import pLimit from 'p-limit';
import { earliest } from '../../batch/group.ts';
import { allSettledOrThrow } from '../../model/all-settled-or-throw.ts';
import type { Change, Unreadable } from '../../model/change.ts';
import type { ClockPort } from '../../ports.ts';

/** How the history of a table is read. */
export interface HistoryReading {
  readonly history: HistoryPort;
  readonly clock: ClockPort;
  /** Pause between two pages of a shard, in milliseconds: the worker's own readers come first. */
  readonly pause: number;
  /** Shards that are read side by side, 1 or more. Default 8. */
  readonly concurrency?: number;
  /** Asked before each page: where it says true, nothing more is read. */
  readonly stop?: () => boolean;
  /** Sees the changes of a page, in their order. The reading goes on when this has resolved. */
  readonly visit: (changes: readonly Change[]) => Promise<void>;
  /** Told how many records each page held, after its visit. */
  readonly onPage?: (records: number) => void;
}

export interface HistoryRead {
  /** Records, those that are no changes of an item among them. */
  readonly records: number;
  /** Records that say nothing that can be used. */
  readonly unreadable: number;
  /** When the earliest change was made, in epoch milliseconds; undefined where there was none. */
  readonly since: number | undefined;
}

/**
 * After so many empty pages in a row an open shard counts as read to its end. DynamoDB answers empty pages on the way
 * where records stand far apart, and says nothing of how far the end is.
 */
const emptyPages = 20;

/**
 * Reads the whole history that the table's stream still holds, up to the moment at which this began. Closed shards are
 * read to their end; an open one until a record of a later moment, or twenty empty pages in a row.
 * @throws what the history or a visit throws, when nothing is under way any more
 */
export async function readHistory(reading: HistoryReading): Promise<HistoryRead> {
  const { history, clock, concurrency = 8 } = reading;
  const began = clock.now();
  const limit = pLimit(concurrency);
  let failed = false;
  const stop = () => failed || reading.stop?.() === true;
  const shards = await history.shards();
  const pages = await allSettledOrThrow(
    shards.map((shard) =>
      limit(() =>
        readShard({ ...reading, stop }, shard, began).catch((error: unknown) => {
          failed = true;
          throw error;
        }),
      ),
    ),
  );
  return pages.flat().reduce<HistoryRead>(together, { records: 0, unreadable: 0, since: undefined });
}

/** @returns what each page held */
async function readShard(
  { history, clock, pause, stop, visit, onPage }: HistoryReading & { readonly stop: () => boolean },
  shard: string,
  began: number,
): Promise<readonly HistoryRead[]> {
  const pages: HistoryRead[] = [];
  let from: string | undefined;
  for (let empty = 0; empty < emptyPages; ) {
    if (stop()) return pages;
    const page = await history.page(shard, from);
    const changes = page.changes.flatMap((change) => ('unreadable' in change ? [] : [change]));
    await visit(changes);
    onPage?.(page.changes.length);
    pages.push({
      records: page.changes.length,
      unreadable: page.changes.length - changes.length,
      since: earliest(changes),
    });
    // Times are rounded down, to the second at least: one of this very second may be of before.
    if (page.next === undefined || changes.some(({ at = began }) => at > began)) return pages;
    from = page.next;
    empty = page.changes.length === 0 ? empty + 1 : 0;
    await clock.sleep(pause);
  }
  return pages;
}

function together(a: HistoryRead, b: HistoryRead): HistoryRead {
  return {
    records: a.records + b.records,
    unreadable: a.unreadable + b.unreadable,
    since: earliest([{ at: a.since }, { at: b.since }]),
  };
}

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
