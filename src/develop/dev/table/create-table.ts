import {
  CreateTableCommand,
  DescribeTableCommand,
  DynamoDBClient,
  type KeySchemaElement,
  ScanCommand,
  type TableDescription,
  UpdateTableCommand,
  UpdateTimeToLiveCommand,
  waitUntilTableExists,
} from '@aws-sdk/client-dynamodb';
import type { TableDefinition } from '../../../deploy/stack-settings.ts';
import { difference, keyText } from '../../../operate/adapters/dynamodb/key-schema.ts';
import { LocalError, messageOf, nameOf } from '../errors.ts';
import { loopbackClientSettings } from '../loopback.ts';

export interface LocalTable {
  readonly name: string;
  readonly streamArn: string;
  /** Whether this call created it. */
  readonly made: boolean;
}

/**
 * Creates the table as the stack defines it, with stream and TTL, if no table has that name. An existing
 * table is not changed, except that an empty one without a stream, left by an interrupted creation, gets one.
 * @param endpoint a local DynamoDB
 * @throws LocalError `table.other-shape` if keys, indexes or stream of the existing table differ,
 * `table.unreachable` if no DynamoDB answers
 */
export async function createTable(
  endpoint: string,
  name: string,
  definition: TableDefinition,
): Promise<LocalTable> {
  const client = new DynamoDBClient(loopbackClientSettings(endpoint));
  try {
    const found = await describe(client, name);
    const table =
      found === undefined
        ? await make(client, name, definition)
        : await finish(client, name, found, definition);
    const differences = shapeDifferences(definition, table);
    if (table.LatestStreamArn !== undefined && differences.length === 0) {
      return { name, streamArn: table.LatestStreamArn, made: found === undefined };
    }
    throw new LocalError(
      'table.other-shape',
      `Expected the table ${name} to be as denorm.config.ts defines it, got a table of another shape ` +
        `(${differences.join('; ') || 'no stream'}): name another table, or remove that one.`,
    );
  } catch (error) {
    throw error instanceof LocalError ? error : unreachable(endpoint, name, error);
  } finally {
    client.destroy();
  }
}

async function describe(client: DynamoDBClient, name: string): Promise<TableDescription | undefined> {
  try {
    return (await client.send(new DescribeTableCommand({ TableName: name }))).Table;
  } catch (error) {
    if (nameOf(error) === 'ResourceNotFoundException') return undefined;
    throw error;
  }
}

async function make(
  client: DynamoDBClient,
  name: string,
  definition: TableDefinition,
): Promise<TableDescription> {
  const indexes = definition.GlobalSecondaryIndexes;
  await client.send(
    new CreateTableCommand({
      TableName: name,
      BillingMode: 'PAY_PER_REQUEST',
      KeySchema: definition.KeySchema,
      AttributeDefinitions: definition.AttributeDefinitions,
      ...(indexes.length === 0 ? {} : { GlobalSecondaryIndexes: indexes }),
      StreamSpecification: { StreamEnabled: true, ...definition.StreamSpecification },
    }),
  );
  await waitUntilTableExists({ client, maxWaitTime: 60, minDelay: 1 }, { TableName: name });
  await expire(client, name, definition.TimeToLiveSpecification?.AttributeName);
  return (await describe(client, name)) ?? {};
}

/** Adds the stream to an empty table that lacks nothing else. */
async function finish(
  client: DynamoDBClient,
  name: string,
  found: TableDescription,
  definition: TableDefinition,
): Promise<TableDescription> {
  const StreamSpecification = { StreamEnabled: true, ...definition.StreamSpecification };
  const lacksMore = shapeDifferences(definition, { ...found, StreamSpecification }).length > 0;
  if (found.StreamSpecification?.StreamEnabled || lacksMore) return found;
  const { Count } = await client.send(new ScanCommand({ TableName: name, Limit: 1 }));
  if (Count !== 0) return found;
  await client.send(new UpdateTableCommand({ TableName: name, StreamSpecification }));
  await expire(client, name, definition.TimeToLiveSpecification?.AttributeName);
  return (await describe(client, name)) ?? {};
}

/** Enables TTL. A server without TTL is fine too, because the dev environment expires items itself. */
async function expire(client: DynamoDBClient, name: string, attribute: string | undefined): Promise<void> {
  if (attribute === undefined) return;
  const specification = { Enabled: true, AttributeName: attribute };
  try {
    await client.send(
      new UpdateTimeToLiveCommand({ TableName: name, TimeToLiveSpecification: specification }),
    );
  } catch (error) {
    if (nameOf(error) !== 'UnknownOperationException') throw error;
  }
}

function unreachable(endpoint: string, name: string, error: unknown): LocalError {
  return new LocalError(
    'table.unreachable',
    `Expected a DynamoDB at ${endpoint} that serves the table ${name}, got: ${messageOf(error) || nameOf(error)}: ` +
      `start that DynamoDB, or check the endpoint and the table's name`,
    error,
  );
}

/**
 * Differences between a table and its definition that cannot be changed later: keys with their types, indexes
 * with keys and projection, and the stream's images. One phrase for each difference; empty if there are none.
 * Additional indexes of the table are ignored.
 */
export function shapeDifferences(definition: TableDefinition, table: TableDescription): readonly string[] {
  const expected = (schema: TableDefinition['KeySchema']) => keyText(schema, definition.AttributeDefinitions);
  const found = (schema: KeySchemaElement[] | undefined) => keyText(schema, table.AttributeDefinitions);
  const stream = table.StreamSpecification?.StreamEnabled
    ? table.StreamSpecification.StreamViewType
    : undefined;
  return [
    difference('key', found(table.KeySchema), expected(definition.KeySchema)),
    ...definition.GlobalSecondaryIndexes.flatMap(({ IndexName: name, KeySchema, Projection }) => {
      const index = table.GlobalSecondaryIndexes?.find(({ IndexName }) => IndexName === name);
      if (index === undefined) return `no index ${name}`;
      const projections = [projectionText(index.Projection), projectionText(Projection)] as const;
      return [
        difference(`index ${name} with key`, found(index.KeySchema), expected(KeySchema)),
        difference(`index ${name} with projection`, ...projections),
      ];
    }),
    difference('stream', stream ?? 'none', definition.StreamSpecification.StreamViewType),
  ].filter((text) => text !== undefined);
}

function projectionText(
  projection: { ProjectionType?: string | undefined; NonKeyAttributes?: string[] | undefined } | undefined,
): string {
  const attributes = [...(projection?.NonKeyAttributes ?? [])].sort();
  return [projection?.ProjectionType ?? '?', ...attributes].join(' ');
}
