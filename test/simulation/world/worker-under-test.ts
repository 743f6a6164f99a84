import type { Registry } from '../../../src/domain/registry.ts';
import { archiveBatch } from '../../../src/execution/archive-batch.ts';
import { fanOutBatch, type QueueRecord } from '../../../src/execution/fan-out.ts';
import type { StreamRecord } from '../../../src/execution/group.ts';
import { propagateBatch } from '../../../src/execution/propagate-batch.ts';
import type { ModelArchive } from '../../model/model-archive.ts';
import type { ModelTable } from '../../model/model-table.ts';
import type { Climate } from './climate.ts';
import type { Invocation } from './invocation.ts';
import { RequestedArchive } from './requested-archive.ts';
import { RequestedQueue } from './requested-queue.ts';
import { RequestedTable, type WriteCounts } from './requested-table.ts';
import type { SimulatedQueue } from './simulated-queue.ts';

/** The functions of the worker. */
export interface Functions {
  readonly propagateBatch: typeof propagateBatch;
  readonly fanOutBatch: typeof fanOutBatch;
  readonly archiveBatch: typeof archiveBatch;
}

export const realFunctions: Functions = { propagateBatch, fanOutBatch, archiveBatch };

/** What an invocation is given. */
export interface Batch {
  readonly invocation: Invocation;
  readonly messages: readonly QueueRecord[];
  readonly records: readonly StreamRecord[];
}

/** What the worker sees of the world, through its ports. */
interface Surroundings {
  readonly registry: Registry;
  readonly climate: Climate;
  readonly table: ModelTable;
  readonly queue: SimulatedQueue;
  readonly archive: ModelArchive;
  readonly counts: WriteCounts;
}

/** Runs the worker's functions, each invocation with ports of its own. */
export class WorkerUnderTest {
  private readonly functions: Functions;
  private nonces = 0;

  constructor(functions: Functions) {
    this.functions = functions;
  }

  run(world: Surroundings, { invocation, messages, records }: Batch): Promise<ReadonlyMap<string, unknown>> {
    const { registry, climate } = world;
    const table = new RequestedTable(world.table, invocation, world.counts);
    const queue = new RequestedQueue(world.queue, invocation);
    const silent = () => {};
    const telemetry = { turned: silent, checked: silent, parked: silent, archived: silent, failed: silent };
    const { settings } = climate;
    const engine = { registry, table, queue, telemetry, settings, outOfTime: () => invocation.outOfTime() };
    if (invocation.task === 'propagate') return this.functions.propagateBatch(engine, records);
    if (invocation.task === 'fan-out') return this.functions.fanOutBatch(engine, messages);
    const archive = new RequestedArchive(world.archive, invocation);
    const nonce = () => this.nextNonce();
    const { concurrency } = settings;
    return this.functions.archiveBatch(
      { registry, table, archive, queue, telemetry, nonce, concurrency },
      records,
    );
  }

  private nextNonce(): Uint8Array {
    this.nonces += 1;
    return new Uint8Array(new BigUint64Array([BigInt(this.nonces)]).buffer);
  }
}
