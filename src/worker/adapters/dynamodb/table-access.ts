import type { ConsumedCapacity, DynamoDBClient, AttributeValue as SdkValue } from '@aws-sdk/client-dynamodb';
import type { LimitFunction } from 'p-limit';
import { FatalError } from '../../../model/basics/errors.ts';
import { type KeyedItem, keyOf, keyWords } from '../../../model/items/item.ts';
import type { TableNames } from '../../../model/items/table-names.ts';
import type { OnSpent } from '../../ports.ts';
import type { BackOff } from '../../retry.ts';
import { fromSdk } from './sdk-values.ts';

export interface TableLocation {
  /** Retries requests that fail as a whole. Give it a request timeout. */
  readonly client: DynamoDBClient;
  /** Name or ARN. */
  readonly tableName: string;
  readonly table: TableNames;
}

export interface TableAccess extends TableLocation {
  /** Never held while waiting for another slot. */
  readonly limit: LimitFunction;
  readonly backOff: BackOff;
}

/** @throws FatalError `table.other-shape` if the table's keys are not those that the rules name */
export function keyedFrom(
  { table, tableName }: Pick<TableLocation, 'table' | 'tableName'>,
  attributes: Readonly<Record<string, SdkValue>>,
): KeyedItem {
  const item = fromSdk(attributes);
  const key = keyOf(table, item);
  if (key !== undefined) return { key, item };
  throw new FatalError(
    'table.other-shape',
    `Expected items of table ${tableName} to have ${keyWords(table)}, got one without: correct the table's key in src/table.ts`,
  );
}

export function withUnits(onSpent: OnSpent | undefined): { ReturnConsumedCapacity?: 'INDEXES' } {
  return onSpent === undefined ? {} : { ReturnConsumedCapacity: 'INDEXES' };
}

/** A table that says nothing of its indexes may have none. */
export function tellUnits(
  onSpent: OnSpent | undefined,
  consumed: ConsumedCapacity | readonly ConsumedCapacity[] = [],
): void {
  const parts = [consumed].flat();
  const total = parts.reduce((sum, { CapacityUnits = 0 }) => sum + CapacityUnits, 0);
  const own = parts.reduce(
    (sum, { Table, CapacityUnits = 0 }) => sum + (Table?.CapacityUnits ?? CapacityUnits),
    0,
  );
  if (total > 0) onSpent?.(own, total);
}
