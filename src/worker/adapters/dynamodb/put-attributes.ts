import { UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { keyAttributes } from '../../../model/items/item.ts';
import type { GuardedUpdate } from '../../../model/work/guarded-write.ts';
import { awsCall } from '../aws-errors.ts';
import { guardedExpressions } from './guarded-expressions.ts';
import type { TableLocation } from './table-access.ts';

/** On no condition: an item that does not exist is created. Needs `dynamodb:UpdateItem`. */
export async function putAttributes(
  { client, tableName: TableName, table }: TableLocation,
  { key, set, remove }: Pick<GuardedUpdate, 'key' | 'set' | 'remove'>,
): Promise<void> {
  const expressions = guardedExpressions(table, { set, remove, expect: undefined });
  const command = new UpdateItemCommand({ TableName, Key: keyAttributes(table, key), ...expressions });
  await awsCall(`UpdateItem of table ${TableName}`, () => client.send(command));
}
