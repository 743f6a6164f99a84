import {
  BatchWriteCommand,
  DeleteCommand,
  GetCommand,
  PutCommand,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';
import type { Clients } from './stack.ts';
import { until } from './until.ts';

export type Key = { readonly PK: string; readonly SK: string };
export type Attributes = Readonly<Record<string, unknown>>;

/** The table as an application sees it. */
export function applicationOf({ application }: Clients, TableName: string) {
  async function get({ PK, SK }: Key): Promise<Record<string, unknown> | undefined> {
    const { Item } = await application.send(
      new GetCommand({ TableName, Key: { PK, SK }, ConsistentRead: true }),
    );
    return Item;
  }

  return {
    get,
    async put(...items: readonly (Key & Attributes)[]): Promise<void> {
      for (const Item of items) await application.send(new PutCommand({ TableName, Item }));
    },
    /** Many at once, 25 to a request. */
    async putMany(items: readonly (Key & Attributes)[]): Promise<void> {
      for (let start = 0; start < items.length; start += 25) {
        const requests = items.slice(start, start + 25).map((Item) => ({ PutRequest: { Item } }));
        await application.send(new BatchWriteCommand({ RequestItems: { [TableName]: requests } }));
      }
    },
    async set(Key: Key, attributes: Attributes): Promise<void> {
      const entries = Object.entries(attributes);
      await application.send(
        new UpdateCommand({
          TableName,
          Key,
          UpdateExpression: `SET ${entries.map((_, index) => `#n${index} = :v${index}`).join(', ')}`,
          ExpressionAttributeNames: Object.fromEntries(entries.map(([name], index) => [`#n${index}`, name])),
          ExpressionAttributeValues: Object.fromEntries(
            entries.map(([, value], index) => [`:v${index}`, value]),
          ),
        }),
      );
    },
    async delete(Key: Key): Promise<void> {
      await application.send(new DeleteCommand({ TableName, Key }));
    },
    /** Waits until the item holds these attributes; one given as undefined must be missing. */
    async holds(key: Key, attributes: Attributes, within?: number): Promise<Record<string, unknown>> {
      const expected = Object.entries(attributes);
      const isSo = async () => {
        const item = await get(key);
        const same = item !== undefined && expected.every(([name, value]) => item[name] === value);
        return same ? item : undefined;
      };
      return until(`${key.PK} / ${key.SK} holds ${expected.map(([name]) => name).join(', ')}`, isSo, within);
    },
    async isGone(key: Key): Promise<void> {
      await until(`${key.PK} / ${key.SK} is gone`, async () => (await get(key)) === undefined);
    },
  };
}

export type Application = ReturnType<typeof applicationOf>;
