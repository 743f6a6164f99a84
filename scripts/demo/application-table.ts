import { DynamoDBClient, GetItemCommand } from '@aws-sdk/client-dynamodb';
import {
  DeleteCommand,
  DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  QueryCommand,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';
import { loopbackClientSettings } from '../../src/dev/loopback.ts';
import { type ItemKey, keyAttributes } from '../../src/model/items/item.ts';
import { keyParts, type TableNames } from '../../src/model/items/table-names.ts';

/** An item as an application sees it: attributes by name, keys included. */
export type ApplicationItem = Record<string, unknown>;

/** The table as an application uses it, independent of the worker. Used in the demo. */
export class ApplicationTable {
  private readonly client: DynamoDBDocumentClient;
  private readonly tableName: string;
  private readonly names: TableNames;

  constructor(endpoint: string, tableName: string, names: TableNames) {
    this.client = DynamoDBDocumentClient.from(new DynamoDBClient(loopbackClientSettings(endpoint)));
    this.tableName = tableName;
    this.names = names;
  }

  async put(item: ApplicationItem): Promise<void> {
    await this.client.send(new PutCommand({ TableName: this.tableName, Item: item }));
  }

  async get(key: ItemKey): Promise<ApplicationItem | undefined> {
    const request = { TableName: this.tableName, Key: this.keyOf(key), ConsistentRead: true };
    return (await this.client.send(new GetCommand(request))).Item;
  }

  /** The item as DynamoDB JSON: numbers as strings, each value with its type. */
  async getRaw(key: ItemKey): Promise<unknown> {
    const Key = keyAttributes(this.names, key);
    return (
      await this.client.send(new GetItemCommand({ TableName: this.tableName, Key, ConsistentRead: true }))
    ).Item;
  }

  async delete(key: ItemKey): Promise<void> {
    await this.client.send(new DeleteCommand({ TableName: this.tableName, Key: this.keyOf(key) }));
  }

  /** Sets the given attributes, and removes the named ones. */
  async update(key: ItemKey, set: ApplicationItem, remove: readonly string[] = []): Promise<void> {
    const names = [...Object.keys(set), ...remove];
    const sets = Object.keys(set).map((_, index) => `#${index} = :${index}`);
    const removes = remove.map((_, index) => `#${Object.keys(set).length + index}`);
    await this.client.send(
      new UpdateCommand({
        TableName: this.tableName,
        Key: this.keyOf(key),
        UpdateExpression: [
          ...(sets.length > 0 ? [`SET ${sets.join()}`] : []),
          ...(removes.length > 0 ? [`REMOVE ${removes.join()}`] : []),
        ].join(' '),
        ExpressionAttributeNames: Object.fromEntries(names.map((name, index) => [`#${index}`, name])),
        ...(sets.length > 0 && {
          ExpressionAttributeValues: Object.fromEntries(
            Object.values(set).map((value, index) => [`:${index}`, value]),
          ),
        }),
      }),
    );
  }

  /** Adds to a number, as a counter does. */
  async add(key: ItemKey, attribute: string, by: number): Promise<void> {
    await this.client.send(
      new UpdateCommand({
        TableName: this.tableName,
        Key: this.keyOf(key),
        UpdateExpression: 'ADD #0 :0',
        ExpressionAttributeNames: { '#0': attribute },
        ExpressionAttributeValues: { ':0': by },
      }),
    );
  }

  /** The first items of an index partition, newest first. */
  async newest(index: keyof TableNames['indexes'], pk: string): Promise<ApplicationItem[]> {
    const keys = this.names.indexes[index];
    const { Items = [] } = await this.client.send(
      new QueryCommand({
        TableName: this.tableName,
        IndexName: keys?.name ?? String(index),
        KeyConditionExpression: '#pk = :pk',
        ExpressionAttributeNames: { '#pk': keyParts(keys ?? this.names).names[0] ?? '' },
        ExpressionAttributeValues: { ':pk': pk },
        ScanIndexForward: false,
      }),
    );
    return Items;
  }

  close(): void {
    this.client.destroy();
  }

  private keyOf({ pk, sk }: ItemKey): ApplicationItem {
    const [ofPk = '', ofSk = ''] = keyParts(this.names).names;
    return { [ofPk]: pk, [ofSk]: sk };
  }
}
