import { createHash } from 'node:crypto';
import type { DynamoDBRecord } from 'aws-lambda';
import type { Delivery, PendingRecord } from './delivery.ts';
import type { Moment } from './idle-tracker.ts';
import type { ShardReader } from './shard-reader.ts';
import { ShardWorker } from './shard-worker.ts';

/** Pauses between looks at a shard that has nothing new, in milliseconds: at first, and at most. */
const pollDelay = { first: 20, longest: 200 };

export interface ShardDeliveryOptions {
  readonly reader: ShardReader;
  readonly delivery: Delivery;
  readonly passes: (record: DynamoDBRecord) => boolean;
  /** The record as it is delivered. */
  readonly prepare: (record: DynamoDBRecord) => Promise<DynamoDBRecord>;
  readonly fetched: (record: DynamoDBRecord) => void;
  /** Tries a request to the stream again for as long as there is hope. */
  readonly persist: <Result>(request: () => Promise<Result>) => Promise<Result>;
  /** Whether other shards continue this one: then nothing is written to it any more. */
  readonly hasChildren: () => boolean;
  readonly fail: (error: unknown) => void;
}

/** One shard on its way to one function: reads it, and deals its records out to lanes by item. */
export class ShardDelivery {
  readonly #options: ShardDeliveryOptions;
  readonly #lanes: readonly ShardWorker[];
  #emptySince: Moment = 0;

  constructor(options: ShardDeliveryOptions) {
    this.#options = options;
    const { delivery, fail } = options;
    const count = delivery.settings.ParallelizationFactor;
    this.#lanes = Array.from({ length: count }, () => new ShardWorker(delivery, fail));
  }

  /** Whether all that was in the shard at `moment` has been delivered. */
  isQuietSince(moment: Moment): boolean {
    return this.#emptySince > moment && this.#lanes.every((worker) => worker.isEmpty);
  }

  /** Resolves when the shard is closed and all of it delivered, or all is to stop and nothing is under way. */
  async run(): Promise<void> {
    try {
      await this.#read();
    } finally {
      await Promise.all(this.#lanes.map((worker) => worker.finished()));
    }
  }

  async #read(): Promise<void> {
    const { delivery, persist, reader, hasChildren } = this.#options;
    const { idleTracker } = delivery;
    let delay = pollDelay.first;
    while (!idleTracker.stopped.aborted) {
      const asked = idleTracker.now();
      const isClosed = hasChildren();
      const { records, ended } = await persist(() => reader.read());
      if (records.length > 0) {
        await this.#dealOut(records);
        await this.#room();
        delay = pollDelay.first;
      } else {
        this.#emptySince = asked;
        idleTracker.changed();
      }
      if (ended || (isClosed && records.length === 0)) return;
      if (records.length === 0) {
        await idleTracker.poll(delay);
        delay = Math.min(pollDelay.longest, delay * 2);
      }
    }
  }

  async #dealOut(records: readonly DynamoDBRecord[]): Promise<void> {
    const { delivery, fetched, passes, prepare } = this.#options;
    delivery.idleTracker.worked();
    const fetchedAt = Date.now();
    const passing: PendingRecord[] = [];
    for (const record of records) {
      fetched(record);
      const prepared = await prepare(record);
      if (passes(prepared)) passing.push(pending(prepared, fetchedAt));
    }
    // All in one go: what was fetched together is delivered together, as far as it fits.
    for (const record of passing) this.#lanes[laneOf(record.record, this.#lanes.length)]?.add(record);
  }

  /** Reads no further while two batches wait in every lane. */
  async #room(): Promise<void> {
    const { idleTracker, settings } = this.#options.delivery;
    const most = 2 * settings.BatchSize * this.#lanes.length;
    const waiting = () => this.#lanes.reduce((sum, worker) => sum + worker.waiting, 0);
    while (waiting() >= most && !idleTracker.stopped.aborted) await idleTracker.poll(pollDelay.first);
  }
}

function pending(record: DynamoDBRecord, fetchedAt: number): PendingRecord {
  const sequenceNumber = record.dynamodb?.SequenceNumber ?? '';
  return { record, json: JSON.stringify(record), sequenceNumber, fetchedAt };
}

/** The same lane for each record of an item, so that their order is kept. */
function laneOf({ dynamodb }: DynamoDBRecord, workers: number): number {
  if (workers === 1) return 0;
  const entries = Object.entries(dynamodb?.Keys ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));
  return createHash('sha1').update(JSON.stringify(entries)).digest().readUInt32BE() % workers;
}
