import { setTimeout as delay } from 'node:timers/promises';
import type { DynamoDBClient, AttributeValue as SdkValue } from '@aws-sdk/client-dynamodb';
import type { LimitFunction } from 'p-limit';
import type { FellBack } from '../../model/guarded-write.ts';
import { type ItemKey, keyText } from '../../model/item.ts';
import type { TableNames } from '../../model/table-names.ts';

/** The parameters of every operation on the table. */
export interface TableAccess {
  readonly client: DynamoDBClient;
  readonly tableName: string;
  readonly table: TableNames;
  /** Limits the requests in flight over all calls. Never held while waiting for another slot. */
  readonly limit: LimitFunction;
  readonly backOff: BackOff;
  /** Called once for each batch of statements in which some fell back. */
  readonly fellBack: (statements: readonly FellBack[]) => void;
}

/** The key in DynamoDB's format. */
export function keyAttributes({ table }: TableAccess, key: ItemKey): Record<string, SdkValue> {
  return { [table.pk]: { S: key.pk }, [table.sk]: { S: key.sk } };
}

export function chunksOf<Entry>(entries: readonly Entry[], size: number): Entry[][] {
  const chunks: Entry[][] = [];
  for (let start = 0; start < entries.length; start += size) chunks.push(entries.slice(start, start + size));
  return chunks;
}

/**
 * Splits entries into batches in which each item occurs only once. The entries of one item keep their order
 * from batch to batch. There is usually one batch.
 */
export function uniqueKeyBatches<Entry>(
  entries: readonly Entry[],
  keyOf: (entry: Entry) => ItemKey,
): Entry[][] {
  const seen = new Map<string, number>();
  const batches: Entry[][] = [];
  for (const entry of entries) {
    const text = keyText(keyOf(entry));
    const batch = seen.get(text) ?? 0;
    seen.set(text, batch + 1);
    const entriesOfBatch = batches[batch];
    if (entriesOfBatch === undefined) batches.push([entry]);
    else entriesOfBatch.push(entry);
  }
  return batches;
}

/** How long to retry work that DynamoDB left unprocessed before it counts as unavailable. */
export interface BackOff {
  /** Consecutive attempts without progress, 1 or more. Default 6. */
  readonly attempts: number;
  /** The maximum delay before the second attempt, in milliseconds; it doubles with each. Default 50. */
  readonly firstDelay: number;
  /** The maximum of all delays, in milliseconds. Default 1,000. */
  readonly maxDelay: number;
}

export const defaultBackOff: BackOff = { attempts: 6, firstDelay: 50, maxDelay: 1000 };

/**
 * Repeats attempts until nothing is left, with exponential back-off and full jitter. Only attempts without progress
 * count: DynamoDB reads 1 MB of a partition per request, and leaves the rest to the next one.
 * Errors are not caught. Source of the formula: AWS Architecture Blog, "Exponential Backoff And Jitter".
 * @param attempt resolves to the number left
 * @returns the number left when it gave up, or 0
 */
export async function untilNoneLeft(
  backOff: BackOff,
  size: number,
  attempt: () => Promise<number>,
): Promise<number> {
  let left = size;
  for (let idle = 0; idle < backOff.attempts; ) {
    const before = left;
    left = await attempt();
    if (left === 0) return 0;
    idle = left < before ? 0 : idle + 1;
    if (idle < backOff.attempts) await pause(backOff, Math.max(1, idle));
  }
  return left;
}

/** Waits before the next attempt. @param made attempts made so far */
export async function pause(backOff: BackOff, made: number): Promise<void> {
  await delay(Math.random() * Math.min(backOff.maxDelay, backOff.firstDelay * 2 ** (made - 1)));
}
