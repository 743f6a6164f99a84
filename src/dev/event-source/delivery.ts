import type { DynamoDBBatchResponse, DynamoDBRecord, DynamoDBStreamEvent } from 'aws-lambda';
import type { StreamMappingSettings } from '../../deploy/stack-settings.ts';
import type { Activity } from './activity.ts';
import type { GivenUpBatch } from './on-failure-folder.ts';

export interface MappedFunction {
  /** The function's logical ID in the stack. */
  readonly name: string;
  readonly settings: StreamMappingSettings;
  /**
   * It names the records that failed; an exception fails the whole batch.
   * @param fetchedAt when the earliest of the records was fetched from the stream, in epoch milliseconds
   */
  readonly invoke: (
    event: DynamoDBStreamEvent,
    fetchedAt: number,
  ) => Promise<DynamoDBBatchResponse | undefined>;
}

export interface PendingRecord {
  readonly record: DynamoDBRecord;
  /** The record as JSON. Each invocation parses its own event, which it may change. */
  readonly json: string;
  readonly sequenceNumber: string;
  /** Epoch milliseconds. */
  readonly fetchedAt: number;
}

export interface Delivery {
  readonly mapped: MappedFunction;
  readonly activity: Activity;
  readonly retryDelayMs: RetryDelay;
  giveUp(batch: Part): Promise<void>;
}

/** The delay before the first retry and the maximum. Each delay is twice the one before. */
export interface RetryDelay {
  readonly first: number;
  readonly max: number;
}

interface Part extends Pick<GivenUpBatch, 'invocations' | 'threw'> {
  readonly records: readonly PendingRecord[];
  readonly retries: number;
}

/**
 * Delivers a batch until each of its records is acknowledged or given up, in order, as Lambda does:
 *
 * - no failure: all records are acknowledged;
 * - failed from the nth record on: the earlier records are acknowledged. With bisect, the rest is delivered again as
 *   its own batch, or, if the first record failed, as two halves, one after the other. Neither counts as a retry;
 * - a single record, or any part without bisect, is delivered again after a delay, until its retries are used up. Then
 *   it is given up.
 *
 * None is given up for its age: a run with other rules reads again what an earlier one has worked on.
 *
 * @returns false if the event source stops before all are: it waits for the invocation in flight and starts no other
 */
export async function deliver(batch: readonly PendingRecord[], delivery: Delivery): Promise<boolean> {
  const { activity, retryDelayMs } = delivery;
  const { BisectBatchOnFunctionError: bisects, MaximumRetryAttempts: maxRetries } = delivery.mapped.settings;
  const parts: Part[] = [{ records: batch, retries: 0, invocations: 0, threw: false }];
  for (let part = parts.shift(); part !== undefined; part = parts.shift()) {
    if (activity.stopped.aborted) return false;
    const { failedFrom, threw } = await invoke(part.records, delivery);
    if (failedFrom === undefined) continue;

    const records = part.records.slice(failedFrom);
    const rest: Part = { records, retries: part.retries, invocations: part.invocations + 1, threw };
    if (bisects && failedFrom > 0) {
      parts.unshift(rest);
    } else if (bisects && records.length > 1) {
      const middle = Math.ceil(records.length / 2);
      parts.unshift(
        { ...rest, records: records.slice(0, middle) },
        { ...rest, records: records.slice(middle) },
      );
    } else if (maxRetries >= 0 && rest.retries >= maxRetries) {
      await delivery.giveUp(rest);
    } else {
      await activity.pause(Math.min(retryDelayMs.max, retryDelayMs.first * 2 ** rest.retries));
      parts.unshift({ ...rest, retries: rest.retries + 1 });
    }
  }
  return true;
}

async function invoke(
  records: readonly PendingRecord[],
  { mapped, activity }: Delivery,
): Promise<{ failedFrom: number | undefined; threw: boolean }> {
  const event: DynamoDBStreamEvent = { Records: records.map(({ json }) => JSON.parse(json)) };
  try {
    const response = await mapped.invoke(event, Math.min(...records.map(({ fetchedAt }) => fetchedAt)));
    const numbers = records.map(({ sequenceNumber }) => sequenceNumber);
    const failed = (response?.batchItemFailures ?? []).map(({ itemIdentifier }) =>
      numbers.indexOf(itemIdentifier),
    );
    // One that is not in the batch means all of it. Source: AWS, "Configuring partial batch response".
    return { failedFrom: failed.length === 0 ? undefined : Math.max(0, Math.min(...failed)), threw: false };
  } catch {
    // The function has logged its error.
    return { failedFrom: 0, threw: true };
  } finally {
    activity.happened();
  }
}
