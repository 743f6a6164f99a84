import { inspect } from 'node:util';
import {
  BatchWriteCommand,
  DeleteCommand,
  type DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';
import { until } from './until.ts';

export type Attributes = Readonly<Record<string, unknown>>;
export type Key = { readonly PK: string; readonly SK: string };

/** A table as an application sees it. A key may come with other attributes. */
export function applicationOf(client: DynamoDBDocumentClient, TableName: string, keyNames = ['PK', 'SK']) {
  const keyOf = (item: Attributes) => Object.fromEntries(keyNames.map((name) => [name, item[name]]));

  async function get(key: Attributes): Promise<Record<string, unknown> | undefined> {
    const { Item } = await client.send(new GetCommand({ TableName, Key: keyOf(key), ConsistentRead: true }));
    return Item;
  }

  return {
    get,
    async put(...items: readonly Attributes[]): Promise<void> {
      for (const Item of items) await client.send(new PutCommand({ TableName, Item }));
    },
    /** Many at once, 25 to a request. */
    async putMany(items: readonly Attributes[]): Promise<void> {
      for (let start = 0; start < items.length; start += 25) {
        const requests = items.slice(start, start + 25).map((Item) => ({ PutRequest: { Item } }));
        await client.send(new BatchWriteCommand({ RequestItems: { [TableName]: requests } }));
      }
    },
    async set(key: Attributes, attributes: Attributes): Promise<void> {
      const entries = Object.entries(attributes);
      await client.send(
        new UpdateCommand({
          TableName,
          Key: keyOf(key),
          UpdateExpression: `SET ${entries.map((_, index) => `#n${index} = :v${index}`).join(', ')}`,
          ExpressionAttributeNames: Object.fromEntries(entries.map(([name], index) => [`#n${index}`, name])),
          ExpressionAttributeValues: Object.fromEntries(
            entries.map(([, value], index) => [`:v${index}`, value]),
          ),
        }),
      );
    },
    async delete(key: Attributes): Promise<void> {
      await client.send(new DeleteCommand({ TableName, Key: keyOf(key) }));
    },
    /** Waits until the item holds these attributes; one given as undefined must be missing. */
    async holds(key: Attributes, attributes: Attributes, within?: number): Promise<void> {
      const expected = Object.entries(attributes);
      const isSo = async () => {
        const item = await get(key);
        return item !== undefined && expected.every(([name, value]) => item[name] === value);
      };
      const names = expected.map(([name]) => name).join(', ');
      await until(`${inspect(keyOf(key))} holds ${names}`, isSo, within);
    },
    async isGone(key: Attributes): Promise<void> {
      const isSo = async () => (await get(key)) === undefined;
      await until(`${inspect(keyOf(key))} is gone`, isSo);
    },
  };
}

export type Application = ReturnType<typeof applicationOf>;
