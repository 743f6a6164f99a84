import type { Command } from 'commander';
import { type Connection, connect } from '../../adapters/connection.ts';
import { describeTable, type TableDescription } from '../../adapters/dynamodb/describe-table.ts';
import { dynamoDbTable } from '../../adapters/dynamodb/dynamodb-table.ts';
import { type StackOutputs, stackOutputs } from '../../adapters/stack-outputs.ts';
import { namesCredentials } from '../../config.ts';
import { isLoopback, localRegion } from '../../dev/loopback.ts';
import type { TableNames } from '../../model/table-names.ts';
import type { TablePort } from '../../ports.ts';
import { table } from '../../table.ts';
import { UsageError } from '../errors.ts';

/** What commander reads of the options that say where. */
export interface WhereOptions {
  readonly table?: string;
  readonly stack?: string;
  readonly endpoint?: string;
  readonly region?: string;
  readonly profile?: string;
}

/** A place to work in: a table, and the stack around it where one was named. */
export interface Where {
  readonly connection: Connection;
  readonly tableName: string;
  readonly table: TablePort;
  /** Undefined where a table was named, and no stack. */
  readonly stack: StackOutputs | undefined;
  close(): void;
}

/** Adds the options that say where, spelt as the AWS CLI spells them. */
export function withWhere(command: Command): Command {
  return withConnection(
    command.option(
      '--table <name>',
      'the table (default: the stack’s; `app` if --endpoint is on this machine)',
    ),
  );
}

/** The same for a command that works on no table. */
export function withConnection(command: Command): Command {
  return command
    .option('--stack <name>', 'a deployed stack, whose table, queues and buckets are used')
    .option('--endpoint <url>', 'endpoint of all services, such as that of `denorm dev` (default: AWS)')
    .option('--region <name>', 'the AWS region (default: as in the AWS CLI)')
    .option('--profile <name>', 'the AWS profile (default: as in the AWS CLI)');
}

/**
 * Finds the table that the options name.
 * @throws UsageError where they name none, or an endpoint that is none
 */
export async function openWhere(options: WhereOptions): Promise<Where> {
  const connection = openConnection(options);
  try {
    const stack = options.stack === undefined ? undefined : await stackOutputs(connection, options.stack);
    const tableName = options.table ?? stack?.TableName ?? (isLocal(options) ? 'app' : undefined);
    if (tableName === undefined)
      throw new UsageError(
        'usage.table',
        'Expected --table NAME or --stack NAME, got neither: name the table',
      );
    return {
      connection,
      tableName,
      table: dynamoDbTable({ client: connection.dynamoDb, tableName, table }),
      stack,
      close: () => connection.close(),
    };
  } catch (error) {
    connection.close();
    throw error;
  }
}

/** Describes the table, and prints to stderr what does not work on it. */
export async function describeWhere(
  { connection, tableName }: Where,
  names: TableNames,
): Promise<TableDescription> {
  const description = await describeTable(connection.dynamoDb, tableName, names);
  if (description.limitation !== undefined) console.error(`denorm: ${description.limitation}`);
  return description;
}

/**
 * The services that the options name. A server on this machine takes any credentials: where the environment names none,
 * dummies are sent, so that real ones need not be there.
 * @throws UsageError `usage.endpoint` where the endpoint is no URL
 */
export function openConnection(options: WhereOptions): Connection {
  const { endpoint, region, profile } = options;
  if (endpoint !== undefined && !/^https?:$/.test(URL.parse(endpoint)?.protocol ?? ''))
    throw new UsageError(
      'usage.endpoint',
      `Expected --endpoint to be a URL such as http://127.0.0.1:8000, got '${endpoint}'`,
    );
  const dummies = isLocal(options) && profile === undefined && !namesCredentials();
  return connect({
    ...(endpoint !== undefined && { endpoint }),
    ...(profile !== undefined && { profile }),
    ...(region !== undefined ? { region } : isLocal(options) && { region: localRegion }),
    ...(dummies && { credentials: { accessKeyId: 'local', secretAccessKey: 'local' } }),
  });
}

function isLocal({ endpoint }: WhereOptions): boolean {
  return endpoint !== undefined && isLoopback(endpoint);
}
