import pLimit from 'p-limit';
import type { TablePort, TableReads } from '../../ports.ts';
import type { BackOff } from '../../retry.ts';
import { systemClock } from '../system-clock.ts';
import { getItem, getItems } from './get-items.ts';
import { query } from './read-pages.ts';
import type { TableAccess, TableLocation } from './table-access.ts';
import { transactItems } from './transact-items.ts';
import { updateItems } from './update-items.ts';

export interface DynamoDbTableOptions extends TableLocation {
  /** Batch reads and writes in flight over all calls. Default: 8. */
  readonly concurrency?: number;
  /** For work that DynamoDB leaves unprocessed. */
  readonly backOff?: Partial<BackOff>;
}

/**
 * Needs `dynamodb:GetItem`, `BatchGetItem`, `Query`, `PartiQLUpdate`, `UpdateItem`, `ConditionCheckItem`, `DeleteItem` and
 * `PutItem` on the table, and `Query` on its indexes. A write whose response was lost is retried, and may then fail its own
 * condition: it counts as `lost`.
 */
export function dynamoDbTable(options: DynamoDbTableOptions): TablePort {
  const access = accessTo(options);
  return {
    ...withUpdates(access),
    transact: (root, actions, options) => transactItems({ ...access, ...options, root }, actions),
  };
}

/** Needs `dynamodb:GetItem`, `BatchGetItem` and `Query`. A function that only reads has no code for writes. */
export function dynamoDbReads(options: DynamoDbTableOptions): TableReads {
  return readsBy(accessTo(options));
}

/** Needs what {@link dynamoDbReads} does, `PartiQLUpdate` and `UpdateItem`. */
export function dynamoDbItems(options: DynamoDbTableOptions): Omit<TablePort, 'transact'> {
  return withUpdates(accessTo(options));
}

function withUpdates(access: TableAccess): Omit<TablePort, 'transact'> {
  return {
    ...readsBy(access),
    update: (updates, options) => updateItems({ ...access, ...options }, updates),
  };
}

function accessTo({ concurrency = 8, backOff, ...location }: DynamoDbTableOptions): TableAccess {
  return {
    ...location,
    limit: pLimit(concurrency),
    backOff: { clock: systemClock, attempts: 6, firstDelayMs: 50, maxDelayMs: 1000, ...backOff },
  };
}

function readsBy(access: TableAccess): TableReads {
  return {
    get: (key, options) => getItem(access, key, options),
    getMany: (keys, options) => getItems(access, keys, options),
    query: (range, limit, from, whole) => query(access, range, limit, from, whole),
  };
}
