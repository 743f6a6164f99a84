import { createHash } from 'node:crypto';
import type { DynamoDBRecord } from 'aws-lambda';
import { nameOf } from '../errors.ts';
import { type SavedPosition, savedPosition } from './checkpoint.ts';
import type { Delivery, PendingRecord } from './delivery.ts';
import type { Moment } from './idle-tracker.ts';
import { ShardWorker } from './shard-worker.ts';
import type { ShardPosition, StreamPort } from './stream-port.ts';

export interface ShardPage {
  readonly records: readonly DynamoDBRecord[];
  /** Whether the shard is closed and was read to its end. */
  readonly ended: boolean;
}

/** Reads one shard from a position. An expired iterator is renewed after the last record that was read. */
export class ShardReader {
  readonly #stream: StreamPort;
  readonly #shardId: string;
  #position: ShardPosition;
  #iterator: string | undefined;

  constructor(stream: StreamPort, shardId: string, position: ShardPosition) {
    this.#stream = stream;
    this.#shardId = shardId;
    this.#position = position;
  }

  /** The next records, each only once. Empty if the shard has no new records. */
  async read(): Promise<ShardPage> {
    this.#iterator ??= await this.#open();
    try {
      return await this.#page(this.#iterator);
    } catch (error) {
      if (!isOutdated(error)) throw error;
      // LATEST would skip the records that were written since the event source started.
      if (this.#position === 'LATEST') this.#position = 'TRIM_HORIZON';
      this.#iterator = await this.#open();
      // Without this, an empty page would be taken for the end of the shard.
      return this.#page(this.#iterator);
    }
  }

  async #page(iterator: string): Promise<ShardPage> {
    const { records, next } = await this.#stream.records(iterator);
    const news = records.filter((record) => this.#isNew(record));
    const last = news.at(-1)?.dynamodb?.SequenceNumber;
    if (last !== undefined) this.#position = { after: last };
    this.#iterator = next;
    return { records: news, ended: next === undefined };
  }

  async #open(): Promise<string> {
    try {
      return await this.#stream.iterator(this.#shardId, this.#position);
    } catch (error) {
      if (nameOf(error) !== 'TrimmedDataAccessException') throw error;
      return this.#stream.iterator(this.#shardId, 'TRIM_HORIZON');
    }
  }

  /** Sequence numbers vary in length: as strings, "10" would sort before "9". */
  #isNew({ dynamodb }: DynamoDBRecord): boolean {
    if (typeof this.#position === 'string' || dynamodb?.SequenceNumber === undefined) return true;
    return BigInt(dynamodb.SequenceNumber) > BigInt(this.#position.after);
  }
}

function isOutdated(error: unknown): boolean {
  return ['ExpiredIteratorException', 'TrimmedDataAccessException'].includes(nameOf(error));
}

/** Pauses between polls of a shard without new records, in milliseconds. */
const pollDelay = { first: 20, longest: 200 };

export interface ShardDeliveryOptions {
  readonly reader: ShardReader;
  readonly delivery: Delivery;
  readonly passes: (record: DynamoDBRecord) => boolean;
  /** Converts a record for delivery. */
  readonly prepare: (record: DynamoDBRecord) => Promise<DynamoDBRecord>;
  readonly fetched: (record: DynamoDBRecord) => void;
  /** Called for each record, in their order, once it and all before it are delivered, given up or filtered out. */
  readonly finished: (record: DynamoDBRecord) => void;
  /** Retries a request to the stream. */
  readonly persist: <Result>(request: () => Promise<Result>) => Promise<Result>;
  /** Whether the shard has child shards, so that nothing is written to it any more. */
  readonly hasChildren: () => boolean;
  readonly fail: (error: unknown) => void;
}

/** Reads one shard for one function, and assigns its records to workers by item. */
export class ShardDelivery {
  readonly #options: ShardDeliveryOptions;
  readonly #workers: readonly ShardWorker[];
  #emptySince: Moment = 0;
  /** The fetched records, from the first that is not delivered. Those that are filtered out wait for nothing. */
  readonly #open: { readonly record: DynamoDBRecord; readonly pending: PendingRecord | undefined }[] = [];
  readonly #delivered = new Set<PendingRecord>();
  #last: DynamoDBRecord | undefined;

  constructor(options: ShardDeliveryOptions) {
    this.#options = options;
    const { delivery, fail } = options;
    const count = delivery.settings.ParallelizationFactor;
    const delivered = (batch: readonly PendingRecord[]) => {
      for (const record of batch) this.#delivered.add(record);
      this.#advance();
    };
    this.#workers = Array.from({ length: count }, () => new ShardWorker(delivery, delivered, fail));
  }

  /** Everything up to here is delivered; undefined if nothing is. */
  get position(): SavedPosition | undefined {
    return this.#last && savedPosition(this.#last);
  }

  /** Whether everything in the shard at `moment` has been delivered. */
  isQuietSince(moment: Moment): boolean {
    return this.#emptySince > moment && this.#workers.every((worker) => worker.isEmpty);
  }

  /**
   * Resolves when the shard is closed and fully delivered, or when the event source has stopped and nothing
   * is in flight.
   */
  async run(): Promise<void> {
    try {
      await this.#read();
    } finally {
      await Promise.all(this.#workers.map((worker) => worker.finished()));
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
      const waits = passes(prepared) ? pending(prepared, fetchedAt) : undefined;
      this.#open.push({ record, pending: waits });
      if (waits !== undefined) passing.push(waits);
    }
    // Add them all at once, so that the records of a page share a batch if they fit.
    for (const record of passing) this.#workers[workerOf(record.record, this.#workers.length)]?.add(record);
    this.#advance();
  }

  #advance(): void {
    for (let first = this.#open[0]; first !== undefined; first = this.#open[0]) {
      if (first.pending !== undefined && !this.#delivered.delete(first.pending)) return;
      this.#last = first.record;
      this.#open.shift();
      this.#options.finished(first.record);
    }
  }

  /** Pauses reading while every worker has two batches waiting. */
  async #room(): Promise<void> {
    const { idleTracker, settings } = this.#options.delivery;
    const most = 2 * settings.BatchSize * this.#workers.length;
    const waiting = () => this.#workers.reduce((sum, worker) => sum + worker.waiting, 0);
    while (waiting() >= most && !idleTracker.stopped.aborted) await idleTracker.poll(pollDelay.first);
  }
}

function pending(record: DynamoDBRecord, fetchedAt: number): PendingRecord {
  const sequenceNumber = record.dynamodb?.SequenceNumber ?? '';
  return { record, json: JSON.stringify(record), sequenceNumber, fetchedAt };
}

/** Chooses the same worker for each record of an item, to preserve their order. */
function workerOf({ dynamodb }: DynamoDBRecord, workers: number): number {
  if (workers === 1) return 0;
  const entries = Object.entries(dynamodb?.Keys ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));
  return createHash('sha1').update(JSON.stringify(entries)).digest().readUInt32BE() % workers;
}
