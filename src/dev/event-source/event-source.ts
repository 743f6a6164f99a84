import type { DynamoDBRecord } from 'aws-lambda';
import * as z from 'zod';
import { patternsOf } from '../../deploy/stack-settings.ts';
import { type Shard, type StreamPort, shardReader } from '../../operate/adapters/dynamodb/stream-port.ts';
import { systemClock } from '../../worker/adapters/system-clock.ts';
import { retry } from '../../worker/retry.ts';
import { LocalError, messageOf, nameOf } from '../errors.ts';
import { Activity } from './activity.ts';
import type { Delivery, MappedFunction, RetryDelay } from './delivery.ts';
import { eventFilter } from './event-filter.ts';
import { type OnFailureRecord, onFailureRecord } from './on-failure-folder.ts';
import { type ShardDelivery, shardDelivery } from './shard-delivery.ts';

/** Pause between checks for new shards. */
const describeDelayMs = 1_000;

/** By shard, the record up to which everything is acknowledged or given up. */
export const positionsSchema = z.record(
  z.string(),
  z.object({
    /** The record's sequence number. */
    after: z.string(),
    /** When it was written, in epoch seconds: a stream that begins anew gives the same number to another record. */
    writtenAt: z.number(),
  }),
);
type Positions = Readonly<z.output<typeof positionsSchema>>;
export type SavedPosition = Readonly<Positions[string]>;

export interface EventSourceOptions {
  readonly stream: StreamPort;
  readonly functions: readonly MappedFunction[];
  /** Stores a batch that was given up. If it throws, the event source fails, so that nothing is dropped. */
  readonly onFailure: (record: OnFailureRecord, functionName: string) => Promise<unknown>;
  /** Converts each record, once, before it is delivered. Undefined is delivered to no function. Default: no conversion. */
  readonly prepare?: (record: DynamoDBRecord) => DynamoDBRecord | undefined;
  /** Where to continue. Shards that are not listed are read from their oldest record. */
  readonly resumed?: Positions;
  /** Default 100 ms to 2 s. */
  readonly retryDelayMs?: RetryDelay;
}

/**
 * Delivers a stream to functions as Lambda's event source mappings do, without batching windows: batches, filters, workers,
 * partial responses, bisect, retries, on-failure records. Starts a shard only after its parent has been delivered to the end.
 * For development only: it never times out an invocation, and gives no record up for its age.
 * @throws LocalError `filter.unknown-pattern` for a filter that cannot be applied here
 */
export function startEventSource(options: EventSourceOptions) {
  const { stream, onFailure, resumed, retryDelayMs = { first: 100, max: 2_000 } } = options;
  const { prepare = (record) => record } = options;
  const functions = options.functions.map((mapped) => ({
    mapped,
    passes: eventFilter(patternsOf(mapped.settings)),
  }));
  const activity = new Activity();
  const { stopped } = activity;
  const open = new Map<string, { readonly shard: ShardDelivery; readonly run: Promise<void> }>();
  const done = new Set<string>();
  const { promise: failed, reject } = Promise.withResolvers<never>();
  failed.catch(() => {});
  let hasFailed = false;
  let shards: readonly Shard[] = [];
  let shardsAt = -1;
  const running = run();

  function fail(error: unknown): void {
    if (stopped.aborted) return;
    hasFailed = true;
    reject(error);
    activity.stop();
  }

  /** Whether everything in the stream is delivered, and all of it was looked at since anything happened. */
  function isQuiet(): boolean {
    return (
      shardsAt === activity.count &&
      shards.every(({ id }) => done.has(id) || open.get(id)?.shard.isQuiet() === true)
    );
  }

  async function run(): Promise<void> {
    try {
      while (!stopped.aborted) {
        const count = activity.count;
        shards = await persist(() => stream.shards());
        for (const shard of shards) if (isDue(shard)) begin(shard.id);
        shardsAt = count;
        await activity.poll(describeDelayMs);
      }
    } catch (error) {
      fail(error);
    }
    await Promise.all([...open.values()].map((one) => one.run));
  }

  function isDue({ id, parentId }: Shard): boolean {
    if (done.has(id) || open.has(id)) return false;
    const parentIsThere = shards.some((shard) => shard.id === parentId);
    return parentId === undefined || done.has(parentId) || !parentIsThere;
  }

  function begin(id: string): void {
    const shard = shardDelivery({
      activity,
      fail,
      prepare,
      persist,
      reader: shardReader(stream, id, resumed?.[id] ?? 'TRIM_HORIZON'),
      deliveries: functions.map(({ mapped, passes }) => ({ ...deliveryTo(mapped, id), passes })),
      hasChildren: () => shards.some(({ parentId }) => parentId === id),
    });
    const ended = shard.run().then(() => {
      if (stopped.aborted) return;
      done.add(id);
      activity.wake();
    }, fail);
    open.set(id, { shard, run: ended });
  }

  function deliveryTo(mapped: MappedFunction, shardId: string): Delivery {
    return {
      mapped,
      activity,
      retryDelayMs,
      giveUp: async (batch) => {
        const records = batch.records.map(({ record }) => record);
        const condition = 'RetryAttemptsExhausted';
        const facts = { functionName: mapped.name, streamArn: stream.arn, shardId, condition } as const;
        await onFailure(onFailureRecord({ ...batch, records, ...facts }), mapped.name).catch((error) => {
          throw new LocalError(
            'stream.destination-failed',
            `Expected to keep a batch that ${mapped.name} could not work on, got: ${messageOf(error)}: make room for on-failure records and start again.`,
            error,
          );
        });
      },
    };
  }

  /** Five attempts within about two seconds, each with the SDK's own retries. Fails at once without a stream. */
  function persist<Result>(request: () => Promise<Result>): Promise<Result> {
    const backOff = { attempts: 5, firstDelayMs: 200, maxDelayMs: 2_000, signal: stopped };
    const isRetried = (error: unknown) => nameOf(error) !== 'ResourceNotFoundException';
    return retry({ clock: systemClock, ...backOff, isRetried }, request).catch((error) => {
      throw new LocalError(
        'stream.unreachable',
        `Expected to read the stream ${stream.arn}, got: ${messageOf(error) || nameOf(error)}: check that the table's server still runs and start again.`,
        error,
      );
    });
  }

  return {
    /** Rejects if the event source has failed: the stream or the on-failure destination is unreachable. */
    failed,

    /** Resolves when everything in the stream now, and all that results from it, is acknowledged or given up, or nobody waits any more. */
    async idle(signal?: AbortSignal): Promise<void> {
      await activity.idle(isQuiet, signal);
      if (hasFailed) await failed;
    },

    /** Up to where everything is acknowledged or given up by every function. */
    positions(): Positions {
      const positions = Object.entries(resumed ?? {});
      for (const [id, { shard }] of open) {
        const last = shard.last();
        if (last !== undefined) positions.push([id, positionOf(last)]);
      }
      return Object.fromEntries(positions);
    },

    /** Starts no further invocation, and waits for those in flight. May be called again. */
    async stop(): Promise<void> {
      activity.stop();
      await running;
    },
  };
}

export type EventSource = ReturnType<typeof startEventSource>;

export function positionOf({ dynamodb }: DynamoDBRecord): SavedPosition {
  return { after: dynamodb?.SequenceNumber ?? '', writtenAt: dynamodb?.ApproximateCreationDateTime ?? 0 };
}
