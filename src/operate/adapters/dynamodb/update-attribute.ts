import { UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import type { AttributeValue } from '../../../model/attribute-value.ts';
import type { ItemKey } from '../../../model/item.ts';
import { fromAws } from '../../../worker/adapters/aws-errors.ts';
import { Expression } from '../../../worker/adapters/dynamodb/expression.ts';
import type { TableAccess } from '../../../worker/adapters/dynamodb/table-access.ts';

/**
 * Sets an attribute of an item, or removes it, as a person asks for it: by an UpdateItem without any condition but that the
 * item exists.
 * @param value undefined removes the attribute
 * @throws TransientError, FatalError as ports do, and what DynamoDB says of an update that it refuses
 */
export async function updateAttribute(
  { client, tableName: TableName, table }: Pick<TableAccess, 'client' | 'tableName' | 'table'>,
  { pk, sk }: ItemKey,
  name: string,
  value: AttributeValue | undefined,
): Promise<void> {
  const expression = new Expression(table);
  const UpdateExpression = expression.update(
    value === undefined ? {} : { [name]: value },
    value === undefined ? [name] : [],
  );
  const ConditionExpression = expression.condition({});
  const command = new UpdateItemCommand({
    TableName,
    Key: { [table.pk]: { S: pk }, [table.sk]: { S: sk } },
    ...{ UpdateExpression, ConditionExpression },
    ...expression.parameters(),
  });
  try {
    await client.send(command);
  } catch (error) {
    throw fromAws(error, `UpdateItem on table ${TableName}`);
  }
}
