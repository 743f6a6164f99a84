import { DeleteItemCommand } from '@aws-sdk/client-dynamodb';
import { type ItemKey, keyAttributes } from '../../../model/items/item.ts';
import { asked } from '../../../worker/adapters/aws-errors.ts';
import type { TableLocation } from '../../../worker/adapters/dynamodb/table-access.ts';

/** As an application deletes it, whether it is there or not. Needs `dynamodb:DeleteItem` on the table. */
export async function deleteItem(location: TableLocation, key: ItemKey): Promise<void> {
  const { client, tableName: TableName, table } = location;
  await asked(`DeleteItem (dynamodb:DeleteItem) on table ${TableName}`, () =>
    client.send(new DeleteItemCommand({ TableName, Key: keyAttributes(table, key) })),
  );
}
