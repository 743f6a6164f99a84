import {
  CreateTableCommand,
  DescribeTableCommand,
  DynamoDBClient,
  type TableDescription,
  waitUntilTableExists,
} from '@aws-sdk/client-dynamodb';
import type { TableDefinition } from '../../deploy/stack-settings.ts';
import { difference, tableDifferences } from '../../model/items/table-differences.ts';
import { LocalError, messageOf, nameOf } from '../errors.ts';
import { loopbackClientSettings } from '../loopback.ts';

/**
 * Creates the table as the stack defines it, with its stream, if no table has that name. An existing table is not changed. TTL is
 * not enabled: the dev environment expires items itself.
 * @returns the ARN of its stream
 * @throws LocalError `table.other-shape` if keys, indexes or stream of the existing table differ,
 * `table.unreachable` if no DynamoDB answers
 */
export async function createTable(
  endpoint: string,
  name: string,
  definition: TableDefinition,
): Promise<string> {
  const client = new DynamoDBClient(loopbackClientSettings(endpoint));
  try {
    const table = (await describe(client, name)) ?? (await make(client, name, definition)) ?? {};
    const { StreamEnabled, StreamViewType: view } = table.StreamSpecification ?? {};
    const { StreamViewType } = definition.StreamSpecification;
    const differences = [
      ...tableDifferences(definition, table),
      ...difference('stream', (StreamEnabled && view) || 'none', StreamViewType),
    ];
    if (table.LatestStreamArn !== undefined && differences.length === 0) return table.LatestStreamArn;
    throw new LocalError(
      'table.other-shape',
      `Expected the table ${name} to be as denorm.config.ts defines it, got a table of another shape ` +
        `(${differences.join('; ') || 'no stream'}): name another table, or remove that one.`,
    );
  } catch (error) {
    if (error instanceof LocalError) throw error;
    throw new LocalError(
      'table.unreachable',
      `Expected a DynamoDB at ${endpoint} that serves the table ${name}, got: ${messageOf(error) || nameOf(error)}: ` +
        `start that DynamoDB, or check the endpoint and the table's name`,
      error,
    );
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
): Promise<TableDescription | undefined> {
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
  return describe(client, name);
}
