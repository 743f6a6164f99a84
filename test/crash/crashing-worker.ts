import { ModelArchive } from '../../src/develop/testing/table-model/model-archive.ts';
import { ModelQueue } from '../../src/develop/testing/table-model/model-queue.ts';
import { ModelStream } from '../../src/develop/testing/table-model/model-stream.ts';
import { ModelTable } from '../../src/develop/testing/table-model/model-table.ts';
import { ModelTablePort } from '../../src/develop/testing/table-model/model-table-port.ts';
import { RecordingTelemetry } from '../../src/develop/testing/table-model/recording-telemetry.ts';
import type { Registry } from '../../src/model/registry.ts';
import { coalescingTable } from '../../src/worker/adapters/dynamodb/coalescing-table.ts';
import { systemClock } from '../../src/worker/adapters/system-clock.ts';
import { archiveBatch } from '../../src/worker/archive/archive-batch.ts';
import { defaultSettings, type Settings } from '../../src/worker/ports.ts';
import { fanOutBatch } from '../../src/worker/propagation/fan-out-batch.ts';
import { propagateBatch } from '../../src/worker/propagation/propagate-batch.ts';
import { Crash, type CrashPoint, stopped } from './crash.ts';
import { crashingArchive, crashingQueue, crashingTable } from './crashing-ports.ts';

/** A page of a few statement batches, so that a hundred copies are several pages, and the queue has work. */
const pageLimit = 40;

/** Records of a delivery, as a mapping may have it. */
const batchSize = 100;

/** Deliveries after which a run is taken for one that never comes to rest. */
const maxDeliveries = 2_000;

/**
 * The table, the queue and the archive, which outlive any worker, and the first worker on them, which may stop at one of
 * its requests. What it was at work on is then delivered again, to a worker that does not stop.
 */
export class CrashingWorker {
  readonly table: ModelTable;
  readonly queue = new ModelQueue();
  readonly archive = new ModelArchive();
  readonly stream: ModelStream;
  /** The first worker, or that which came after it. */
  first: Crash;
  private worker: Crash;
  /** Whether the first worker has stopped. */
  stopped = false;
  /** What somebody does at the moment when the worker stops. */
  atCrash: (() => void) | undefined;
  private readonly registry: Registry;
  private readonly settings: Settings = { ...defaultSettings, pageLimit };
  private deliveries = 0;
  private nonces = 0;

  constructor(registry: Registry, point?: CrashPoint) {
    this.registry = registry;
    this.table = new ModelTable(registry.table);
    this.stream = new ModelStream(this.table);
    this.first = new Crash(point);
    this.worker = this.first;
  }

  /** A worker that may stop takes the place of one that has done its work. */
  succeededBy(point?: CrashPoint): this {
    this.first = new Crash(point);
    this.worker = this.first;
    return this;
  }

  /** Propagates until stream and queue hold no more. */
  async propagate(): Promise<void> {
    for (;;) {
      const records = this.stream.take(batchSize);
      if (records.length > 0) await this.deliver(() => propagateBatch(this.context(), records));
      const messages = this.queue.take();
      if (messages.length > 0) await this.deliver(() => fanOutBatch(this.context(), messages));
      if (records.length + messages.length === 0) return;
    }
  }

  /** Archives until the stream holds no more. */
  async keep(): Promise<void> {
    for (;;) {
      const records = this.stream.take(batchSize);
      if (records.length === 0) return;
      await this.deliver(() => archiveBatch(this.archiveContext(), records));
    }
  }

  /** Delivers until the work is answered. Only a crash may keep it from that. */
  private async deliver(work: () => Promise<ReadonlyMap<string, unknown>>): Promise<void> {
    this.deliveries += 1;
    if (this.deliveries > maxDeliveries) throw new Error('Expected rest, and the work does not end');
    const answer = await this.worker.race(work());
    if (answer === stopped) {
      this.worker = new Crash();
      this.stopped = true;
      this.atCrash?.();
      await this.first.arrive();
      await this.deliver(work);
    } else if (answer.size > 0)
      throw new Error('Expected every record to be worked on, some came back', {
        cause: [...answer.values()][0],
      });
  }

  private context() {
    const { registry, settings, worker: crash } = this;
    return {
      ...{
        registry,
        settings,
        telemetry: new RecordingTelemetry(),
        outOfTime: () => false,
        clock: systemClock,
      },
      table: this.tablePort(crash),
      queue: crashingQueue(this.queue, crash),
    };
  }

  private archiveContext() {
    const { registry, worker: crash } = this;
    return {
      ...{ registry, telemetry: new RecordingTelemetry(), concurrency: defaultSettings.concurrency },
      table: this.tablePort(crash),
      queue: crashingQueue(this.queue, crash),
      archive: crashingArchive(this.archive, crash),
      nonce: () => {
        this.nonces += 1;
        return new Uint8Array(new BigUint64Array([BigInt(this.nonces)]).buffer);
      },
    };
  }

  /** What an invocation asks for in one go is one request, as it is deployed. */
  private tablePort(crash: Crash) {
    return coalescingTable(crashingTable(new ModelTablePort(this.table), crash), this.registry.table);
  }
}
