import type { Registry } from '../../../model/registry.ts';
import { archiveBatch } from '../../../worker/archive/archive-batch.ts';
import type { ArchiveContext } from '../../../worker/archive/archive-item.ts';
import { defaultSettings, type Settings } from '../../../worker/ports.ts';
import type { PropagationContext } from '../../../worker/propagation/context.ts';
import { fanOutBatch } from '../../../worker/propagation/fan-out-batch.ts';
import { Memory } from '../../../worker/propagation/item-memory.ts';
import { propagateBatch } from '../../../worker/propagation/propagate-batch.ts';
import { countedNonces, ModelArchive } from './model-archive.ts';
import { ModelQueue } from './model-queue.ts';
import { ModelStream } from './model-stream.ts';
import { ModelTable } from './model-table.ts';
import { ModelTablePort } from './model-table-port.ts';
import { RecordingTelemetry } from './recording-telemetry.ts';

/** The real engine over the models, for tests: write to `table` as an application would, then call {@link ModelWorker.rest}, then look. */
export class ModelWorker {
  readonly table: ModelTable;
  readonly port: ModelTablePort;
  readonly queue = new ModelQueue();
  readonly archive = new ModelArchive();
  readonly telemetry = new RecordingTelemetry();
  readonly context: PropagationContext;
  readonly archiveContext: ArchiveContext;
  readonly stream: ModelStream;
  readonly archiveStream: ModelStream;
  outOfTime = false;
  /** What the engine takes for the time, in epoch milliseconds. It moves only when it is set, or slept. */
  time = Date.UTC(2026, 0, 1);

  constructor(registry: Registry, settings: Partial<Settings> = {}) {
    this.table = new ModelTable(registry.table);
    this.port = new ModelTablePort(this.table);
    this.stream = new ModelStream(this.table);
    this.archiveStream = new ModelStream(this.table);
    const { queue, telemetry, port: table, archive } = this;
    this.context = {
      registry,
      table,
      queue,
      telemetry,
      settings: { ...defaultSettings, ...settings },
      outOfTime: () => this.outOfTime,
      memory: new Memory(),
      clock: {
        now: () => this.time,
        sleep: async (milliseconds) => {
          this.time += milliseconds;
        },
      },
    };
    const nonce = countedNonces();
    this.archiveContext = { registry, table, archive, queue, telemetry, nonce, concurrency: 16 };
  }

  /** Works the queue off for so many seconds of its own time. @returns how long each message was delayed, in seconds */
  async workOff(seconds: number): Promise<readonly number[]> {
    const end = this.time + seconds * 1000;
    const delays: number[] = [];
    for (let next = this.queue.shortestDelay(); next !== undefined; next = this.queue.shortestDelay()) {
      if (this.time + next * 1000 > end) break;
      delays.push(next);
      this.time += next * 1000;
      await fanOutBatch(this.context, this.queue.pass(next));
    }
    return delays;
  }

  /** One batch after another, until neither the stream nor the queue holds more. */
  async rest(batchSize = 100): Promise<void> {
    for (;;) {
      const records = this.stream.take(batchSize);
      if (records.length > 0) await propagateBatch(this.context, records);
      const messages = this.queue.take();
      if (messages.length > 0) await fanOutBatch(this.context, messages);
      if (records.length + messages.length === 0) return;
    }
  }

  async archiveRest(batchSize = 100): Promise<void> {
    for (let records = this.archiveStream.take(batchSize); records.length > 0; ) {
      await archiveBatch(this.archiveContext, records);
      records = this.archiveStream.take(batchSize);
    }
  }
}
