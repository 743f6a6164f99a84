import type { DynamoDBClient, AttributeValue as SdkValue } from '@aws-sdk/client-dynamodb';
import type { LimitFunction } from 'p-limit';
import type { FellBack } from '../../model/guarded-write.ts';
import type { ItemKey } from '../../model/item.ts';
import type { TableNames } from '../../model/table-names.ts';
import type { BackOff } from './back-off.ts';

/** What every operation on the table needs. */
export interface TableAccess {
  readonly client: DynamoDBClient;
  readonly tableName: string;
  readonly table: TableNames;
  /** Bounds the requests under way at once, over all calls. Never held while another is waited for. */
  readonly limit: LimitFunction;
  readonly backOff: BackOff;
  /** Called once for each batch of statements in which some fell back. */
  readonly fellBack: (statements: readonly FellBack[]) => void;
}

/** The key as DynamoDB takes it. */
export function keyAttributes({ table }: TableAccess, key: ItemKey): Record<string, SdkValue> {
  return { [table.pk]: { S: key.pk }, [table.sk]: { S: key.sk } };
}

export function chunksOf<Entry>(entries: readonly Entry[], size: number): Entry[][] {
  const chunks: Entry[][] = [];
  for (let start = 0; start < entries.length; start += size) chunks.push(entries.slice(start, start + size));
  return chunks;
}
