import { patternsOf, type StackSettings, type StreamMappingSettings } from '../../deploy/stack-settings.ts';
import { DenormError } from '../../model/errors.ts';
import type { Registry } from '../../model/registry.ts';
import type { TableNames } from '../../model/table-names.ts';
import { coalescingTable } from '../../worker/adapters/dynamodb/coalescing-table.ts';
import type { StreamRecord } from '../../worker/batch/group.ts';
import { defaultSettings, type Settings } from '../../worker/ports.ts';
import type { PropagationContext } from '../../worker/propagation/context.ts';
import { fanOutBatch } from '../../worker/propagation/fan-out-batch.ts';
import { propagateBatch } from '../../worker/propagation/propagate-batch.ts';
import { eventFilter } from '../dev/event-source/event-filter.ts';
import { lambdaChange } from '../testing/table-model/lambda-change.ts';
import { ModelTable } from '../testing/table-model/model-table.ts';
import { VirtualClock } from '../testing/table-model/virtual-clock.ts';
import { assumed, processorTime } from './assumptions.ts';
import { CountedQueue } from './counted-queue.ts';
import { CountedTable } from './counted-table.ts';
import { type Counts, noCounts } from './counts.ts';
import { LoggedTelemetry } from './logged-telemetry.ts';
import { type Changes, playChanges } from './play-changes.ts';
import { ShardLanes } from './shard-lanes.ts';

/** The worker as it is deployed. */
export interface DeployedWorker {
  readonly registry: Registry;
  readonly stack: StackSettings;
}

/**
 * Counts what the worker asks of AWS for these changes: its own code on a model of the table, with the lanes, batches,
 * window and filters of the stack, and with its own writes coming back on the stream.
 * @throws DenormError `cost.unfinished` if it does not propagate them: an item is dead-lettered, or a function fails
 */
export async function countWorker({ registry, stack }: DeployedWorker, changes: Changes): Promise<Counts> {
  const counts = noCounts();
  const clock = new VirtualClock();
  const table = new ModelTable(registry.table, () => clock.now());
  const counted = new CountedTable(table, clock, counts, assumed.request);
  const telemetry = new LoggedTelemetry(counts);
  const queue = new CountedQueue(clock, counts);
  let underWay = 0;
  /** Runs an invocation, and counts it with its time. */
  async function invoke(work: () => Promise<void>): Promise<void> {
    const began = clock.now();
    underWay += 1;
    await work().catch((error: unknown) => telemetry.failed(error));
    underWay -= 1;
    counts.invocations += 1;
    counts.milliseconds += clock.now() - began + assumed.invocation;
  }
  const settings = settingsOf(stack);
  // One for each invocation, as a handler makes it: invocations beside one another share no reads.
  const context = (): PropagationContext => ({
    ...{ registry, table: coalescingTable(counted.port(), registry.table) },
    ...{ queue, telemetry, settings, outOfTime: () => false, clock },
  });
  const { Propagate, Archive, FanOut } = stack;
  const propagating = new ShardLanes(Propagate, clock, (records) =>
    invoke(() => telemetry.invocation(() => propagateBatch(context(), records))),
  );
  // Items that will not expire: Archive looks at their records, and says nothing.
  const archiving = Archive && new ShardLanes(Archive, clock, () => invoke(async () => {}));
  const isPropagated = passes(registry.table, Propagate);
  const isArchived = Archive === undefined ? () => false : passes(registry.table, Archive);
  await playChanges(changes, table, clock, {
    look(records) {
      propagating.look(records.filter(isPropagated));
      archiving?.look(records.filter(isArchived));
      for (const messages of queue.due(FanOut.BatchSize))
        void invoke(() => telemetry.invocation(() => fanOutBatch(context(), messages)));
    },
    isIdle: () =>
      telemetry.failures.length > 0 ||
      (propagating.isEmpty && archiving?.isEmpty !== false && queue.isEmpty && underWay === 0),
  });
  requireFinished(queue, telemetry);
  counts.milliseconds += processorTime(counts.copiesWritten);
  return counts;
}

/** Whether the mapping's filters pass a record. */
function passes(names: TableNames, mapping: StreamMappingSettings): (record: StreamRecord) => boolean {
  const matches = eventFilter(patternsOf(mapping));
  return ({ says }) =>
    'key' in says && matches(lambdaChange(names, { ...says, by: 'application', at: says.at ?? 0 }));
}

/** The settings of the worker in a stack. */
export function settingsOf({ pageLimit, recheckDelaySeconds }: StackSettings): Settings {
  return {
    ...defaultSettings,
    ...{ pageLimit, recheckDelaySeconds },
    // What is counted does not depend on how fast it is written.
    fanOutWriteUnits: Number.POSITIVE_INFINITY,
  };
}

function requireFinished({ deadLettered }: CountedQueue, { failures }: LoggedTelemetry): void {
  const [letter] = deadLettered;
  if (letter !== undefined)
    throw new DenormError(
      'cost.unfinished',
      `Expected a change that the worker propagates, but it was dead-lettered (${letter.code}): ${letter.reason}`,
    );
  const [failure] = failures;
  if (failure instanceof Error) throw failure;
  if (failure !== undefined)
    throw new DenormError('cost.unfinished', 'Expected a change that the worker propagates, but it failed');
}
