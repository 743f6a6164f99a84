import type { DynamoDBClient, AttributeValue as SdkValue } from '@aws-sdk/client-dynamodb';
import type { LimitFunction } from 'p-limit';
import type { FellBack } from '../../../model/guarded-write.ts';
import { type ItemKey, keyText } from '../../../model/item.ts';
import type { TableNames } from '../../../model/table-names.ts';
import type { BackOff } from '../back-off.ts';

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

/** The default of every operation on the table. */
export const defaultBackOff: BackOff = { attempts: 6, firstDelay: 50, maxDelay: 1000 };
