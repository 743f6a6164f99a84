import { createHash } from 'node:crypto';
import type { StreamRecord } from '../../src/batch/group.ts';
import { keyText } from '../../src/model/item.ts';
import type { ClockPort } from '../../src/ports.ts';

/** How an event source mapping makes batches of a shard. */
export interface LaneSettings {
  readonly ParallelizationFactor: number;
  readonly BatchSize: number;
  readonly MaximumBatchingWindowInSeconds: number;
}

interface ShardWorker {
  waiting: { readonly record: StreamRecord; readonly since: number }[];
  busy: boolean;
}

/** Lambda looks at a shard four times a second. Source: AWS, "Process DynamoDB records with Lambda", polling. */
export const pollInterval = 250;

/**
 * One shard on its way to a function: records go to lanes by item, each lane works on one batch at a time, and a batch
 * waits for its window or until it is full.
 */
export class ShardWorkers {
  private readonly workers: readonly ShardWorker[];
  private readonly settings: LaneSettings;
  private readonly clock: ClockPort;
  private readonly handle: (records: readonly StreamRecord[]) => Promise<void>;

  constructor(
    settings: LaneSettings,
    clock: ClockPort,
    handle: (records: readonly StreamRecord[]) => Promise<void>,
  ) {
    this.settings = settings;
    this.clock = clock;
    this.handle = handle;
    this.workers = Array.from({ length: settings.ParallelizationFactor }, () => ({
      waiting: [],
      busy: false,
    }));
  }

  get isEmpty(): boolean {
    return this.workers.every(({ waiting, busy }) => waiting.length === 0 && !busy);
  }

  /** Takes what a look at the shard brought, and starts the batches that are due. */
  look(records: readonly StreamRecord[]): void {
    for (const record of records) {
      if ('unreadable' in record.says) continue;
      const hash = createHash('sha256').update(keyText(record.says.key)).digest().readUInt32BE();
      this.workers[hash % this.workers.length]?.waiting.push({ record, since: this.clock.now() });
    }
    for (const worker of this.workers) this.start(worker);
  }

  private start(worker: ShardWorker): void {
    const { BatchSize, MaximumBatchingWindowInSeconds } = this.settings;
    const [first] = worker.waiting;
    if (worker.busy || first === undefined) return;
    const due = this.clock.now() - first.since >= MaximumBatchingWindowInSeconds * 1000;
    if (!due && worker.waiting.length < BatchSize) return;
    const batch = worker.waiting.splice(0, BatchSize).map(({ record }) => record);
    worker.busy = true;
    void this.handle(batch).finally(() => {
      worker.busy = false;
      this.start(worker);
    });
  }
}
