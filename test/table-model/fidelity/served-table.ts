import {
  type AttributeValue,
  CreateTableCommand,
  type CreateTableCommandInput,
  DeleteItemCommand,
  DeleteTableCommand,
  DescribeTableCommand,
  DynamoDBClient,
  type KeySchemaElement,
  PutItemCommand,
  UpdateItemCommand,
  waitUntilTableExists,
} from '@aws-sdk/client-dynamodb';
import { loopbackClientSettings } from '../../../src/develop/dev/loopback.ts';
import type { Condition } from '../../../src/develop/testing/table-model/model-table.ts';
import type { Item, ItemKey } from '../../../src/model/item.ts';
import { dynamoDbTable } from '../../../src/worker/adapters/dynamodb/dynamodb-table.ts';
import { toSdk } from '../../../src/worker/adapters/dynamodb/sdk-values.ts';
import type { TablePort } from '../../../src/worker/ports.ts';
import { names } from '../../worker/adapters/dynamodb/table-fixture.ts';
import { type Answer, answerOfPort } from './answers.ts';
import type { Operation } from './operations.ts';

/** A new table of a server on this machine, with a stream, asked. */
export class ServedTable {
  readonly streamArn: string;
  private readonly client: DynamoDBClient;
  private readonly tableName: string;
  private readonly port: TablePort;

  private constructor(client: DynamoDBClient, tableName: string, streamArn: string) {
    this.client = client;
    this.tableName = tableName;
    this.streamArn = streamArn;
    this.port = dynamoDbTable({ client, tableName, table: names });
  }

  static async open(endpoint: string): Promise<ServedTable> {
    const client = new DynamoDBClient(loopbackClientSettings(endpoint));
    const tableName = `fidelity.${crypto.randomUUID()}`;
    await client.send(new CreateTableCommand(definitionOf(tableName)));
    await waitUntilTableExists({ client, maxWaitTime: 60, minDelay: 1 }, { TableName: tableName });
    const { Table } = await client.send(new DescribeTableCommand({ TableName: tableName }));
    return new ServedTable(client, tableName, Table?.LatestStreamArn ?? '');
  }

  async ask(operation: Operation): Promise<Answer> {
    switch (operation.is) {
      case 'put':
        return this.write(
          (request) => new PutItemCommand({ ...request, Item: sdkItem(operation.item) }),
          operation,
        );
      case 'change':
        return this.change(operation);
      case 'delete':
        return this.write(
          (request) => new DeleteItemCommand({ ...request, Key: keyOf(operation.key) }),
          operation,
        );
      default:
        return answerOfPort(this.port, operation);
    }
  }

  async close(): Promise<void> {
    await this.client.send(new DeleteTableCommand({ TableName: this.tableName }));
    this.client.destroy();
  }

  private change(operation: Extract<Operation, { is: 'change' }>): Promise<Answer> {
    const { key, set, remove } = operation;
    const expression = new ExpressionText();
    const sets = Object.entries(set).map(
      ([name, value]) => `${expression.name(name)} = ${expression.value(value)}`,
    );
    const removes = remove.map((name) => expression.name(name));
    const UpdateExpression = [
      sets.length > 0 ? `SET ${sets.join(', ')}` : '',
      removes.length > 0 ? `REMOVE ${removes.join(', ')}` : '',
    ].join(' ');
    return this.write(
      (request) => new UpdateItemCommand({ ...request, Key: keyOf(key), UpdateExpression }),
      operation,
      expression,
    );
  }

  private async write(
    command: (request: Request) => PutItemCommand | UpdateItemCommand | DeleteItemCommand,
    { on }: { readonly on: Condition | undefined },
    expression = new ExpressionText(),
  ): Promise<Answer> {
    const ConditionExpression = expression.condition(on);
    const request = {
      TableName: this.tableName,
      ...(ConditionExpression !== undefined && { ConditionExpression }),
      ...expression.parameters(),
    };
    const made = command(request);
    try {
      if (made instanceof PutItemCommand) await this.client.send(made);
      else if (made instanceof UpdateItemCommand) await this.client.send(made);
      else await this.client.send(made);
      return 'written';
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      if (error.name === 'ConditionalCheckFailedException') return 'lost';
      if (error.name === 'ValidationException') return 'refused';
      throw error;
    }
  }
}

function definitionOf(TableName: string): CreateTableCommandInput {
  const keySchema = ({ pk, sk }: { readonly pk: string; readonly sk: string }): KeySchemaElement[] => [
    { AttributeName: pk, KeyType: 'HASH' },
    { AttributeName: sk, KeyType: 'RANGE' },
  ];
  const indexes = Object.values(names.indexes);
  const keys = new Set([names, ...indexes].flatMap(({ pk, sk }) => [pk, sk]));
  return {
    TableName,
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: [...keys].map((AttributeName) => ({ AttributeName, AttributeType: 'S' })),
    KeySchema: keySchema(names),
    GlobalSecondaryIndexes: indexes.map((index) => ({
      IndexName: index.name,
      KeySchema: keySchema(index),
      Projection: { ProjectionType: 'ALL' },
    })),
    StreamSpecification: { StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' },
  };
}

interface Request {
  readonly TableName: string;
  readonly ConditionExpression?: string;
  readonly ExpressionAttributeNames?: Record<string, string>;
  readonly ExpressionAttributeValues?: Record<string, AttributeValue>;
}

/** Expressions as an application writes them, with a placeholder for every name and value. */
class ExpressionText {
  private readonly names: Record<string, string> = {};
  private readonly values: Record<string, AttributeValue> = {};

  name(name: string): string {
    const placeholder = `#n${Object.keys(this.names).length}`;
    this.names[placeholder] = name;
    return placeholder;
  }

  value(value: Item[string]): string {
    const placeholder = `:v${Object.keys(this.values).length}`;
    this.values[placeholder] = toSdk(value);
    return placeholder;
  }

  condition(on: Condition | undefined): string | undefined {
    if (on === undefined) return undefined;
    if (on === 'exists') return `attribute_exists(${this.name(names.pk)})`;
    if (on === 'absent') return `attribute_not_exists(${this.name(names.pk)})`;
    return Object.entries(on)
      .map(([name, value]) =>
        value === undefined
          ? `attribute_not_exists(${this.name(name)})`
          : `${this.name(name)} = ${this.value(value)}`,
      )
      .join(' AND ');
  }

  parameters(): Omit<Request, 'TableName'> {
    return {
      ...(Object.keys(this.names).length > 0 && { ExpressionAttributeNames: this.names }),
      ...(Object.keys(this.values).length > 0 && { ExpressionAttributeValues: this.values }),
    };
  }
}

function keyOf({ pk, sk }: ItemKey): Record<string, AttributeValue> {
  return { [names.pk]: { S: pk }, [names.sk]: { S: sk } };
}

function sdkItem(item: Item): Record<string, AttributeValue> {
  return Object.fromEntries(Object.entries(item).map(([name, value]) => [name, toSdk(value)]));
}
