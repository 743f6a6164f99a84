import { randomBytes } from 'node:crypto';
import type { SQSEvent } from 'aws-lambda';
import type { StackSettings } from '../deploy/stack-settings.ts';
import { DenormError, stackPlaces } from '../model/basics/errors.ts';
import type { Change } from '../model/items/change.ts';
import { nothingPaused, type Pauses } from '../model/rules/pauses.ts';
import type { Registry } from '../model/rules/registry.ts';
import type { DeadLetter } from '../model/work/message.ts';
import type { ArchiveReport, PropagationReport } from '../model/work/report.ts';
import { coalescingTable } from '../worker/adapters/dynamodb/coalescing-table.ts';
import { systemClock } from '../worker/adapters/system-clock.ts';
import type { ArchivePort } from '../worker/archive/ports.ts';
import { archive } from '../worker/lambda/archive.ts';
import { fanOut } from '../worker/lambda/fan-out.ts';
import { propagate } from '../worker/lambda/propagate.ts';
import { pausesReader } from '../worker/pauses.ts';
import { defaultSettings, type TablePort, type TelemetryPort } from '../worker/ports.ts';
import type { PropagationContext } from '../worker/propagation/context.ts';
import type { LambdaEvent } from './event-capture.ts';
import type { MappedFunction } from './event-source/delivery.ts';
import type { DeadLetterFolder } from './queue/dead-letter-folder.ts';
import { type Delivery, type LocalQueue, localQueue, type QueuedMessage } from './queue/queue.ts';

/** Events of a dev environment. `milliseconds` is the time since the record or message was fetched. */
export interface DevEvents {
  readonly onPropagation?: (report: PropagationReport, milliseconds: number) => void;
  readonly onArchived?: (report: ArchiveReport, milliseconds: number) => void;
  readonly onDeadLettered?: (deadLettered: DeadLetter) => void;
  /** Called when a request or a batch failed and will be retried. Never with item content. */
  readonly onFailed?: (reason: string) => void;
  /** Called if the database file was last used with other rules: its whole stream is read. */
  readonly onReadAnew?: () => void;
  /** Called once with each change in the stream, whether or not a function is invoked with it. */
  readonly onChange?: (change: Change) => void;
  /** Called with each event before its function is. If it rejects, the reason goes to `onFailed`. */
  readonly onInvoked?: (functionName: string, event: LambdaEvent) => Promise<void>;
  /** Called with the records that Propagate has dealt with, as it gives none of them back, and the rules that it left to the queue. */
  readonly onPropagated?: (event: LambdaEvent, paused: Pauses) => void;
  /** Wraps the table of the function that is invoked with this event, after `onInvoked`. Default: no wrapper. */
  readonly watch?: (table: TablePort, event: LambdaEvent) => TablePort;
}

export interface DevParts extends DevEvents {
  readonly registry: Registry;
  readonly stack: StackSettings;
  readonly table: TablePort;
  /** Undefined if the stack archives nothing. */
  readonly archive: ArchivePort | undefined;
  readonly deadLetters: DeadLetterFolder;
  readonly messages: readonly QueuedMessage[];
}

/** Locally, every expiry carries the service identity, because no table is a replica of a global table. */
export const localEvidence = { globalTableReplica: false };

/** The worker's functions as deployed, with local ports. */
export function devFunctions(parts: DevParts) {
  const { registry, archive: archivePort, stack, deadLetters, messages } = parts;
  const { Propagate, Archive, FanOut } = stack;
  const settings = {
    ...defaultSettings,
    pageLimit: stack.pageLimit,
    recheckDelaySeconds: stack.recheckDelaySeconds,
    // A local table has no partitions, and nobody else needs its capacity.
    fanOutWriteUnits: Number.POSITIVE_INFINITY,
  };
  const pauses = pausesReader(registry.table, systemClock);
  // As in Lambda, the requests of one invocation are merged, and those of two are not.
  const contextFor = (fetchedAt: number, event: LambdaEvent): PropagationContext => {
    const telemetry = telemetryFor(parts, fetchedAt);
    const table = coalescingTable(parts.watch?.(parts.table, event) ?? parts.table);
    return {
      ...{ registry, table, queue, telemetry, settings, outOfTime: () => false, clock: systemClock },
      pauses: () => pauses(table),
    };
  };
  const invoked = (name: string, event: LambdaEvent) =>
    parts.onInvoked?.(name, event).catch((error: unknown) => parts.onFailed?.(reasonOf(error)));

  const queue: LocalQueue = localQueue({
    deliver: async (batch) => {
      const event = sqsEvent(batch);
      await invoked('FanOut', event);
      const answer = await fanOut(contextFor(Date.now(), event), event);
      return answer.batchItemFailures.map(({ itemIdentifier }) => itemIdentifier);
    },
    visibilitySeconds: FanOut.VisibilityTimeout,
    maxReceives: FanOut.maxReceiveCount,
    batchSize: FanOut.BatchSize,
    deadLetters,
    messages,
    failed: (error) => parts.onFailed?.(reasonOf(error)),
  });
  const mapped: MappedFunction[] = [
    {
      name: 'Propagate',
      settings: Propagate,
      invoke: async (event, fetchedAt) => {
        await invoked('Propagate', event);
        const answer = await propagate(contextFor(fetchedAt, event), localEvidence, event);
        const failed = new Set(answer.batchItemFailures.map(({ itemIdentifier }) => itemIdentifier));
        const Records = event.Records.filter(({ dynamodb }) => !failed.has(dynamodb?.SequenceNumber ?? ''));
        parts.onPropagated?.({ Records }, await pauses(parts.table).catch(() => nothingPaused));
        return answer;
      },
    },
  ];
  if (Archive !== undefined && archivePort !== undefined)
    mapped.push({
      name: 'Archive',
      settings: Archive,
      invoke: async (event, fetchedAt) => {
        await invoked('Archive', event);
        const { concurrency } = settings;
        const archiving = { archive: archivePort, nonce: () => randomBytes(8), concurrency };
        return archive({ ...contextFor(fetchedAt, event), ...archiving }, localEvidence, event);
      },
    });
  return { mapped, queue };
}

export function telemetryFor(
  { onPropagation, onArchived, onDeadLettered, onFailed }: DevEvents,
  fetchedAt: number,
): TelemetryPort {
  return {
    received: () => {},
    propagated: (report) => onPropagation?.(report, Date.now() - fetchedAt),
    checked: () => {},
    deadLettered: (deadLettered) => onDeadLettered?.(deadLettered),
    archived: (report) => onArchived?.(report, Date.now() - fetchedAt),
    failed: (error) => onFailed?.(reasonOf(error)),
  };
}

/** Describes an error without item content. */
function reasonOf(error: unknown): string {
  if (error instanceof DenormError) return error.message;
  if (!(error instanceof Error)) return 'unexpected failure';
  return [`unexpected ${error.name}`, ...stackPlaces(error).slice(0, 1)].join(' at ');
}

/** Messages in the format in which SQS invokes a function. */
export function sqsEvent(messages: readonly Delivery[]): SQSEvent {
  return {
    Records: messages.map(({ body, messageId, receiveCount }) => ({
      messageId,
      receiptHandle: messageId,
      body,
      attributes: {
        ApproximateReceiveCount: String(receiveCount),
        SentTimestamp: '0',
        SenderId: 'local',
        ApproximateFirstReceiveTimestamp: '0',
      },
      messageAttributes: {},
      md5OfBody: '',
      eventSource: 'aws:sqs',
      eventSourceARN: 'arn:aws:sqs:us-east-1:000000000000:fan-out',
      awsRegion: 'us-east-1',
    })),
  };
}
