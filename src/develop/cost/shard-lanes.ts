import { createHash } from 'node:crypto';
import { keyText } from '../../model/item.ts';
import type { StreamRecord } from '../../worker/batch/group.ts';
import type { ClockPort } from '../../worker/ports.ts';

/** How an event source mapping makes batches of a shard. */
export interface LaneSettings {
  readonly ParallelizationFactor: number;
  readonly BatchSize: number;
  readonly MaximumBatchingWindowInSeconds: number;
}

interface ShardLane {
  waiting: { readonly record: StreamRecord; readonly since: number }[];
  busy: boolean;
}

/** Lambda looks at a shard four times a second. Source: AWS, "Process DynamoDB records with Lambda", polling. */
export const pollInterval = 250;

/**
 * One shard on its way to a function: records go to lanes by item, each lane works on one batch at a time, and a batch
 * waits for its window or until it is full.
 */
export class ShardLanes {
  private readonly lanes: readonly ShardLane[];
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
    this.lanes = Array.from({ length: settings.ParallelizationFactor }, () => ({
      waiting: [],
      busy: false,
    }));
  }

  get isEmpty(): boolean {
    return this.lanes.every(({ waiting, busy }) => waiting.length === 0 && !busy);
  }

  /** Takes what a look at the shard brought, and starts the batches that are due. */
  look(records: readonly StreamRecord[]): void {
    for (const record of records) {
      if ('unreadable' in record.says) continue;
      const hash = createHash('sha256').update(keyText(record.says.key)).digest().readUInt32BE();
      this.lanes[hash % this.lanes.length]?.waiting.push({ record, since: this.clock.now() });
    }
    for (const lane of this.lanes) this.start(lane);
  }

  private start(lane: ShardLane): void {
    const { BatchSize, MaximumBatchingWindowInSeconds } = this.settings;
    const [first] = lane.waiting;
    if (lane.busy || first === undefined) return;
    const due = this.clock.now() - first.since >= MaximumBatchingWindowInSeconds * 1000;
    if (!due && lane.waiting.length < BatchSize) return;
    const batch = lane.waiting.splice(0, BatchSize).map(({ record }) => record);
    lane.busy = true;
    void this.handle(batch).finally(() => {
      lane.busy = false;
      this.start(lane);
    });
  }
}
