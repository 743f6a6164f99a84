import { UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { keyAttributes } from '../../../model/items/item.ts';
import { type Pauses, pauseAttribute, pausesIn, pausesKey } from '../../../model/rules/pauses.ts';
import { awsCall } from '../../../worker/adapters/aws-errors.ts';
import { fromSdk, type TableLocation } from '../../../worker/adapters/dynamodb/table-access.ts';

/**
 * Pauses a rule, or leaves it paused since when it was. Needs `dynamodb:UpdateItem` on the table.
 * @param now in ISO 8601
 * @returns all that is paused then; undefined if the table can hold no pauses
 */
export function pauseRule(location: TableLocation, rule: string, now: string): Promise<Pauses | undefined> {
  return updatePauses(location, rule, {
    UpdateExpression: 'SET #rule = if_not_exists(#rule, :now)',
    ExpressionAttributeValues: { ':now': { S: now } },
    ReturnValues: 'ALL_NEW',
  });
}

/** As {@link pauseRule}. @returns what was paused before */
export function resumeRule(location: TableLocation, rule: string): Promise<Pauses | undefined> {
  return updatePauses(location, rule, { UpdateExpression: 'REMOVE #rule', ReturnValues: 'ALL_OLD' });
}

async function updatePauses(
  { client, tableName: TableName, table }: TableLocation,
  rule: string,
  update: Pick<
    ConstructorParameters<typeof UpdateItemCommand>[0],
    'UpdateExpression' | 'ExpressionAttributeValues' | 'ReturnValues'
  >,
): Promise<Pauses | undefined> {
  const key = pausesKey(table);
  if (key === undefined) return undefined;
  const { Attributes } = await awsCall(`UpdateItem (dynamodb:UpdateItem) on table ${TableName}`, () =>
    client.send(
      new UpdateItemCommand({
        TableName,
        Key: keyAttributes(table, key),
        ExpressionAttributeNames: { '#rule': pauseAttribute(rule) },
        ...update,
      }),
    ),
  );
  return pausesIn(Attributes && fromSdk(Attributes));
}
