import pLimit from 'p-limit';
import { allSettledOrThrow } from '../../../model/basics/all-settled-or-throw.ts';
import type { Change, Unreadable } from '../../../model/items/change.ts';
import { earliest } from '../../../worker/batch/group.ts';
import type { ClockPort } from '../../../worker/ports.ts';

export interface HistoryReading {
  readonly history: History;
  readonly clock: ClockPort;
  /** Between two pages of a shard: leaves read capacity to the worker. */
  readonly pauseMs: number;
  readonly stop?: () => boolean;
  /** Receives the changes of a page, in stream order. Reading continues after it has resolved. */
  readonly visit: (changes: readonly Change[]) => Promise<void>;
  readonly onPage?: (records: number) => void;
}

export interface HistoryRead {
  /** All records, including those that are not changes of an item. */
  records: number;
  unreadable: number;
  /** When the earliest change was made, in epoch milliseconds; undefined if there was none. */
  since: number | undefined;
}

/** After which an open shard counts as read to its end: DynamoDB returns empty pages between distant records. */
const emptyPages = 20;

const shardsAtOnce = 8;

/**
 * Reads everything in the table's stream up to the moment of the call. Closed shards are read to their end, however many
 * empty pages lie before it; open ones up to a later record or twenty consecutive empty pages.
 * @throws the error of the history or of a visit, after all shards have stopped
 */
export async function readHistory(reading: HistoryReading): Promise<HistoryRead> {
  const began = reading.clock.now();
  const limit = pLimit(shardsAtOnce);
  const read = { records: 0, unreadable: 0, since: undefined };
  let failed = false;
  const stop = () => failed || reading.stop?.() === true;
  const shards = await reading.history();
  await allSettledOrThrow(
    shards.map((shard) =>
      limit(() =>
        readShard({ ...reading, stop }, shard, began, read).catch((error: unknown) => {
          failed = true;
          throw error;
        }),
      ),
    ),
  );
  return read;
}

async function readShard(
  { clock, pauseMs, stop, visit, onPage }: HistoryReading & { readonly stop: () => boolean },
  shard: HistoryShard,
  began: number,
  read: HistoryRead,
): Promise<void> {
  for (let empty = 0; shard.closed || empty < emptyPages; ) {
    if (stop()) return;
    const page = await shard.page();
    const changes = page.changes.flatMap((change) => ('unreadable' in change ? [] : [change]));
    await visit(changes);
    const records = page.changes.length;
    onPage?.(records);
    read.records += records;
    read.unreadable += records - changes.length;
    read.since = earliest([{ at: read.since }, ...changes]);
    // Stream times are rounded down to the second, so a record of this second may be from before the call.
    if (page.ended || changes.some(({ at = began }) => at > began)) return;
    empty = records === 0 ? empty + 1 : 0;
    await clock.sleep(pauseMs);
  }
}

/** The shards that are still in the stream. Throws as the table's port does. */
export type History = () => Promise<readonly HistoryShard[]>;

interface HistoryShard {
  readonly closed: boolean;
  /** The next records, the oldest first, each once. An empty page is not always the last one. */
  page(): Promise<HistoryPage>;
}

interface HistoryPage {
  readonly changes: readonly (Change | Unreadable)[];
  /** Whether it is the last page of a closed shard. */
  readonly ended: boolean;
}
