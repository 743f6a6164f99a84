import {
  CreateTableCommand,
  type CreateTableCommandInput,
  DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
} from '@aws-sdk/client-dynamodb';
import pLimit from 'p-limit';
import { table as tableOf } from '../../../../src/deploy/resources/table.ts';
import type { LocalServer } from '../../../../src/dev/local-server.ts';
import { loopbackClientSettings } from '../../../../src/dev/loopback.ts';
import { startEmbeddedTableServer } from '../../../../src/dev/table/embedded-table-server.ts';
import { type AttributeValue, canonicalMap } from '../../../../src/model/items/attribute-value.ts';
import type { Item, ItemKey, KeyedItem } from '../../../../src/model/items/item.ts';
import type { TableNames } from '../../../../src/model/items/table-names.ts';
import type {
  GuardedCreation,
  GuardedRemoval,
  GuardedUpdate,
  RootCondition,
} from '../../../../src/model/work/guarded-write.ts';
import type { Cursor } from '../../../../src/model/work/message.ts';
import {
  fromSdk,
  itemToSdk,
  type TableAccess,
} from '../../../../src/worker/adapters/dynamodb/table-access.ts';
import type { Page } from '../../../../src/worker/ports.ts';
import { VirtualClock } from '../../../fixtures/virtual-clock.ts';

/** Different names from those in src/table.ts, so that no code can rely on them; the second index is by the table’s sort key. */
export const names = {
  pk: 'Owner',
  sk: 'Entry',
  indexes: {
    tags: { name: 'ByTag', pk: 'TagPk', sk: 'TagSk' },
    propagated: { name: 'Turned', pk: 'Entry', sk: 'TagSk' },
  },
  ttl: 'ExpiresAt',
  type: 'Type',
} as const satisfies TableNames;

export const tableName = 'things.of-test';

/** For what is worded, and not sent. */
export const access: TableAccess = {
  ...{ client: new DynamoDBClient({ region: 'eu-central-1' }), tableName, table: names },
  limit: pLimit(1),
  backOff: { clock: new VirtualClock(), attempts: 1, firstDelayMs: 1, maxDelayMs: 1 },
};

export function itemOf(key: ItemKey, attributes: Record<string, AttributeValue> = {}): Item {
  return { [names.pk]: { S: key.pk }, [names.sk]: { S: key.sk }, ...attributes };
}

export function keyedOf(key: ItemKey, attributes: Record<string, AttributeValue> = {}): KeyedItem {
  return { key, item: itemOf(key, attributes) };
}

/** So many keys of one partition. */
export function keysOf(count: number, pk = 'p'): ItemKey[] {
  return Array.from({ length: count }, (_, index) => ({ pk, sk: String(index) }));
}

export function updateOf(key: ItemKey, change: Partial<GuardedUpdate> = {}): GuardedUpdate {
  return { key, set: {}, remove: [], expect: {}, ...change };
}

export function removalOf(key: ItemKey, change: Partial<GuardedRemoval> = {}): GuardedRemoval {
  return { key, clear: undefined, expect: {}, size: 100, ...change };
}

export function creationOf(key: ItemKey, attributes: Item = {}): GuardedCreation {
  return { key, item: itemOf(key, attributes), size: 100 };
}

export function absentRoot(pk = 'p'): RootCondition {
  return { key: { pk, sk: 'root' }, expect: 'absent' };
}

/** A new table on a separate server, by default an embedded one, with access that bypasses the port. */
export async function openTable(
  start: () => Promise<Pick<LocalServer, 'endpoint' | 'stop'>> = startEmbeddedTableServer,
) {
  const server = await start();
  const client = new DynamoDBClient(loopbackClientSettings(server.endpoint));
  await createTable(client, tableName);
  return {
    client,
    tableName,
    async put(item: Item): Promise<void> {
      await client.send(new PutItemCommand({ TableName: tableName, Item: itemToSdk(item) }));
    },
    async read(key: ItemKey): Promise<Item | undefined> {
      const Key = { [names.pk]: { S: key.pk }, [names.sk]: { S: key.sk } };
      const { Item } = await client.send(new GetItemCommand({ TableName: tableName, Key }));
      return Item && fromSdk(Item);
    },
    async stop(): Promise<void> {
      client.destroy();
      await server.stop();
    },
  };
}

/** An item as text: equal exactly for items that DynamoDB considers equal, because DynamoDB normalizes numbers. */
export function same(item: Item | undefined): string | undefined {
  return item && canonicalMap(item);
}

/** The entries of all pages, from one cursor to the next. */
export async function allPages<Entry>(
  page: (from: Cursor | undefined) => Promise<Page<Entry>>,
): Promise<(readonly Entry[])[]> {
  const pages: (readonly Entry[])[] = [];
  let from: Cursor | undefined;
  do {
    const { entries, next } = await page(from);
    pages.push(entries);
    from = next;
  } while (from !== undefined);
  return pages;
}

/** A table of this shape, as the stack defines it. */
export async function createTable(
  client: DynamoDBClient,
  TableName: string,
  shape: TableNames = names,
): Promise<void> {
  const { Properties = {} } = tableOf(shape);
  const { KeySchema, AttributeDefinitions, GlobalSecondaryIndexes } =
    Properties as Partial<CreateTableCommandInput>;
  const definition = { KeySchema, AttributeDefinitions, GlobalSecondaryIndexes };
  await client.send(new CreateTableCommand({ TableName, BillingMode: 'PAY_PER_REQUEST', ...definition }));
}
