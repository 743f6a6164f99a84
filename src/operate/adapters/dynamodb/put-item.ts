import { type DynamoDBClient, PutItemCommand, type PutItemCommandInput } from '@aws-sdk/client-dynamodb';
import { writeUnits } from '../../../model/capacity.ts';
import type { Item } from '../../../model/item.ts';
import type { TableNames } from '../../../model/table-names.ts';
import { fromAws } from '../../../worker/adapters/aws-errors.ts';
import { refusalOfThrown } from '../../../worker/adapters/dynamodb/refusals.ts';
import { toSdk } from '../../../worker/adapters/dynamodb/sdk-values.ts';
import type { PutOutcome, PutPort } from '../../../worker/ports.ts';

export interface DynamoDbPutOptions {
  /** Its own retries are used. Give it a request timeout. */
  readonly client: DynamoDBClient;
  /** Name or ARN. */
  readonly tableName: string;
  readonly table: TableNames;
}

/**
 * Puts whole items into the table in DynamoDB. Needs `dynamodb:PutItem` on the table. A put whose response
 * was lost is retried. If the first attempt succeeded, the retry finds its own item and returns `exists`.
 */
export function dynamoDbPut({ client, tableName: TableName, table }: DynamoDbPutOptions): PutPort {
  const what = `PutItem (dynamodb:PutItem) on table ${TableName}`;
  async function put(item: Item, condition: Partial<PutItemCommandInput>): Promise<PutOutcome> {
    const Item = Object.fromEntries(Object.entries(item).map(([name, value]) => [name, toSdk(value)]));
    const computed = writeUnits(table, undefined, item).total;
    try {
      const { ConsumedCapacity } = await client.send(
        new PutItemCommand({ TableName, Item, ReturnConsumedCapacity: 'TOTAL', ...condition }),
      );
      return { outcome: 'put', units: ConsumedCapacity?.CapacityUnits ?? computed };
    } catch (error) {
      const refusal = refusalOfThrown(error, what);
      switch (refusal) {
        case 'lost':
          return { outcome: 'exists', units: computed };
        case 'refused':
          return { outcome: 'refused', units: computed };
        case 'again':
        case 'unavailable':
          throw fromAws(error, what);
      }
    }
  }
  return {
    putIfAbsent: (item) =>
      put(item, {
        ConditionExpression: 'attribute_not_exists(#pk)',
        ExpressionAttributeNames: { '#pk': table.pk },
      }),
    overwrite: (item) => put(item, {}),
  };
}
