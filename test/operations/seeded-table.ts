import {
  BatchWriteItemCommand,
  CreateTableCommand,
  DynamoDBClient,
  ScanCommand,
  type ScanCommandOutput,
  waitUntilTableExists,
} from '@aws-sdk/client-dynamodb';
import pLimit from 'p-limit';
import { canonicalMap } from '../../src/model/attribute-value.ts';
import { type Item, keyOf, keyText } from '../../src/model/item.ts';
import { table } from '../../src/table.ts';
import { fromSdk, toSdk } from '../../src/worker/adapters/dynamodb/sdk-values.ts';
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
  name: string,
  items: Iterable<Item>,
  stream: boolean,
): Promise<SeededTable> {
  const client = new DynamoDBClient({
    endpoint,
    region: 'us-east-1',
    credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
  });
  const { KeySchema, AttributeDefinitions, GlobalSecondaryIndexes } = settings.table;
  await client.send(
    new CreateTableCommand({
      TableName: name,
      BillingMode: 'PAY_PER_REQUEST',
      KeySchema,
      AttributeDefinitions,
      GlobalSecondaryIndexes,
      ...(stream && { StreamSpecification: { StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' } }),
    }),
  );
  await waitUntilTableExists({ client, maxWaitTime: 60, minDelay: 1 }, { TableName: name });
  await writeAll(client, name, items);
  return {
    endpoint,
    name,
    client,
    read: () => readAll(client, name),
    close: () => client.destroy(),
  };
}

async function writeAll(client: DynamoDBClient, name: string, items: Iterable<Item>): Promise<void> {
  const limit = pLimit(8);
  const batches: Item[][] = [[]];
  for (const item of items) {
    if (batches.at(-1)?.length === 25) batches.push([]);
    batches.at(-1)?.push(item);
  }
  await Promise.all(
    batches.map((batch) =>
      limit(async () => {
        let pending = batch.map((item) => ({
          PutRequest: {
            Item: Object.fromEntries(
              Object.entries(item).map(([attribute, value]) => [attribute, toSdk(value)]),
            ),
          },
        }));
        while (pending.length > 0) {
          const { UnprocessedItems } = await client.send(
            new BatchWriteItemCommand({ RequestItems: { [name]: pending } }),
          );
          pending = (UnprocessedItems?.[name] ?? []).flatMap(({ PutRequest }) =>
            PutRequest?.Item === undefined ? [] : [{ PutRequest: { Item: PutRequest.Item } }],
          );
        }
      }),
    ),
  );
}

/** Segments that are read side by side. */
const segments = 8;

async function readAll(client: DynamoDBClient, name: string): Promise<ReadonlyMap<string, string>> {
  const read = await Promise.all(
    Array.from({ length: segments }, (_, segment) => readSegment(client, name, segment)),
  );
  return contentOf(read.flat());
}

async function readSegment(client: DynamoDBClient, name: string, segment: number): Promise<Item[]> {
  const items: Item[] = [];
  let from: ScanCommandOutput['LastEvaluatedKey'];
  do {
    const page: ScanCommandOutput = await client.send(
      new ScanCommand({
        ...{ TableName: name, ConsistentRead: true, Segment: segment, TotalSegments: segments },
        ...(from && { ExclusiveStartKey: from }),
      }),
    );
    items.push(...(page.Items ?? []).map(fromSdk));
    from = page.LastEvaluatedKey;
  } while (from !== undefined);
  return items;
}

/** Items, as texts that tell each from what it was before, by the texts of their keys. */
export function contentOf(items: readonly Item[]): ReadonlyMap<string, string> {
  return new Map(
    items.flatMap((item) => {
      const key = keyOf(table, item);
      return key === undefined ? [] : [[keyText(key), canonicalMap(item)] as const];
    }),
  );
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
