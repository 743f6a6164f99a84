import { patternsOf, type StackSettings, type StreamMappingSettings } from '../../deploy/stack-settings.ts';
import { DenormError } from '../../model/errors.ts';
import type { Registry } from '../../model/registry.ts';
import type { TableNames } from '../../model/table-names.ts';
import { coalescingTable } from '../../worker/adapters/dynamodb/coalescing-table.ts';
import type { StreamRecord } from '../../worker/batch/group.ts';
import { defaultSettings, type Settings } from '../../worker/ports.ts';
import type { PropagationContext } from '../../worker/propagation/context.ts';
import { fanOutBatch, type QueueRecord } from '../../worker/propagation/fan-out-batch.ts';
import { propagateBatch } from '../../worker/propagation/propagate-batch.ts';
import { eventFilter } from '../dev/event-source/event-filter.ts';
import { lambdaChange } from '../testing/table-model/lambda-change.ts';
import { CountedQueue } from './counted-queue.ts';
import type { Counts } from './counts.ts';
import { LoggedTelemetry } from './logged-telemetry.ts';
import { type Changes, type Functions, playChanges, type Stage } from './play-changes.ts';
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
export async function countWorker(worker: DeployedWorker, changes: Changes): Promise<Counts> {
  const { registry } = worker;
  let stop = (): void => {};
  const counts = await playChanges(registry.table, changes, (stage) => {
    const telemetry = new LoggedTelemetry(stage.counts);
    const queue = new CountedQueue(stage.clock, stage.counts);
    stop = () => requireFinished(queue, telemetry);
    return functionsOf(worker, stage, queue, telemetry);
  });
  stop();
  return counts;
}

function functionsOf(
  { registry, stack }: DeployedWorker,
  { clock, counted, invoke }: Stage,
  queue: CountedQueue,
  telemetry: LoggedTelemetry,
): Functions {
  const { table: names } = registry;
  const settings = settingsOf(stack);
  // One for each invocation, as a handler makes it: invocations beside one another share no reads.
  const context = (): PropagationContext => ({
    ...{ registry, table: coalescingTable(counted.port(), names) },
    ...{ queue, telemetry, settings, outOfTime: () => false, clock },
  });
  const { Propagate, Archive, FanOut } = stack;
  const propagating = new ShardLanes(Propagate, clock, (records) =>
    invoke(() => telemetry.invocation(() => propagateBatch(context(), records))),
  );
  const isPropagated = passes(names, Propagate);
  // Items that will not expire: Archive looks at their records, and says nothing.
  const archiving = Archive && {
    lanes: new ShardLanes(Archive, clock, () => invoke(async () => {})),
    mapping: Archive,
  };
  const isArchived = archiving === undefined ? () => false : passes(names, archiving.mapping);
  let underWay = 0;
  async function fanOut(messages: readonly QueueRecord[]): Promise<void> {
    underWay += 1;
    await invoke(() => telemetry.invocation(() => fanOutBatch(context(), messages)));
    underWay -= 1;
  }
  return {
    look(records) {
      propagating.look(records.filter(isPropagated));
      archiving?.lanes.look(records.filter(isArchived));
      for (const messages of queue.due(FanOut.BatchSize)) void fanOut(messages);
    },
    isIdle: () =>
      propagating.isEmpty && (archiving?.lanes.isEmpty ?? true) && queue.isEmpty && underWay === 0,
  };
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
