import { QueryCommand, type QueryCommandInput } from '@aws-sdk/client-dynamodb';
import { type CopyLocation, indexNamed } from '../../../model/copy-location.ts';
import { fromAws } from '../../../worker/adapters/aws-errors.ts';
import { keyCondition } from '../../../worker/adapters/dynamodb/read-pages.ts';
import type { TableLocation } from '../../../worker/adapters/dynamodb/table-access.ts';

/** How many items a location holds now. It reads as much as a query for them. */
export async function countLocation(
  { client, tableName: TableName, table }: TableLocation,
  location: CopyLocation,
): Promise<number> {
  if (location.in === 'key') return 1;
  if (location.in === 'keys') return location.keys.length;
  const index = location.in === 'index' ? indexNamed(table, location.index) : undefined;
  let count = 0;
  let from: QueryCommandInput['ExclusiveStartKey'];
  do {
    const command = new QueryCommand({
      TableName,
      Select: 'COUNT',
      ...(index !== undefined && { IndexName: index.name }),
      ...keyCondition(index ?? table, location),
      ...(from !== undefined && { ExclusiveStartKey: from }),
    });
    try {
      const { Count = 0, LastEvaluatedKey } = await client.send(command);
      count += Count;
      from = LastEvaluatedKey;
    } catch (error) {
      throw fromAws(error, `Query of table ${TableName}`);
    }
  } while (from !== undefined);
  return count;
}
