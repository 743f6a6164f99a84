import {
  CreateTableCommand,
  DynamoDBClient,
  paginateScan,
  waitUntilTableExists,
} from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { loopbackClientSettings } from '../../src/dev/loopback.ts';
import { canonicalMap } from '../../src/model/items/attribute-value.ts';
import { type Item, keyIn, keyText } from '../../src/model/items/item.ts';
import { table } from '../../src/table.ts';
import { fromSdk } from '../../src/worker/adapters/dynamodb/table-access.ts';
import { type Attributes, applicationOf } from '../deployed/application.ts';
import { settings } from '../fixtures/application/stack.ts';

/** A table as the template has it, on an endpoint of this machine, written to past any port. */
export interface SeededTable {
  readonly endpoint: string;
  readonly name: string;
  readonly client: DynamoDBClient;
  /** Every item, as a text that tells it from what it was before, by the text of its key. */
  read(): Promise<ReadonlyMap<string, string>>;
  close(): void;
}

/** @param stream whether changes can be followed: without, the embedded server stays as fast as it began */
export async function seedTable(
  endpoint: string,
  TableName: string,
  items: readonly Attributes[],
  stream: boolean,
): Promise<SeededTable> {
  const client = new DynamoDBClient(loopbackClientSettings(endpoint));
  const { KeySchema, AttributeDefinitions, GlobalSecondaryIndexes } = settings.table;
  await client.send(
    new CreateTableCommand({
      ...{ TableName, BillingMode: 'PAY_PER_REQUEST' },
      ...{ KeySchema, AttributeDefinitions, GlobalSecondaryIndexes },
      ...(stream && { StreamSpecification: { StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' } }),
    }),
  );
  await waitUntilTableExists({ client, maxWaitTime: 60, minDelay: 1 }, { TableName });
  await applicationOf(documentsOf(client), TableName).putMany(items);
  return {
    endpoint,
    name: TableName,
    client,
    async read() {
      const read: Item[] = [];
      for await (const { Items = [] } of paginateScan({ client }, { TableName, ConsistentRead: true }))
        read.push(...Items.map(fromSdk));
      return contentOf(read);
    },
    close: () => client.destroy(),
  };
}

export function documentsOf(client: DynamoDBClient): DynamoDBDocumentClient {
  return DynamoDBDocumentClient.from(client, { marshallOptions: { removeUndefinedValues: true } });
}

/** Items, as texts that tell each from what it was before, by the texts of their keys. */
function contentOf(items: readonly Item[]): ReadonlyMap<string, string> {
  return new Map(items.map((item) => [keyText(keyIn(table, item)), canonicalMap(item)]));
}

/** The keys of items that two readings do not share, or hold differently. */
export function changedBetween(
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>,
): string[] {
  return [...new Set([...before.keys(), ...after.keys()])]
    .filter((key) => before.get(key) !== after.get(key))
    .toSorted();
}
