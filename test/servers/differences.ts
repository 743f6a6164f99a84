import {
  type AttributeDefinition,
  type AttributeValue,
  BatchExecuteStatementCommand,
  CreateTableCommand,
  type CreateTableCommandInput,
  DescribeTableCommand,
  DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import {
  type _Record,
  DescribeStreamCommand,
  DynamoDBStreamsClient,
  GetRecordsCommand,
  GetShardIteratorCommand,
} from '@aws-sdk/client-dynamodb-streams';
import { nameOf } from '../../src/dev/errors.ts';
import { loopbackClientSettings } from '../../src/dev/loopback.ts';

export const comparedServers = ['dynoxide', 'MiniStack', 'moto'] as const;
export type ComparedServer = (typeof comparedServers)[number];

/** A row of the table in docs/testing.md. */
interface Difference {
  /** What DynamoDB does, as the row says it. */
  readonly what: string;
  /** AWS's page about it. */
  readonly source: string;
  /** What a server does, as a value. */
  see(server: OpenedServer): Promise<unknown>;
  /** That value: by AWS's documentation, and on the servers that give another. */
  readonly seen: { readonly DynamoDB: unknown } & Partial<Record<ComparedServer, unknown>>;
}

const guide = 'https://docs.aws.amazon.com/amazondynamodb/latest/developerguide';
const api = 'https://docs.aws.amazon.com/amazondynamodb/latest/APIReference';

export const differences: readonly Difference[] = [
  {
    what: '`REMOVE l[1], l[2]` removes the elements that had these indexes before',
    source: `${guide}/Expressions.UpdateExpressions.html#Expressions.UpdateExpressions.REMOVE`,
    see: (server) => server.updatedList('abcd', 'REMOVE l[1], l[2]'),
    seen: { DynamoDB: 'ad', dynoxide: 'ac', MiniStack: 'ac' },
  },
  {
    what: '`SET l[9] = :y, l[8] = :x` appends to a shorter list, in the order of the indexes',
    source: `${guide}/Expressions.UpdateExpressions.html#Expressions.UpdateExpressions.SET`,
    see: (server) =>
      server.updatedList('ab', 'SET l[4] = :y, l[3] = :x', { ':x': { S: 'x' }, ':y': { S: 'y' } }),
    seen: { DynamoDB: 'abxy', dynoxide: 'ab-xy', MiniStack: 'abyx', moto: 'abyx' },
  },
  {
    what: 'A write that changes nothing has no stream record',
    source: `${guide}/Streams.html`,
    async see(server) {
      const table = await server.table();
      for (let times = 0; times < 2; times += 1) await table.put(item);
      await table.update('REMOVE never');
      return (await table.records()).map(({ eventName }) => eventName);
    },
    seen: {
      DynamoDB: ['INSERT'],
      dynoxide: ['INSERT', 'MODIFY', 'MODIFY'],
      moto: ['INSERT', 'MODIFY', 'MODIFY'],
    },
  },
  {
    what: 'An update by a PartiQL statement has a stream record',
    source: `${guide}/Streams.html`,
    async see(server) {
      const table = await server.table();
      await table.put(item);
      await table.statement('a', 'b');
      return (await table.records()).map(({ eventName }) => eventName);
    },
    seen: { DynamoDB: ['INSERT', 'MODIFY'], MiniStack: ['INSERT'] },
  },
  {
    what: 'A statement whose condition fails is answered with an error',
    source: `${api}/API_BatchStatementError.html`,
    async see(server) {
      const table = await server.table();
      await table.put(item);
      return table.statement('other', 'b');
    },
    seen: { DynamoDB: 'ConditionalCheckFailed', moto: undefined },
  },
  {
    what: 'A sum of more than 38 digits is refused',
    source: `${guide}/HowItWorks.NamingRulesDataTypes.html#HowItWorks.DataTypes.Number`,
    async see(server) {
      const table = await server.table();
      await table.put({ ...item, n: { N: '1' } });
      return table.update('ADD n :n', { ':n': { N: `0.${'0'.repeat(39)}1` } }).then(() => 'stored', nameOf);
    },
    seen: { DynamoDB: 'ValidationException', MiniStack: 'stored', moto: 'stored' },
  },
  {
    what: 'The number keys `1` and `1.0` are one',
    source: `${guide}/HowItWorks.NamingRulesDataTypes.html#HowItWorks.DataTypes.Number`,
    async see(server) {
      const table = await server.table({
        AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'N' }],
      });
      await table.put({ pk: { N: '1' } });
      return (await table.get({ pk: { N: '1.0' } })) !== undefined;
    },
    seen: { DynamoDB: true, MiniStack: false },
  },
  {
    what: 'An index of several attributes can be queried',
    source: `${guide}/GSI.DesignPattern.MultiAttributeKeys.html`,
    async see(server) {
      const table = await server.table({
        AttributeDefinitions: ['pk', 'a', 'b', 'c'].map(textAttribute),
        GlobalSecondaryIndexes: [
          {
            IndexName: 'Both',
            KeySchema: [
              { AttributeName: 'a', KeyType: 'HASH' },
              { AttributeName: 'b', KeyType: 'HASH' },
              { AttributeName: 'c', KeyType: 'RANGE' },
            ],
            Projection: { ProjectionType: 'ALL' },
          },
        ],
      });
      await table.put({ ...item, b: { S: 'b' }, c: { S: 'c' } });
      return table.queryBoth().catch(nameOf);
    },
    seen: { DynamoDB: 1, dynoxide: 'ValidationException' },
  },
  {
    what: 'Sequence numbers have 21 to 40 digits',
    source: `${api}/API_streams_StreamRecord.html`,
    async see(server) {
      const table = await server.table();
      await table.put(item);
      const [record] = await table.records();
      return /^\d{21,40}$/.test(record?.dynamodb?.SequenceNumber ?? '');
    },
    seen: { DynamoDB: true, dynoxide: false },
  },
];

const item = { pk: { S: 'p' }, a: { S: 'a' } };

function textAttribute(AttributeName: string): AttributeDefinition {
  return { AttributeName, AttributeType: 'S' };
}

export type OpenedServer = ReturnType<typeof openServer>;

/** Makes tables on a server, each with a partition key `pk` and a stream. */
export function openServer(endpoint: string) {
  const settings = { ...loopbackClientSettings(endpoint), maxAttempts: 1 };
  const client = new DynamoDBClient(settings);
  const streams = new DynamoDBStreamsClient(settings);
  let tables = 0;

  async function table(more: Partial<CreateTableCommandInput> = {}) {
    const TableName = `differences-${++tables}`;
    await client.send(
      new CreateTableCommand({
        ...{ TableName, BillingMode: 'PAY_PER_REQUEST' },
        KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
        AttributeDefinitions: [textAttribute('pk')],
        StreamSpecification: { StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' },
        ...more,
      }),
    );
    const Key = { pk: item.pk };
    return {
      put: (Item: Record<string, AttributeValue>) => client.send(new PutItemCommand({ TableName, Item })),
      get: async (key: Record<string, AttributeValue> = Key) =>
        (await client.send(new GetItemCommand({ TableName, Key: key, ConsistentRead: true }))).Item,
      update: (UpdateExpression: string, ExpressionAttributeValues?: Record<string, AttributeValue>) =>
        client.send(new UpdateItemCommand({ TableName, Key, UpdateExpression, ExpressionAttributeValues })),
      /** Sets `a`, on condition of what it was. */
      async statement(before: string, after: string) {
        const Statement = `UPDATE "${TableName}" SET "a"=? WHERE "pk"=? AND "a"=?`;
        const Parameters = [after, item.pk.S, before].map((S) => ({ S }));
        const { Responses } = await client.send(
          new BatchExecuteStatementCommand({ Statements: [{ Statement, Parameters }] }),
        );
        return Responses?.[0]?.Error?.Code;
      },
      async queryBoth() {
        const { Count } = await client.send(
          new QueryCommand({
            ...{ TableName, IndexName: 'Both', KeyConditionExpression: 'a = :a AND b = :b' },
            ExpressionAttributeValues: { ':a': { S: 'a' }, ':b': { S: 'b' } },
          }),
        );
        return Count;
      },
      async records(): Promise<readonly _Record[]> {
        const { Table } = await client.send(new DescribeTableCommand({ TableName }));
        const StreamArn = Table?.LatestStreamArn;
        const { StreamDescription } = await streams.send(new DescribeStreamCommand({ StreamArn }));
        const found: _Record[] = [];
        for (const { ShardId } of StreamDescription?.Shards ?? []) {
          const position = { StreamArn, ShardId, ShardIteratorType: 'TRIM_HORIZON' } as const;
          const { ShardIterator } = await streams.send(new GetShardIteratorCommand(position));
          const { Records = [] } = await streams.send(new GetRecordsCommand({ ShardIterator }));
          found.push(...Records);
        }
        return found;
      },
    };
  }

  return {
    table,
    /** The letters of a list after an update; a dash for anything else. */
    async updatedList(letters: string, expression: string, values?: Record<string, AttributeValue>) {
      const { put, update, get } = await table();
      await put({ ...item, l: { L: [...letters].map((S) => ({ S })) } });
      await update(expression, values);
      return (await get())?.['l']?.L?.map(({ S }) => S ?? '-').join('');
    },
    close() {
      client.destroy();
      streams.destroy();
    },
  };
}
