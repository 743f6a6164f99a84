import { type DynamoDBClient, QueryCommand } from '@aws-sdk/client-dynamodb';
import { readUnits } from '../../../model/capacity.ts';
import { keyOf } from '../../../model/item.ts';
import type { TableNames } from '../../../model/table-names.ts';
import type { RangePort } from '../../archive/sweep/sweep-context.ts';
import { fromAws } from '../aws-errors.ts';
import { cursorOf, startOf } from './query-pages.ts';
import { fromSdk } from './sdk-values.ts';

export interface DynamoDbRangeOptions {
  readonly client: DynamoDBClient;
  /** Name or ARN. */
  readonly tableName: string;
  readonly table: TableNames;
}

/** Used to estimate the cost of a page if DynamoDB does not report it, in bytes per item. */
const assumedSize = 1024;

/** Partitions of the table's indexes in DynamoDB. Needs `dynamodb:Query` on the indexes. */
export function dynamoDbRange({ client, tableName: TableName, table }: DynamoDbRangeOptions): RangePort {
  return {
    async before({ index, pk, until }, limit, from) {
      const command = new QueryCommand({
        TableName,
        IndexName: index.name,
        KeyConditionExpression: '#pk = :pk AND #sk < :until',
        ProjectionExpression: '#tablePk, #tableSk',
        ExpressionAttributeNames: {
          '#pk': index.pk,
          '#sk': index.sk,
          '#tablePk': table.pk,
          '#tableSk': table.sk,
        },
        ExpressionAttributeValues: { ':pk': { S: pk }, ':until': { S: until } },
        Limit: limit,
        ReturnConsumedCapacity: 'TOTAL',
        ...startOf(from),
      });
      try {
        const { Items = [], LastEvaluatedKey, ConsumedCapacity } = await client.send(command);
        return {
          entries: Items.flatMap((entry) => keyOf(table, fromSdk(entry)) ?? []),
          next: cursorOf(LastEvaluatedKey, TableName),
          units: ConsumedCapacity?.CapacityUnits ?? readUnits(Items.length * assumedSize, false),
        };
      } catch (error) {
        throw fromAws(error, `Query of index ${index.name} of table ${TableName}`);
      }
    },
  };
}
