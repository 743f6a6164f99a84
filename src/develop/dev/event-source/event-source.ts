import type { DynamoDBRecord } from 'aws-lambda';
import { patternsOf, type StreamMappingSettings } from '../../../deploy/stack-settings.ts';
import { retryWhile } from '../../../worker/adapters/back-off.ts';
import { LocalError, messageOf, nameOf } from '../errors.ts';
import type { Positions } from './checkpoint.ts';
import type { Delivery, GivenUp, RetryDelay, StreamFunction } from './delivery.ts';
import { eventFilter } from './event-filter.ts';
import { EventSourceMapping } from './event-source-mapping.ts';
import { IdleTracker } from './idle-tracker.ts';
import { type OnFailureRecord, onFailureRecord } from './on-failure-folder.ts';
import type { StreamPort } from './stream-port.ts';

export interface MappedFunction {
  /** The function's logical ID in the stack. */
  readonly name: string;
  readonly settings: StreamMappingSettings;
  readonly invoke: StreamFunction;
}

export interface EventSourceOptions {
  readonly stream: StreamPort;
  /** Disabled mappings are ignored. */
  readonly functions: readonly MappedFunction[];
  /** Stores a batch that was given up. If it throws, the event source fails, so that nothing is dropped. */
  readonly onFailure: (record: OnFailureRecord, functionName: string) => Promise<unknown>;
  /** Converts a record before each delivery to a function. Default: no conversion. */
  readonly prepare?: (record: DynamoDBRecord) => Promise<DynamoDBRecord>;
  /** Called for each fetched record, even if it is filtered out, once for each function. */
  readonly onRecordFetched?: (record: DynamoDBRecord) => void;
  /** Called for each record of each function once it, and all before it in its shard, need no delivery any more. */
  readonly onRecordFinished?: (record: DynamoDBRecord, functionName: string) => void;
  /** Where to continue. Shards that are not listed begin at the starting position. */
  readonly resumed?: Positions;
  /** Default 100 ms to 2 s. */
  readonly retryDelay?: RetryDelay;
}

export interface EventSource {
  /**
   * Resolves when everything in the stream at the time of the call, and everything that resulted from it, is
   * acknowledged or given up. Batching windows are cut short.
   */
  idle(): Promise<void>;
  /** Whether everything that was fetched is acknowledged or given up, and nothing newer was found. */
  isQuiet(): boolean;
  /** Up to where everything is acknowledged or given up. */
  positions(): Positions;
  /** Starts no further invocation, and waits for those in flight. May be called again. */
  stop(): Promise<void>;
  /** Rejects if the event source has failed: the stream or the on-failure destination is unreachable. */
  readonly failed: Promise<never>;
}

/**
 * Delivers a stream to functions as Lambda's event source mappings do: batches and windows, filters, workers,
 * partial responses, bisect, retries, on-failure records. For development only: it keeps positions in memory, and
 * it never times out an invocation.
 * @throws LocalError `filter.unknown-pattern`
 */
export function startEventSource(options: EventSourceOptions): EventSource {
  const { stream, onFailure, onRecordFetched, onRecordFinished } = options;
  const idleTracker = new IdleTracker();
  const { promise: failed, reject } = Promise.withResolvers<never>();
  failed.catch(() => {});
  let failure: unknown;
  const fail = (error: unknown) => {
    if (idleTracker.stopped.aborted) return;
    failure = error;
    reject(error);
    idleTracker.stop();
  };

  const mappings = options.functions.map(({ name, settings, invoke }) => {
    const deliveryFor = (shardId: string): Delivery => ({
      settings,
      invoke,
      idleTracker,
      retryDelay: options.retryDelay ?? { first: 100, max: 2_000 },
      giveUp: async (batch: GivenUp) => {
        const records = batch.records.map(({ record }) => record);
        const given = onFailureRecord({
          ...batch,
          records,
          functionName: name,
          streamArn: stream.arn,
          shardId,
        });
        await onFailure(given, name).catch((error) => Promise.reject(destinationFailed(name, error)));
      },
    });
    const mapping = new EventSourceMapping({
      stream,
      idleTracker,
      deliveryFor,
      startingPosition: settings.StartingPosition,
      passes: eventFilter(patternsOf(settings)),
      prepare: options.prepare ?? (async (record) => record),
      fetched: onRecordFetched ?? (() => {}),
      finished: (record) => onRecordFinished?.(record, name),
      resumed: options.resumed?.[name] ?? {},
      persist: (request) => persist(request, stream.arn, idleTracker.stopped),
      fail,
    });
    return { name, mapping };
  });
  const running = Promise.all(mappings.map(({ mapping }) => mapping.run()));

  return {
    failed,
    async idle() {
      const called = idleTracker.now();
      await idleTracker.until(() => mappings.every(({ mapping }) => mapping.isQuietSince(called)));
      if (failure !== undefined) throw failure;
    },
    isQuiet: () => mappings.every(({ mapping }) => mapping.isQuietSince(0)),
    positions: () => Object.fromEntries(mappings.map(({ name, mapping }) => [name, mapping.positions()])),
    async stop() {
      idleTracker.stop();
      await running;
    },
  };
}

/**
 * Makes five attempts within about two seconds, each with the SDK's own retries. Fails at once if the stream
 * does not exist.
 */
function persist<Result>(request: () => Promise<Result>, arn: string, stopped: AbortSignal): Promise<Result> {
  const isPassing = (error: unknown) => nameOf(error) !== 'ResourceNotFoundException';
  const backOff = { attempts: 5, firstDelay: 200, maxDelay: 2_000, signal: stopped };
  return retryWhile(isPassing, backOff, request).catch((error) =>
    Promise.reject(
      new LocalError(
        'stream.unreachable',
        `Expected to read the stream ${arn}, got: ${messageOf(error) || nameOf(error)}: ` +
          `check that the table's server still runs and start again.`,
        error,
      ),
    ),
  );
}

function destinationFailed(name: string, error: unknown): LocalError {
  return new LocalError(
    'stream.destination-failed',
    `Expected to keep a batch that ${name} could not work on, got: ${messageOf(error)}: ` +
      `make room for on-failure records and start again.`,
    error,
  );
}
