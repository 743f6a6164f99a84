import { createHash } from 'node:crypto';
import type { DynamoDBRecord } from 'aws-lambda';
import type { ShardReader } from '../../operate/adapters/dynamodb/stream-port.ts';
import type { Activity } from './activity.ts';
import { type Delivery, deliver, type PendingRecord } from './delivery.ts';

/** Pauses between polls of a shard without new records. */
const pollDelayMs = { first: 20, longest: 200 };

/** A function that is so many records behind holds up the others. */
const maxWaiting = 5_000;

export interface ShardDeliveryOptions {
  readonly reader: ShardReader;
  readonly activity: Activity;
  readonly deliveries: readonly (Delivery & Pick<Lane, 'passes'>)[];
  readonly prepare: (record: DynamoDBRecord) => DynamoDBRecord;
  readonly persist: <Result>(request: () => Promise<Result>) => Promise<Result>;
  /** Whether the shard has child shards, so that nothing is written to it any more. */
  readonly hasChildren: () => boolean;
  readonly fail: (error: unknown) => void;
}

/** A function's records of the shard, in as many sequences as its mapping has workers. */
interface Lane {
  readonly passes: (record: DynamoDBRecord) => boolean;
  readonly workers: readonly Batches[];
}

/** Reads one shard once for all functions, and assigns its records to the workers of each function by item. */
export class ShardDelivery {
  readonly #options: ShardDeliveryOptions;
  readonly #lanes: readonly Lane[];
  #emptyAt = -1;
  /** The fetched records, from the first that is not delivered, with the number of functions that have not yet got it. */
  readonly #open = new Map<PendingRecord, number>();
  /** The record up to which every function has everything; undefined if there is none. */
  last: DynamoDBRecord | undefined;

  constructor(options: ShardDeliveryOptions) {
    this.#options = options;
    const delivered = (batch: readonly PendingRecord[]) => {
      for (const record of batch) this.#open.set(record, (this.#open.get(record) ?? 0) - 1);
      this.#advance();
    };
    this.#lanes = options.deliveries.map((delivery) => ({
      passes: delivery.passes,
      workers: Array.from(
        { length: delivery.mapped.settings.ParallelizationFactor },
        () => new Batches(delivery, delivered, options.fail),
      ),
    }));
  }

  /** Whether everything in the shard has been delivered, and it was read to its end since anything happened. */
  get isQuiet(): boolean {
    const isEmpty = this.#lanes.every(({ workers }) => workers.every((worker) => worker.isEmpty));
    return isEmpty && this.#emptyAt === this.#options.activity.count;
  }

  /** Resolves when the shard is closed and delivered, or the event source has stopped and nothing is in flight. */
  async run(): Promise<void> {
    try {
      await this.#read();
    } finally {
      await Promise.all(this.#lanes.flatMap(({ workers }) => workers.map((worker) => worker.finished())));
    }
  }

  async #read(): Promise<void> {
    const { activity, persist, reader, hasChildren } = this.#options;
    let delay = pollDelayMs.first;
    while (!activity.stopped.aborted) {
      const count = activity.count;
      const isClosed = hasChildren();
      const { records, ended } = await persist(() => reader.read());
      if (records.length > 0) activity.happened();
      else this.#emptyAt = count;
      this.#dealOut(records);
      if (ended || (isClosed && records.length === 0)) return;
      while (this.#isBehind() && !activity.stopped.aborted) await activity.poll(pollDelayMs.first);
      if (records.length === 0) await activity.poll(delay);
      delay = records.length > 0 ? pollDelayMs.first : Math.min(pollDelayMs.longest, delay * 2);
    }
  }

  #dealOut(records: readonly DynamoDBRecord[]): void {
    const fetchedAt = Date.now();
    for (const fetched of records) {
      const record = this.#options.prepare(fetched);
      const sequenceNumber = record.dynamodb?.SequenceNumber ?? '';
      const item = JSON.stringify(Object.entries(record.dynamodb?.Keys ?? {}).sort());
      const pending = { record, json: JSON.stringify(record), sequenceNumber, fetchedAt };
      const readers = this.#lanes.filter(({ passes }) => passes(record));
      this.#open.set(pending, readers.length);
      for (const { workers } of readers) workers[laneOf(item, workers.length)]?.add(pending);
    }
    this.#advance();
  }

  #advance(): void {
    for (const [pending, functions] of this.#open) {
      if (functions > 0) return;
      this.last = pending.record;
      this.#open.delete(pending);
    }
  }

  #isBehind(): boolean {
    return this.#lanes.some(
      ({ workers }) => workers.reduce((sum, { waiting }) => sum + waiting, 0) >= maxWaiting,
    );
  }
}

/**
 * Chooses the same lane for each record of an item, to preserve their order.
 * @param item a text that no other item has
 */
export function laneOf(item: string, lanes: number): number {
  return createHash('sha256').update(item).digest().readUInt32BE() % lanes;
}

/** Lambda's limit for the payload of an event, 6 MB, less some room for the JSON around the records. */
const maxPayload = 6 * 1024 * 1024 - 1024;

/** Delivers one batch at a time, in order. No batching window is waited for: local invocations cost nothing. */
export class Batches {
  readonly #delivery: Delivery;
  readonly #delivered: (batch: readonly PendingRecord[]) => void;
  readonly #fail: (error: unknown) => void;
  readonly #waiting: PendingRecord[] = [];
  #running: Promise<void> | undefined;

  /** @param fail called if delivery is impossible, because a batch could not even be given up */
  constructor(
    delivery: Delivery,
    delivered: (batch: readonly PendingRecord[]) => void,
    fail: (error: unknown) => void,
  ) {
    this.#delivery = delivery;
    this.#delivered = delivered;
    this.#fail = fail;
  }

  get waiting(): number {
    return this.#waiting.length;
  }

  get isEmpty(): boolean {
    return this.#waiting.length === 0 && this.#running === undefined;
  }

  add(record: PendingRecord): void {
    this.#waiting.push(record);
    this.#running ??= this.#run();
  }

  /** Resolves when everything added is delivered, or when the event source has stopped and nothing is in flight. */
  async finished(): Promise<void> {
    await this.#running;
  }

  async #run(): Promise<void> {
    const { stopped } = this.#delivery.activity;
    try {
      // Records added in the same tick share a batch.
      await Promise.resolve();
      while (this.#waiting.length > 0 && !stopped.aborted) {
        const batch = this.#take();
        if (await deliver(batch, this.#delivery)) this.#delivered(batch);
      }
    } catch (error) {
      this.#fail(error);
    } finally {
      this.#running = undefined;
    }
  }

  #take(): readonly PendingRecord[] {
    let bytes = 0;
    let count = 0;
    for (const { json } of this.#waiting.slice(0, this.#delivery.mapped.settings.BatchSize)) {
      bytes += Buffer.byteLength(json) + 1;
      if (count > 0 && bytes > maxPayload) break;
      count += 1;
    }
    return this.#waiting.splice(0, count);
  }
}
