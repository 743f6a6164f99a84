import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import pLimit from 'p-limit';
import type { FellBack } from '../../../model/guarded-write.ts';
import type { TableNames } from '../../../model/table-names.ts';
import type { TablePort } from '../../ports.ts';
import type { BackOff } from '../back-off.ts';
import { getItem, getItems } from './get-items.ts';
import { query } from './query-pages.ts';
import { defaultBackOff, type TableAccess } from './table-access.ts';
import { transactItems } from './transact-items.ts';
import { updateItems } from './update-items.ts';

export interface DynamoDbTableOptions {
  /**
   * Its own retries cover requests that fail as a whole. Give it a request timeout. The table does not close
   * it.
   */
  readonly client: DynamoDBClient;
  /** Name or ARN. */
  readonly tableName: string;
  readonly table: TableNames;
  /** Maximum number of batch reads and writes in flight over all calls, 1 or more. Default: 8. */
  readonly concurrency?: number;
  /** Back-off for work that DynamoDB leaves unprocessed. Missing fields use their defaults. */
  readonly backOff?: Partial<BackOff>;
  /**
   * Called once for each batch in which DynamoDB refused statements but then accepted them as UpdateItem
   * requests.
   */
  readonly fellBack?: (statements: readonly FellBack[]) => void;
}

/**
 * The table in DynamoDB. Needs `dynamodb:GetItem`, `BatchGetItem`, `Query`, `PartiQLUpdate`, `UpdateItem`,
 * `ConditionCheckItem`, `DeleteItem` and `PutItem` on the table, and `Query` on its indexes. A write whose response was
 * lost is retried. If the first attempt succeeded, the retry fails its own condition and counts as `lost`.
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
    getMany: (keys, onUnread) => getItems(access, keys, onUnread),
    query: (location, limit, from, whole) => query(access, location, { limit, from, whole }),
    update: (updates, onSpent) => updateItems(access, updates, onSpent),
    transact: (root, actions, onSpent) => transactItems(access, root, actions, onSpent),
  };
}
