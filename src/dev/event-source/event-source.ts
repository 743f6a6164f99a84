import type { DynamoDBRecord } from 'aws-lambda';
import { patternsOf } from '../../deploy/stack-settings.ts';
import { type Shard, type StreamPort, shardReader } from '../../operate/adapters/dynamodb/stream-port.ts';
import { systemClock } from '../../worker/adapters/system-clock.ts';
import { retry } from '../../worker/retry.ts';
import { LocalError, messageOf, nameOf } from '../errors.ts';
import { Activity } from './activity.ts';
import type { Delivery, MappedFunction, RetryDelay } from './delivery.ts';
import { eventFilter } from './event-filter.ts';
import { type OnFailureRecord, onFailureRecord } from './on-failure-folder.ts';
import { ShardDelivery } from './shard-delivery.ts';

/** Pause between checks for new shards. */
const describeDelayMs = 1_000;

/** By shard, the record up to which everything is acknowledged or given up. */
export type Positions = Readonly<Record<string, SavedPosition>>;

export interface SavedPosition {
  /** The record's sequence number. */
  readonly after: string;
  /** When it was written, in epoch seconds: a stream that begins anew gives the same number to another record. */
  readonly writtenAt: number;
}

export interface EventSourceOptions {
  readonly stream: StreamPort;
  readonly functions: readonly MappedFunction[];
  /** Stores a batch that was given up. If it throws, the event source fails, so that nothing is dropped. */
  readonly onFailure: (record: OnFailureRecord, functionName: string) => Promise<unknown>;
  /** Converts each record, once, before it is delivered. Default: no conversion. */
  readonly prepare?: (record: DynamoDBRecord) => DynamoDBRecord;
  /** Where to continue. Shards that are not listed are read from their oldest record. */
  readonly resumed?: Positions;
  /** Default 100 ms to 2 s. */
  readonly retryDelayMs?: RetryDelay;
}

/**
 * Delivers a stream to functions as Lambda's event source mappings do, without batching windows: batches, filters, workers,
 * partial responses, bisect, retries, on-failure records. Starts a shard only after its parent has been delivered to the end.
 * For development only: it never times out an invocation, and gives no record up for its age.
 */
export class EventSource {
  /** Rejects if the event source has failed: the stream or the on-failure destination is unreachable. */
  readonly failed: Promise<never>;
  readonly #options: EventSourceOptions;
  readonly #filters: readonly ((record: DynamoDBRecord) => boolean)[];
  readonly #activity = new Activity();
  readonly #open = new Map<string, { readonly shard: ShardDelivery; readonly run: Promise<void> }>();
  readonly #done = new Set<string>();
  readonly #running: Promise<void>;
  readonly #fail: (error: unknown) => void;
  #hasFailed = false;
  #shards: readonly Shard[] = [];
  #shardsAt = -1;

  /**
   * Starts at once.
   * @throws LocalError `filter.unknown-pattern` for a filter that cannot be applied here
   */
  constructor(options: EventSourceOptions) {
    this.#options = options;
    this.#filters = options.functions.map(({ settings }) => eventFilter(patternsOf(settings)));
    const { promise, reject } = Promise.withResolvers<never>();
    promise.catch(() => {});
    this.failed = promise;
    this.#fail = (error) => {
      if (this.#activity.stopped.aborted) return;
      this.#hasFailed = true;
      reject(error);
      this.#activity.stop();
    };
    this.#running = this.#run();
  }

  /** Resolves when everything in the stream now, and all that results from it, is acknowledged or given up. */
  async idle(): Promise<void> {
    await this.#activity.idle(() => this.#isQuiet());
    if (this.#hasFailed) await this.failed;
  }

  /** Up to where everything is acknowledged or given up by every function. */
  positions(): Positions {
    const positions = Object.entries(this.#options.resumed ?? {});
    for (const [id, { shard }] of this.#open)
      if (shard.last !== undefined) positions.push([id, positionOf(shard.last)]);
    return Object.fromEntries(positions);
  }

  /** Starts no further invocation, and waits for those in flight. May be called again. */
  async stop(): Promise<void> {
    this.#activity.stop();
    await this.#running;
  }

  /** Whether everything in the stream is delivered, and all of it was looked at since anything happened. */
  #isQuiet(): boolean {
    return (
      this.#shardsAt === this.#activity.count &&
      this.#shards.every(({ id }) => this.#done.has(id) || this.#open.get(id)?.shard.isQuiet === true)
    );
  }

  async #run(): Promise<void> {
    const { stopped } = this.#activity;
    try {
      while (!stopped.aborted) {
        const count = this.#activity.count;
        this.#shards = await this.#persist(() => this.#options.stream.shards());
        for (const shard of this.#shards) if (this.#isDue(shard)) this.#begin(shard.id);
        this.#shardsAt = count;
        await this.#activity.poll(describeDelayMs);
      }
    } catch (error) {
      this.#fail(error);
    }
    await Promise.all([...this.#open.values()].map(({ run }) => run));
  }

  #isDue({ id, parentId }: Shard): boolean {
    if (this.#done.has(id) || this.#open.has(id)) return false;
    const parentIsThere = this.#shards.some((shard) => shard.id === parentId);
    return parentId === undefined || this.#done.has(parentId) || !parentIsThere;
  }

  #begin(id: string): void {
    const { stream, resumed, prepare = (record) => record } = this.#options;
    const shard = new ShardDelivery({
      activity: this.#activity,
      fail: this.#fail,
      prepare,
      reader: shardReader(stream, id, resumed?.[id] ?? 'TRIM_HORIZON'),
      deliveries: this.#options.functions.map((mapped, index) => ({
        ...this.#deliveryTo(mapped, id),
        passes: (record) => this.#filters[index]?.(record) === true,
      })),
      persist: (request) => this.#persist(request),
      hasChildren: () => this.#shards.some(({ parentId }) => parentId === id),
    });
    const run = shard.run().then(() => {
      if (this.#activity.stopped.aborted) return;
      this.#done.add(id);
      this.#activity.wake();
    }, this.#fail);
    this.#open.set(id, { shard, run });
  }

  #deliveryTo(mapped: MappedFunction, shardId: string): Delivery {
    const { stream, onFailure, retryDelayMs = { first: 100, max: 2_000 } } = this.#options;
    return {
      mapped,
      activity: this.#activity,
      retryDelayMs,
      giveUp: async (batch) => {
        const records = batch.records.map(({ record }) => record);
        const condition = 'RetryAttemptsExhausted';
        const facts = { functionName: mapped.name, streamArn: stream.arn, shardId, condition } as const;
        await onFailure(onFailureRecord({ ...batch, records, ...facts }), mapped.name).catch((error) =>
          Promise.reject(
            new LocalError(
              'stream.destination-failed',
              `Expected to keep a batch that ${mapped.name} could not work on, got: ${messageOf(error)}: ` +
                `make room for on-failure records and start again.`,
              error,
            ),
          ),
        );
      },
    };
  }

  /** Five attempts within about two seconds, each with the SDK's own retries. Fails at once without a stream. */
  #persist<Result>(request: () => Promise<Result>): Promise<Result> {
    const backOff = { attempts: 5, firstDelayMs: 200, maxDelayMs: 2_000, signal: this.#activity.stopped };
    const isRetried = (error: unknown) => nameOf(error) !== 'ResourceNotFoundException';
    return retry({ clock: systemClock, ...backOff, isRetried }, request).catch((error) =>
      Promise.reject(
        new LocalError(
          'stream.unreachable',
          `Expected to read the stream ${this.#options.stream.arn}, got: ${messageOf(error) || nameOf(error)}: ` +
            `check that the table's server still runs and start again.`,
          error,
        ),
      ),
    );
  }
}

export function positionOf({ dynamodb }: DynamoDBRecord): SavedPosition {
  return { after: dynamodb?.SequenceNumber ?? '', writtenAt: dynamodb?.ApproximateCreationDateTime ?? 0 };
}
