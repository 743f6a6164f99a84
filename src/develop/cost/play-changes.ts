import type { Item } from '../../model/item.ts';
import type { TableNames } from '../../model/table-names.ts';
import type { StreamRecord } from '../../worker/batch/group.ts';
import { ModelStream } from '../testing/table-model/model-stream.ts';
import { ModelTable } from '../testing/table-model/model-table.ts';
import { VirtualClock } from '../testing/table-model/virtual-clock.ts';
import { assumed, processorTime } from './assumptions.ts';
import { CountedTable } from './counted-table.ts';
import { type Counts, noCounts } from './counts.ts';
import { pollInterval } from './shard-lanes.ts';

/** Roots that change one after another. */
export interface Changes {
  /** Items that are in the table before the first change, and the roots after theirs, in order. */
  readonly before: readonly Item[];
  readonly after: readonly Item[];
  /** From one change to the next. */
  readonly everySeconds: number;
}

/** What functions are told of, and work with. */
export interface Stage {
  readonly clock: VirtualClock;
  readonly counted: CountedTable;
  readonly counts: Counts;
  /** Runs an invocation, and counts it with its time. An error of it ends the play. */
  readonly invoke: (work: () => Promise<void>) => Promise<void>;
}

/** The functions on a stage: told of what a look at the stream brings. */
export interface Functions {
  look(records: readonly StreamRecord[]): void;
  isIdle(): boolean;
}

/** Changes roots one after another, and lets functions work until nothing is left to do. */
export async function playChanges(
  names: TableNames,
  { before, after, everySeconds }: Changes,
  build: (stage: Stage) => Functions,
): Promise<Counts> {
  const clock = new VirtualClock();
  const table = new ModelTable(names, () => clock.now());
  const stream = new ModelStream(table);
  const counts = noCounts();
  const counted = new CountedTable(table, clock, counts, assumed.request);
  for (const item of before) table.put(item);
  stream.take();
  let fault: { readonly error: unknown } | undefined;
  async function invoke(work: () => Promise<void>): Promise<void> {
    const began = clock.now();
    await work().catch((error: unknown) => {
      fault ??= { error };
    });
    counts.invocations += 1;
    counts.milliseconds += clock.now() - began + assumed.invocation;
  }
  const functions = build({ clock, counted, counts, invoke });
  const began = clock.now();
  for (let next = 0; ; ) {
    for (; next < after.length && clock.now() - began >= next * everySeconds * 1000; next += 1)
      table.put(after[next] ?? {});
    const records = stream.take();
    functions.look(records);
    if (fault !== undefined) throw fault.error;
    if (next === after.length && records.length === 0 && functions.isIdle()) break;
    await clock.sleep(pollInterval);
  }
  counts.milliseconds += processorTime(counts.copiesWritten);
  return counts;
}
