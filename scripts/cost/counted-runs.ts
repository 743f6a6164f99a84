import { fileURLToPath } from 'node:url';
import config from '../../denorm.config.ts';
import { coalescingTable } from '../../src/adapters/dynamodb/coalescing-table.ts';
import type { StreamRecord } from '../../src/batch/group.ts';
import { readTemplate } from '../../src/dev/template.ts';
import type { CopyLocation } from '../../src/model/copy-location.ts';
import { type ItemKey, keyIn, keyText } from '../../src/model/item.ts';
import { defaultSettings } from '../../src/ports.ts';
import type { PropagationContext } from '../../src/propagation/context.ts';
import { fanOutBatch, type QueueRecord } from '../../src/propagation/fan-out-batch.ts';
import { propagateBatch } from '../../src/propagation/propagate-batch.ts';
import { GSI1, table as names } from '../../src/table.ts';
import { ModelStream } from '../../src/testing/table-model/model-stream.ts';
import { ModelTable } from '../../src/testing/table-model/model-table.ts';
import { VirtualClock } from '../../src/testing/table-model/virtual-clock.ts';
import { CountedQueue } from './counted-queue.ts';
import { CountedTable } from './counted-table.ts';
import { type Counts, noCounts } from './counts.ts';
import { pollInterval, ShardWorkers } from './lanes.ts';
import { LoggedTelemetry } from './logged-telemetry.ts';
import type { MakeWorkload } from './workloads.ts';

/**
 * Assumed, because they depend on the account and the rules. In milliseconds: a request, an invocation beside its
 * requests, and the CPU that a copy takes of a whole core (the worker's batches; the document client, one by one).
 */
export const assumed = { request: 5, invocation: 10, copy: { worker: 0.25, usual: 1 } } as const;

/** Of every function of the template. */
export const memoryMb = 512;

/** So much memory brings a whole core. Source: AWS, "Configure Lambda function memory". */
const mbOfACore = 1769;

/** How many copies are written a second on one shard, and in a run altogether. */
export interface Load {
  readonly copiesPerSecond: number;
  readonly copies: number;
}

/** Fan-outs of 5 come ten times a second, of 500 every ten seconds: what comes at one time shares invocations. */
export const busy: Load = { copiesPerSecond: 50, copies: 1_000 };

/** Fan-outs of 5 come every ten seconds: each has invocations of its own. */
export const quiet: Load = { copiesPerSecond: 0.5, copies: 200 };

const template = readTemplate(fileURLToPath(new URL('../../template.yaml', import.meta.url)));

interface Stage {
  readonly clock: VirtualClock;
  readonly counted: CountedTable;
  readonly counts: Counts;
  /** Runs an invocation, and counts it with its time. */
  readonly invoke: (work: () => Promise<void>) => Promise<void>;
}

/** The functions on a stage: told of what a look at the stream brings. */
interface Functions {
  look(records: readonly StreamRecord[]): void;
  isIdle(): boolean;
}

/** The worker as it is deployed, but for its batching window. */
export async function countWorker(
  make: MakeWorkload,
  load: Load,
  copies: number,
  windowSeconds: number,
): Promise<Counts> {
  const { archived } = make('0000', 1);
  return play(make, load, copies, assumed.copy.worker, ({ counted, counts, clock, invoke }) => {
    const queue = new CountedQueue(clock, counts);
    const telemetry = new LoggedTelemetry(counts);
    const registry = config.registry();
    // One for each invocation, as a handler makes it: invocations beside one another share no reads.
    const context = (): PropagationContext => ({
      ...{ registry, table: coalescingTable(counted.port(), names) },
      ...{ queue, telemetry, settings: defaultSettings, outOfTime: () => false, now: () => clock.now() },
    });
    const { Propagate, Archive, FanOut } = template.functions;
    const propagate = { ...Propagate.mapping, MaximumBatchingWindowInSeconds: windowSeconds };
    const propagating = new ShardWorkers(propagate, clock, (records) =>
      invoke(() => telemetry.invocation(() => propagateBatch(context(), records))),
    );
    // A root that will not expire: Archive looks at its record, and says nothing.
    const archiving = new ShardWorkers(Archive.mapping, clock, () => invoke(async () => {}));
    let underWay = 0;
    async function fanOut(messages: readonly QueueRecord[]): Promise<void> {
      underWay += 1;
      await invoke(() => telemetry.invocation(() => fanOutBatch(context(), messages)));
      underWay -= 1;
    }
    return {
      look(records) {
        propagating.look(records);
        archiving.look(archived ? records.filter(isOfRoot) : []);
        for (const messages of queue.due(FanOut.mapping.BatchSize)) void fanOut(messages);
      },
      isIdle: () => propagating.isEmpty && archiving.isEmpty && queue.isEmpty && underWay === 0,
    };
  });
}

/** The usual handler: on a change of a root, a Query, and an UpdateItem for each copy, one after another. */
export async function countUsual(make: MakeWorkload, load: Load, copies: number): Promise<Counts> {
  return play(make, load, copies, assumed.copy.usual, ({ counted, clock, invoke }, locationOf) => {
    const { set } = make('0000', 1);
    const settings = { ParallelizationFactor: 1, BatchSize: 100, MaximumBatchingWindowInSeconds: 0 };
    const workers = new ShardWorkers(settings, clock, (records) =>
      invoke(async () => {
        for (const { says } of records)
          if ('key' in says)
            for (const key of await counted.queryLate(locationOf(says.key)))
              await counted.updateItem(key, set);
      }),
    );
    return { look: (records) => workers.look(records.filter(isOfRoot)), isIdle: () => workers.isEmpty };
  });
}

/** Changes roots one after another, and lets functions work until nothing is left to do. */
async function play(
  make: MakeWorkload,
  load: Load,
  copies: number,
  cpu: number,
  build: (stage: Stage, locationOf: (root: ItemKey) => CopyLocation) => Functions,
): Promise<Counts> {
  const clock = new VirtualClock();
  const table = new ModelTable(names, () => clock.now());
  const stream = new ModelStream(table);
  const counts = noCounts();
  const counted = new CountedTable(table, clock, counts, assumed.request);
  const workloads = Array.from({ length: load.copies / copies }, (_, index) =>
    make(String(index).padStart(4, '0'), copies),
  );
  const locations = new Map(workloads.map(({ after, location }) => [keyText(keyIn(names, after)), location]));
  for (const { before } of workloads) for (const item of before) table.put(item);
  stream.take();
  async function invoke(work: () => Promise<void>): Promise<void> {
    const began = clock.now();
    await work();
    counts.invocations += 1;
    counts.milliseconds += clock.now() - began + assumed.invocation;
  }
  const functions = build({ clock, counted, counts, invoke }, (root) => {
    const location = locations.get(keyText(root));
    if (location === undefined) throw new Error(`Expected a root of the workload, got ${keyText(root)}`);
    return location;
  });
  const began = clock.now();
  const interval = (copies / load.copiesPerSecond) * 1000;
  for (let next = 0; ; ) {
    for (; next < workloads.length && clock.now() - began >= next * interval; next += 1)
      table.put(workloads[next]?.after ?? {});
    const records = stream.take();
    functions.look(records);
    if (next === workloads.length && records.length === 0 && functions.isIdle()) break;
    await clock.sleep(pollInterval);
  }
  counts.milliseconds += counts.copiesWritten * cpu * (mbOfACore / memoryMb);
  return counts;
}

/** Roots are the items that no index holds. */
function isOfRoot({ says }: StreamRecord): boolean {
  return 'after' in says && says.after !== undefined && !Object.hasOwn(says.after, GSI1.pk);
}
