import { UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import type { AttributeValue } from '../../../model/attribute-value.ts';
import type { ItemKey } from '../../../model/item.ts';
import { fromAws } from '../../../worker/adapters/aws-errors.ts';
import { guardedExpressions } from '../../../worker/adapters/dynamodb/guarded-expressions.ts';
import { keyAttributes, type TableLocation } from '../../../worker/adapters/dynamodb/table-access.ts';

/**
 * Sets an attribute of an item, or removes it, as a person asks for it: by an UpdateItem without any condition but that the
 * item exists.
 * @param value undefined removes the attribute
 * @throws TransientError, FatalError as ports do, and what DynamoDB says of an update that it refuses
 */
export async function updateAttribute(
  { client, tableName: TableName, table }: TableLocation,
  key: ItemKey,
  name: string,
  value: AttributeValue | undefined,
): Promise<void> {
  const change = value === undefined ? { remove: [name] } : { set: { [name]: value } };
  const command = new UpdateItemCommand({
    ...{ TableName, Key: keyAttributes(table, key) },
    ...guardedExpressions(table, { ...change, expect: {} }),
  });
  try {
    await client.send(command);
  } catch (error) {
    throw fromAws(error, `UpdateItem on table ${TableName}`);
  }
}
