import type { Item } from '../../model/item.ts';
import type { StreamRecord } from '../../worker/batch/group.ts';
import { ModelStream } from '../testing/table-model/model-stream.ts';
import type { ModelTable } from '../testing/table-model/model-table.ts';
import type { VirtualClock } from '../testing/table-model/virtual-clock.ts';
import { pollInterval } from './shard-lanes.ts';

/** Roots that change one after another. */
export interface Changes {
  /** Items that are in the table before the first change, and the roots after theirs, in order. */
  readonly before: readonly Item[];
  readonly after: readonly Item[];
  /** From one change to the next. */
  readonly everySeconds: number;
}

/** The functions that work meanwhile: told of what a look at the stream brings. */
export interface Functions {
  look(records: readonly StreamRecord[]): void;
  isIdle(): boolean;
}

/** Changes roots one after another, and lets functions work until nothing is left to do. */
export async function playChanges(
  { before, after, everySeconds }: Changes,
  table: ModelTable,
  clock: VirtualClock,
  functions: Functions,
): Promise<void> {
  const stream = new ModelStream(table);
  for (const item of before) table.put(item);
  stream.take();
  const began = clock.now();
  for (let next = 0; ; ) {
    for (; next < after.length && clock.now() - began >= next * everySeconds * 1000; next += 1)
      table.put(after[next] ?? {});
    const records = stream.take();
    functions.look(records);
    if (next === after.length && records.length === 0 && functions.isIdle()) return;
    await clock.sleep(pollInterval);
  }
}
