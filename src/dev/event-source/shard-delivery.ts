import { createHash } from 'node:crypto';
import type { DynamoDBRecord } from 'aws-lambda';
import type { ShardReader } from '../../operate/adapters/dynamodb/stream-port.ts';
import type { Activity } from './activity.ts';
import { type Delivery, deliver, type PendingRecord } from './delivery.ts';

/** Pauses between polls of a shard without new records. */
const pollDelayMs = { first: 20, longest: 200 };

/** A function that is so many records behind holds up the others. */
const maxWaiting = 5_000;

interface ShardDeliveryOptions {
  readonly reader: ShardReader;
  readonly activity: Activity;
  readonly deliveries: readonly (Delivery & { readonly passes: (record: DynamoDBRecord) => boolean })[];
  readonly prepare: (record: DynamoDBRecord) => DynamoDBRecord | undefined;
  readonly persist: <Result>(request: () => Promise<Result>) => Promise<Result>;
  /** Whether the shard has child shards, so that nothing is written to it any more. */
  readonly hasChildren: () => boolean;
  readonly fail: (error: unknown) => void;
}

export type ShardDelivery = ReturnType<typeof shardDelivery>;

/** Reads one shard once for all functions, and assigns its records to the workers of each function by item. */
export function shardDelivery(options: ShardDeliveryOptions) {
  const { reader, activity, deliveries, prepare, persist, hasChildren, fail } = options;
  /** The fetched records, from the first that is not delivered, with the number of functions that have not yet got it. */
  const open = new Map<PendingRecord, number>();
  let last: DynamoDBRecord | undefined;
  let emptyAt = -1;
  /** For each function, its records of the shard, in as many sequences as its mapping has workers. */
  const lanes = deliveries.map((delivery) => ({
    passes: delivery.passes,
    workers: Array.from({ length: delivery.mapped.settings.ParallelizationFactor }, () =>
      batches(delivery, delivered, fail),
    ),
  }));

  function delivered(batch: readonly PendingRecord[]): void {
    for (const record of batch) open.set(record, (open.get(record) ?? 0) - 1);
    advance();
  }

  async function read(): Promise<void> {
    let delay = pollDelayMs.first;
    while (!activity.stopped.aborted) {
      const count = activity.count;
      const isClosed = hasChildren();
      const { records, ended } = await persist(() => reader.read());
      if (records.length > 0) activity.happened();
      else emptyAt = count;
      dealOut(records);
      if (ended || (isClosed && records.length === 0)) return;
      while (isBehind() && !activity.stopped.aborted) await activity.poll(pollDelayMs.first);
      if (records.length === 0) await activity.poll(delay);
      delay = records.length > 0 ? pollDelayMs.first : Math.min(pollDelayMs.longest, delay * 2);
    }
  }

  function dealOut(records: readonly DynamoDBRecord[]): void {
    const fetchedAt = Date.now();
    for (const fetched of records) {
      const prepared = prepare(fetched);
      const record = prepared ?? fetched;
      const sequenceNumber = record.dynamodb?.SequenceNumber ?? '';
      const item = JSON.stringify(Object.entries(record.dynamodb?.Keys ?? {}).sort());
      const pending = { record, json: JSON.stringify(record), sequenceNumber, fetchedAt };
      const readers = prepared === undefined ? [] : lanes.filter(({ passes }) => passes(record));
      open.set(pending, readers.length);
      for (const { workers } of readers) workers[laneOf(item, workers.length)]?.add(pending);
    }
    advance();
  }

  function advance(): void {
    for (const [pending, functions] of open) {
      if (functions > 0) return;
      last = pending.record;
      open.delete(pending);
    }
  }

  function isBehind(): boolean {
    return lanes.some(({ workers }) => workers.reduce((sum, one) => sum + one.waiting(), 0) >= maxWaiting);
  }

  return {
    /** The record up to which every function has everything; undefined if there is none. */
    last: () => last,

    /** Whether everything in the shard has been delivered, and it was read to its end since anything happened. */
    isQuiet(): boolean {
      const isEmpty = lanes.every(({ workers }) => workers.every((worker) => worker.isEmpty()));
      return isEmpty && emptyAt === activity.count;
    },

    /** Resolves when the shard is closed and delivered, or the event source has stopped and nothing is in flight. */
    async run(): Promise<void> {
      try {
        await read();
      } finally {
        await Promise.all(lanes.flatMap(({ workers }) => workers.map((worker) => worker.finished())));
      }
    },
  };
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

/**
 * Delivers one batch at a time, in order. No batching window is waited for: local invocations cost nothing.
 * @param fail called if delivery is impossible, because a batch could not even be given up
 */
function batches(
  delivery: Delivery,
  delivered: (batch: readonly PendingRecord[]) => void,
  fail: (error: unknown) => void,
) {
  const waiting: PendingRecord[] = [];
  let running: Promise<void> | undefined;

  async function run(): Promise<void> {
    const { stopped } = delivery.activity;
    try {
      // Records added in the same tick share a batch.
      await Promise.resolve();
      while (waiting.length > 0 && !stopped.aborted) {
        const batch = take();
        if (await deliver(batch, delivery)) delivered(batch);
      }
    } catch (error) {
      fail(error);
    } finally {
      running = undefined;
    }
  }

  function take(): readonly PendingRecord[] {
    let bytes = 0;
    let count = 0;
    for (const { json } of waiting.slice(0, delivery.mapped.settings.BatchSize)) {
      bytes += Buffer.byteLength(json) + 1;
      if (count > 0 && bytes > maxPayload) break;
      count += 1;
    }
    return waiting.splice(0, count);
  }

  return {
    waiting: () => waiting.length,
    isEmpty: () => waiting.length === 0 && running === undefined,
    add(record: PendingRecord): void {
      waiting.push(record);
      running ??= run();
    },
    /** Resolves when everything added is delivered, or when the event source has stopped and nothing is in flight. */
    finished: async () => running,
  };
}
