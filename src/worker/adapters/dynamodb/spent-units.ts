import type { ConsumedCapacity } from '@aws-sdk/client-dynamodb';
import type { OnSpent } from '../../ports.ts';

/** The field of a request that asks what it costs, if the caller wants to know. */
export function withUnits(onSpent: OnSpent | undefined): { ReturnConsumedCapacity?: 'INDEXES' } {
  return onSpent === undefined ? {} : { ReturnConsumedCapacity: 'INDEXES' };
}

/** Tells the caller the units of the table itself. An index, and a table that does not say them, count for nothing. */
export function tableUnits(
  onSpent: OnSpent | undefined,
  consumed: ConsumedCapacity | readonly ConsumedCapacity[] | undefined,
): void {
  const parts = consumed === undefined ? [] : [consumed].flat();
  const units = parts.reduce((sum, { Table }) => sum + (Table?.CapacityUnits ?? 0), 0);
  if (units > 0) onSpent?.(units);
}
