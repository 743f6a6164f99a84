import { type DynamoDBClient, ScanCommand } from '@aws-sdk/client-dynamodb';
import { readUnits } from '../../../model/capacity.ts';
import { itemSize } from '../../../model/item-size.ts';
import type { TableNames } from '../../../model/table-names.ts';
import type { ScanPort } from '../../ports.ts';
import { fromAws } from '../aws-errors.ts';
import { cursorOf, startOf } from './query-pages.ts';
import { fromSdk } from './sdk-values.ts';

export interface DynamoDbScanOptions {
  readonly client: DynamoDBClient;
  /** Name or ARN. */
  readonly tableName: string;
  readonly table: TableNames;
}

/** A scan of the table in DynamoDB. Needs `dynamodb:Scan` on the table. */
export function dynamoDbScan({ client, tableName: TableName }: DynamoDbScanOptions): ScanPort {
  return {
    async scan({ index, of }, limit, from) {
      const command = new ScanCommand({
        TableName,
        Limit: limit,
        Segment: index,
        TotalSegments: of,
        ReturnConsumedCapacity: 'TOTAL',
        ...startOf(from),
      });
      try {
        const { Items = [], LastEvaluatedKey, ConsumedCapacity } = await client.send(command);
        const entries = Items.map(fromSdk);
        const units =
          ConsumedCapacity?.CapacityUnits ??
          readUnits(
            entries.reduce((sum, item) => sum + itemSize(item), 0),
            false,
          );
        return { entries, next: cursorOf(LastEvaluatedKey, TableName), units };
      } catch (error) {
        throw fromAws(error, `Scan of table ${TableName}`);
      }
    },
  };
}
