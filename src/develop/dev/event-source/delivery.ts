import type { DynamoDBBatchResponse, DynamoDBRecord, DynamoDBStreamEvent } from 'aws-lambda';
import type { StreamMappingSettings } from '../../../deploy/stack-settings.ts';
import { firstFailed } from './batch-response.ts';
import type { IdleTracker } from './idle-tracker.ts';
import type { FailureCondition } from './on-failure-folder.ts';

/** The context of an invocation. */
export interface Invocation {
  /** When the earliest of the records was fetched from the stream, in epoch milliseconds. */
  readonly fetchedAt: number;
}

/**
 * A function that reads the stream. Its return value is interpreted as Lambda does; an exception fails the
 * whole batch.
 */
export type StreamFunction = (
  event: DynamoDBStreamEvent,
  invocation: Invocation,
) => Promise<DynamoDBBatchResponse | undefined>;

/** A record on its way to a function. */
export interface PendingRecord {
  readonly record: DynamoDBRecord;
  /** The record as JSON. Each invocation parses its own event, which it may change. */
  readonly json: string;
  readonly sequenceNumber: string;
  /** Epoch milliseconds. */
  readonly fetchedAt: number;
}

export interface Delivery {
  readonly settings: StreamMappingSettings;
  readonly invoke: StreamFunction;
  readonly idleTracker: IdleTracker;
  readonly retryDelay: RetryDelay;
  /** Stores the records of a batch that is given up. */
  giveUp(batch: GivenUp): Promise<void>;
}

/** The delay before the first retry and the maximum, in milliseconds. Each delay is twice the one before. */
export interface RetryDelay {
  readonly first: number;
  readonly max: number;
}

export interface GivenUp {
  readonly records: readonly PendingRecord[];
  readonly condition: FailureCondition;
  readonly invocations: number;
  readonly threw: boolean;
}

interface Part {
  readonly records: readonly PendingRecord[];
  readonly retries: number;
  readonly invocations: number;
  readonly threw: boolean;
}

/**
 * Delivers a batch until each of its records is acknowledged or given up, in order, as Lambda does:
 *
 * - no failure: all records are acknowledged;
 * - failed from the nth record on: the earlier records are acknowledged. With bisect, the rest is delivered again as
 *   its own batch, or, if the first record failed, as two halves, one after the other. Neither counts as a retry;
 * - a single record, or any part without bisect, is delivered again after a delay, until its retries are used up. Then
 *   it is given up;
 * - records older than the maximum age are given up before the next invocation.
 *
 * @returns false if the event source stops before all are: it waits for the invocation in flight and starts no other
 */
export async function deliver(batch: readonly PendingRecord[], delivery: Delivery): Promise<boolean> {
  const { settings, idleTracker } = delivery;
  const parts: Part[] = [{ records: batch, retries: 0, invocations: 0, threw: false }];
  for (let part = parts.shift(); part !== undefined; part = parts.shift()) {
    if (idleTracker.stopped.aborted) return false;
    const young = await giveUpAged(part, delivery);
    if (young.length === 0) continue;

    const { failedFrom, threw } = await invoke(young, delivery);
    if (failedFrom === undefined) continue;

    const rest: Part = {
      records: young.slice(failedFrom),
      retries: part.retries,
      invocations: part.invocations + 1,
      threw,
    };
    if (settings.BisectBatchOnFunctionError && failedFrom > 0) {
      parts.unshift(rest);
    } else if (settings.BisectBatchOnFunctionError && rest.records.length > 1) {
      parts.unshift(...halves(rest));
    } else if (isExhausted(rest, settings)) {
      await delivery.giveUp({ ...rest, condition: 'RetryAttemptsExhausted' });
    } else {
      await idleTracker.pause(delayBefore(rest.retries, delivery.retryDelay));
      parts.unshift({ ...rest, retries: rest.retries + 1 });
    }
  }
  return true;
}

async function invoke(
  records: readonly PendingRecord[],
  { settings, invoke, idleTracker }: Delivery,
): Promise<{ failedFrom: number | undefined; threw: boolean }> {
  const event: DynamoDBStreamEvent = { Records: records.map(({ json }) => JSON.parse(json)) };
  const fetchedAt = Math.min(...records.map((record) => record.fetchedAt));
  try {
    const response: unknown = await invoke(event, { fetchedAt });
    const reports = settings.FunctionResponseTypes.includes('ReportBatchItemFailures');
    const identifiers = records.map(({ sequenceNumber }) => sequenceNumber);
    return { failedFrom: reports ? firstFailed(response, identifiers) : undefined, threw: false };
  } catch {
    // The function has logged its error.
    return { failedFrom: 0, threw: true };
  } finally {
    idleTracker.worked();
  }
}

async function giveUpAged(part: Part, delivery: Delivery): Promise<readonly PendingRecord[]> {
  const limit = delivery.settings.MaximumRecordAgeInSeconds;
  if (limit < 0) return part.records;
  const eldest = Date.now() / 1000 - limit;
  const isAged = ({ record }: PendingRecord) =>
    (record.dynamodb?.ApproximateCreationDateTime ?? Number.POSITIVE_INFINITY) < eldest;
  const aged = part.records.filter(isAged);
  if (aged.length > 0) await delivery.giveUp({ ...part, records: aged, condition: 'RecordAgeExceeded' });
  return part.records.filter((record) => !isAged(record));
}

function halves(part: Part): [Part, Part] {
  const middle = Math.ceil(part.records.length / 2);
  return [
    { ...part, records: part.records.slice(0, middle) },
    { ...part, records: part.records.slice(middle) },
  ];
}

function isExhausted({ retries }: Part, { MaximumRetryAttempts: most }: StreamMappingSettings): boolean {
  return most >= 0 && retries >= most;
}

function delayBefore(retries: number, { first, max }: RetryDelay): number {
  return Math.min(max, first * 2 ** retries);
}
