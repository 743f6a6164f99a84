import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { BatchWriteCommand, DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { loopbackClientSettings } from '../../src/dev/loopback.ts';
import { chunksOf } from '../../src/model/basics/chunks-of.ts';

/** Of ten items: a user, seven memberships, and a delivered order with an item. Of every second user, one membership differs. */
export function itemAt(index: number): Readonly<Record<string, unknown>> {
  const [group, place] = [Math.floor(index / 10), index % 10];
  const createdAt = new Date(1_600_000_000_000 + group * 1000).toISOString();
  const user = { userId: `${group}`, username: `name of ${group}` };
  const server = `${(group * 7 + place) % 1000}`;
  switch (place) {
    case 0:
      return { PK: `USER#${group}`, SK: '#METADATA', Type: 'User', ...user, email: 'a@example.com' };
    case 8:
      return {
        ...{ ...orderKey(group), Type: 'Order', UserId: `${group}`, Status: 'DELIVERED', Total: 10 },
        ...{ CreatedAt: createdAt, GSI2PK: 'STATUS#DELIVERED', GSI2SK: `ORDER#${createdAt}` },
      };
    case 9:
      return {
        ...{ ...orderItemKey(group), Type: 'OrderItem', ProductId: `${group % 100}`, ProductName: 'Tea' },
        ...{ Price: 5, Quantity: 2, GSI3PK: `PRODUCT#${group % 100}`, GSI3SK: `SALE#${createdAt}` },
      };
    default:
      return {
        ...{ PK: `SERVER#${server}`, SK: `USER#${group}`, Type: 'Membership', serverId: server, ...user },
        ...(place === 1 && group % 2 === 0 && { username: 'an earlier name' }),
        ...{ role: 'Member', GSI1PK: `USER#${group}`, GSI1SK: `SERVER#${server}` },
      };
  }
}

const orderKey = (group: number) => ({ PK: `ORDER#${group}`, SK: 'METADATA' });
const orderItemKey = (group: number) => ({ PK: `ORDER#${group}`, SK: 'ITEM#1' });

/** Removes what a sweep has archived, as if it had expired. */
export async function removeSwept(endpoint: string, tableName: string, items: number): Promise<void> {
  const client = DynamoDBDocumentClient.from(new DynamoDBClient(loopbackClientSettings(endpoint)));
  const groups = Array.from({ length: Math.floor(items / 10) }, (_, group) => group);
  const keys = groups.flatMap((group) => [orderKey(group), orderItemKey(group)]);
  for (const some of chunksOf(keys, 25))
    await client.send(
      new BatchWriteCommand({
        RequestItems: { [tableName]: some.map((Key) => ({ DeleteRequest: { Key } })) },
      }),
    );
  client.destroy();
}
