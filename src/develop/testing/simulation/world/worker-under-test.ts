import { TransientError } from '../../../../model/errors.ts';
import type { Registry } from '../../../../model/registry.ts';
import { archiveBatch } from '../../../../worker/archive/archive-batch.ts';
import { sweep } from '../../../../worker/archive/sweep/sweep.ts';
import type { StreamRecord } from '../../../../worker/batch/group.ts';
import type { ClockPort } from '../../../../worker/ports.ts';
import { fanOutBatch, type QueueRecord } from '../../../../worker/propagation/fan-out-batch.ts';
import { Memory } from '../../../../worker/propagation/item-memory.ts';
import { propagateBatch } from '../../../../worker/propagation/propagate-batch.ts';
import { unlimited } from '../../../../worker/scan/budget.ts';
import { countedNonces, type ModelArchive, type ModelNotes } from '../../table-model/model-archive.ts';
import type { ModelTable } from '../../table-model/model-table.ts';
import type { FaultProfile } from '../fault-profile.ts';
import type { Clock } from './clock.ts';
import type { FaultKind } from './fault-kinds.ts';
import type { Invocation } from './invocation.ts';
import { PartitionCapacity } from './partition-capacity.ts';
import { requestedArchive, requestedNotes, requestedQueue, requestedSearch } from './requested-ports.ts';
import { requestedTable, type WriteCounts } from './requested-table.ts';
import type { SimulatedQueue } from './simulated-queue.ts';

export interface Functions {
  readonly propagateBatch: typeof propagateBatch;
  readonly fanOutBatch: typeof fanOutBatch;
  readonly archiveBatch: typeof archiveBatch;
  readonly sweep: typeof sweep;
}

export const realFunctions: Functions = { propagateBatch, fanOutBatch, archiveBatch, sweep };

export interface Batch {
  readonly invocation: Invocation;
  readonly messages: readonly QueueRecord[];
  readonly records: readonly StreamRecord[];
}

export interface WorkerEnvironment {
  readonly registry: Registry;
  readonly profile: FaultProfile;
  readonly table: ModelTable;
  readonly queue: SimulatedQueue;
  readonly archive: ModelArchive;
  readonly notes: ModelNotes;
  readonly clock: Clock;
  readonly counts: WriteCounts;
  readonly faults: Map<FaultKind, number>;
  isAway(): boolean;
}

/** The longest that an invocation may take that reads a stream or the queue, in milliseconds. */
export const maxMilliseconds = 60_000;

/** A clock whose sleeps are requests: a sleep ends when it is served, and until then other invocations go on. */
function requestedClock(clock: Clock, invocation: Invocation): ClockPort {
  return {
    now: () => clock.now,
    sleep: (milliseconds) => {
      const end = clock.now + milliseconds;
      return invocation.request(`sleep until ${end}`, () => {
        clock.now = Math.max(clock.now, end);
      });
    },
  };
}

const silent = () => {};

const telemetry = {
  ...{ propagated: silent, checked: silent, deadLettered: silent, archived: silent, failed: silent },
  ...{ swept: silent, unclassified: silent },
};

export class WorkerUnderTest {
  private readonly functions: Functions;
  private capacity: PartitionCapacity | undefined;
  private readonly nonce = countedNonces();

  constructor(functions: Functions) {
    this.functions = functions;
  }

  run(
    world: WorkerEnvironment,
    { invocation, messages, records }: Batch,
  ): Promise<ReadonlyMap<string, unknown>> {
    const { registry, profile } = world;
    this.capacity ??= new PartitionCapacity(world.profile.partitionUnits, world.clock, world.faults);
    const { capacity } = this;
    const table = requestedTable({
      ...{ table: world.table, invocation, counts: world.counts, writer: 'worker' },
      isAway: () => world.isAway(),
      admits: ({ pk }) => capacity.take(pk),
    });
    const queue = requestedQueue(world.queue, invocation);
    const { settings } = profile;
    const clock = requestedClock(world.clock, invocation);
    const outOfTime = (ahead = 0) => ahead > maxMilliseconds || invocation.outOfTime();
    const memory = new Memory(profile.memory);
    const context = { registry, table, queue, telemetry, settings, outOfTime, clock, memory };
    if (invocation.task === 'propagate') return this.functions.propagateBatch(context, records);
    if (invocation.task === 'fan-out') return this.functions.fanOutBatch(context, messages);
    if (invocation.task === 'sweep') return this.sweep(world, invocation);
    const archive = requestedArchive(world.archive, invocation);
    const { concurrency } = settings;
    const archiving = { registry, table, archive, queue, telemetry, nonce: this.nonce, concurrency };
    return this.functions.archiveBatch(archiving, records);
  }

  /** Whatever it waits for comes at once. What it could not do for now it has left to the next one. */
  private async sweep(
    world: WorkerEnvironment,
    invocation: Invocation,
  ): Promise<ReadonlyMap<string, unknown>> {
    const { registry } = world;
    const search = requestedSearch(world.table, invocation);
    const clock = { now: () => world.clock.now, sleep: async () => {} };
    const table = requestedTable({
      ...{ table: world.table, invocation, counts: { written: 0, idle: 0, lost: 0 }, writer: 'sweep' },
      isAway: () => false,
      admits: () => true,
    });
    try {
      await this.functions.sweep(
        {
          ...{ registry, clock, table, scan: search, reads: unlimited(clock), telemetry, nonce: this.nonce },
          archive: requestedArchive(world.archive, invocation),
          notes: requestedNotes(world.notes, invocation),
          stop: () => invocation.outOfTime(),
        },
        { tableName: 'simulated' },
      );
    } catch (error) {
      if (!(error instanceof TransientError)) throw error;
    }
    invocation.isUnhandled = false;
    return new Map();
  }
}
