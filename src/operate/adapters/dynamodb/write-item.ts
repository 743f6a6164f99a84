import { DeleteItemCommand, PutItemCommand, type PutItemCommandInput } from '@aws-sdk/client-dynamodb';
import { writeUnits } from '../../../model/items/capacity.ts';
import { type Item, type ItemKey, keyAttributes } from '../../../model/items/item.ts';
import { pkName } from '../../../model/items/table-names.ts';
import { awsCall, fromAws } from '../../../worker/adapters/aws-errors.ts';
import { refusalFrom } from '../../../worker/adapters/dynamodb/refusals.ts';
import { itemToSdk, type TableLocation } from '../../../worker/adapters/dynamodb/table-access.ts';
import type { PutOutcome, PutPort } from '../../../worker/ports.ts';

/** Needs `dynamodb:PutItem`. A put whose response was lost is retried, may find its own item, and returns `exists` then. */
export function dynamoDbPut({ client, tableName: TableName, table }: TableLocation): PutPort {
  const what = `PutItem (dynamodb:PutItem) on table ${TableName}`;
  async function put(item: Item, condition: Partial<PutItemCommandInput>): Promise<PutOutcome> {
    const computed = writeUnits(table, undefined, item).total;
    try {
      const { ConsumedCapacity } = await client.send(
        new PutItemCommand({
          TableName,
          Item: itemToSdk(item),
          ReturnConsumedCapacity: 'TOTAL',
          ...condition,
        }),
      );
      return { outcome: 'put', units: ConsumedCapacity?.CapacityUnits ?? computed };
    } catch (error) {
      const refusal = refusalFrom(error, what);
      if (refusal !== 'lost' && refusal !== 'refused') throw fromAws(error, what);
      return { outcome: refusal === 'lost' ? 'exists' : 'refused', units: computed };
    }
  }
  return {
    putIfAbsent: (item) =>
      put(item, {
        ConditionExpression: 'attribute_not_exists(#pk)',
        ExpressionAttributeNames: { '#pk': pkName(table) },
      }),
    overwrite: (item) => put(item, {}),
  };
}

/** As an application deletes it, whether it is there or not. Needs `dynamodb:DeleteItem` on the table. */
export async function deleteItem(location: TableLocation, key: ItemKey): Promise<void> {
  const { client, tableName: TableName, table } = location;
  await awsCall(`DeleteItem (dynamodb:DeleteItem) on table ${TableName}`, () =>
    client.send(new DeleteItemCommand({ TableName, Key: keyAttributes(table, key) })),
  );
}
