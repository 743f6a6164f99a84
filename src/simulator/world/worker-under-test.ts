import { TransientError } from '../../model/basics/errors.ts';
import type { Pauses } from '../../model/rules/pauses.ts';
import type { PropagationReport } from '../../model/work/report.ts';
import type { ModelArchive, ModelNotes } from '../../testing/table-model/model-archive.ts';
import { archiveBatch } from '../../worker/archive/archive-batch.ts';
import { sweep } from '../../worker/archive/sweep/sweep.ts';
import type { StreamRecord } from '../../worker/batch/group.ts';
import { unlimited } from '../../worker/budget.ts';
import { freshForMs } from '../../worker/pauses.ts';
import type { TablePort } from '../../worker/ports.ts';
import { fanOutBatch, type QueueRecord } from '../../worker/propagation/fan-out-batch.ts';
import { Memory } from '../../worker/propagation/item-memory.ts';
import { propagateBatch } from '../../worker/propagation/propagate-batch.ts';
import type { Invocation } from './invocation.ts';
import {
  requestedArchive,
  requestedClock,
  requestedNotes,
  requestedQueue,
  requestedScan,
} from './requested-ports.ts';
import { requestedTable, type TableEnvironment } from './requested-table.ts';
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

/** What the worker's functions find around them. */
export interface WorkerEnvironment extends TableEnvironment {
  readonly queue: SimulatedQueue;
  readonly archive: ModelArchive;
  readonly notes: ModelNotes;
  readonly nonce: () => Uint8Array;
  readonly pausedSince: ReadonlyMap<string, number>;
  readonly everPaused: ReadonlySet<string>;
  readonly pauses: (table: Pick<TablePort, 'get'>) => Promise<Pauses>;
}

/** The longest that an invocation may take that reads a stream or the queue, in milliseconds. */
export const maxMilliseconds = 60_000;

const silent = () => {};

const telemetry = {
  propagated: silent,
  received: silent,
  checked: silent,
  deadLettered: silent,
  archived: silent,
  failed: silent,
  swept: silent,
  unclassified: silent,
};

/** A rule that was paused long enough before an invocation began, and still is, must not be propagated by it. */
function noPropagationOf({ clock, pausedSince, findings }: WorkerEnvironment, { name }: Invocation) {
  const held = new Map([...pausedSince].filter(([, since]) => clock.now - since >= freshForMs));
  return ({ rule }: PropagationReport) => {
    if (held.has(rule) && pausedSince.get(rule) === held.get(rule))
      findings.violated(7, 'a rule is propagated though it is paused', `${rule} ${name}`);
  };
}

/** Where nobody can say what is paused, nothing is begun, and a batch without work has nothing to hand on. */
async function pausesFor(world: WorkerEnvironment, table: TablePort, invocation: Invocation) {
  try {
    return await world.pauses(table);
  } finally {
    invocation.isUnhandled = false;
  }
}

/** @returns what is to come again, and why */
export async function runWorker(
  functions: Functions,
  world: WorkerEnvironment,
  { invocation, messages, records }: Batch,
): Promise<ReadonlyMap<string, unknown>> {
  const { registry, nonce } = world;
  const { settings, memory } = world.profile;
  const table = requestedTable(world, invocation);
  const requesting = { invocation, late: world.late };
  const archive = requestedArchive(world.archive, requesting);
  if (invocation.task === 'sweep') {
    // Whatever it waits for comes at once.
    const clock = { now: () => world.clock.now, sleep: async () => {} };
    const scan = requestedScan(world.table, invocation);
    const notes = requestedNotes(world.notes, requesting);
    const stop = () => invocation.outOfTime();
    const context = {
      registry,
      clock,
      table,
      scan,
      reads: unlimited(clock),
      telemetry,
      nonce,
      archive,
      notes,
    };
    await functions.sweep({ ...context, stop }, { tableName: 'simulated' }).catch((error: unknown) => {
      // What it could not do for now it has left to the next one.
      if (!(error instanceof TransientError)) throw error;
    });
    invocation.isUnhandled = false;
    return new Map();
  }
  const queue = requestedQueue(world.queue, requesting);
  const clock = requestedClock(world.clock, invocation);
  if (invocation.task === 'archive') {
    const { concurrency } = settings;
    return functions.archiveBatch(
      { registry, table, archive, queue, telemetry, nonce, concurrency, clock },
      records,
    );
  }
  const outOfTime = (ahead = 0) => ahead > maxMilliseconds || invocation.outOfTime();
  const own = {
    ...{ registry, table, queue, settings, outOfTime, clock, memory: new Memory(memory) },
    telemetry: { ...telemetry, propagated: noPropagationOf(world, invocation) },
    ...(world.profile.pausing > 0 && { pauses: () => pausesFor(world, table, invocation) }),
  };
  return invocation.task === 'propagate'
    ? functions.propagateBatch(own, records)
    : functions.fanOutBatch(own, messages);
}
