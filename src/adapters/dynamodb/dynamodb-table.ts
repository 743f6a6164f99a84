import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import pLimit from 'p-limit';
import type { FellBack } from '../../model/guarded-write.ts';
import type { TableNames } from '../../model/table-names.ts';
import type { TablePort } from '../../ports.ts';
import { getItem, getItems } from './get-items.ts';
import { queryIndex, queryPartition } from './query-pages.ts';
import { removeItems } from './remove-items.ts';
import { type BackOff, defaultBackOff, type TableAccess } from './table-access.ts';
import { updateItems } from './update-items.ts';

export interface DynamoDbTableOptions {
  /** Its own retries are used for what fails as a whole; give it a request time-out. Not closed by the table. */
  readonly client: DynamoDBClient;
  /** Name or ARN. */
  readonly tableName: string;
  readonly table: TableNames;
  /** Requests of many items, and writes, that are under way at once over all calls; 1 or more. Default 8. */
  readonly concurrency?: number;
  /** How what DynamoDB leaves undone is tried again; each not given: its default. */
  readonly backOff?: Partial<BackOff>;
  /** Called once for each batch of statements in which DynamoDB refused some that it then took as an UpdateItem. */
  readonly fellBack?: (statements: readonly FellBack[]) => void;
}

/**
 * The table in DynamoDB. Needs `dynamodb:GetItem`, `BatchGetItem`, `Query`, `PartiQLUpdate`, `UpdateItem`,
 * `ConditionCheckItem` and `DeleteItem` on the table, and `Query` on its indexes.
 *
 * A write whose answer was lost is tried again, and may then find its own condition lost: it counts as `lost`.
 */
export function dynamoDbTable({
  client,
  tableName,
  table,
  concurrency = 8,
  backOff = {},
  fellBack = () => undefined,
}: DynamoDbTableOptions): TablePort {
  const access: TableAccess = {
    client,
    tableName,
    table,
    limit: pLimit(concurrency),
    backOff: { ...defaultBackOff, ...backOff },
    fellBack,
  };
  return {
    get: (key) => getItem(access, key),
    getMany: (keys) => getItems(access, keys),
    queryPartition: (location, limit, from) => queryPartition(access, location, limit, from),
    queryIndex: (location, limit, from) => queryIndex(access, location, limit, from),
    update: (updates) => updateItems(access, updates),
    remove: (root, removals) => removeItems(access, root, removals),
  };
}
