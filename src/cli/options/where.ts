import type { Command } from 'commander';
import { isLoopback, localRegion } from '../../develop/dev/loopback.ts';
import type { TableNames } from '../../model/table-names.ts';
import { type Connection, connect } from '../../operate/adapters/connection.ts';
import { describeTable, type TableDescription } from '../../operate/adapters/dynamodb/describe-table.ts';
import { type StackOutputs, stackOutputs } from '../../operate/adapters/stack-outputs.ts';
import { dynamoDbTable } from '../../worker/adapters/dynamodb/dynamodb-table.ts';
import { namedConnection, namesCredentials } from '../../worker/environment.ts';
import type { TablePort } from '../../worker/ports.ts';
import { UsageError } from '../errors.ts';
import { type Interruption, interruption } from '../interruption.ts';
import { project } from '../project.ts';
import { type StageOptions, staged, withStage } from './stage.ts';

/** Options for the stack or table, as commander parses them. */
export interface WhereOptions extends StageOptions {
  readonly table?: string;
  readonly stack?: string;
  readonly endpoint?: string;
  readonly region?: string;
  readonly profile?: string;
  readonly queueUrl?: string;
  readonly deadLetterQueueUrl?: string;
  readonly globalTableReplica?: true;
}

/** The URLs of the queues, undefined where the options name neither them nor a stack. */
export interface Queues {
  readonly queueUrl: string | undefined;
  readonly deadLetterQueueUrl: string | undefined;
}

/** A table, and its stack if the options name one. */
export interface Where {
  readonly connection: Connection;
  readonly tableName: string;
  readonly table: TablePort;
  /** Undefined if the options name a table instead of a stack. */
  readonly stack: StackOutputs | undefined;
  /** The archive bucket of the stage or stack, if any. */
  readonly bucket: string | undefined;
  readonly queues: Queues;
  close(): void;
}

/** Adds the options for the stack or table, with the same names as in the AWS CLI. */
export function withWhere(command: Command): Command {
  return withConnection(
    command.option(
      '--table <name>',
      'the table (default: the stack’s; `app` if --endpoint is on this machine)',
    ),
  );
}

/** Adds the same options for a command without a table. */
export function withConnection(command: Command): Command {
  return withStage(command)
    .option('--stack <name>', 'a deployed stack, whose table, queues and buckets are used')
    .option('--endpoint <url>', 'endpoint of all services, such as that of `denorm dev` (default: AWS)')
    .option('--region <name>', 'the AWS region (default: as in the AWS CLI)')
    .option('--profile <name>', 'the AWS profile (default: as in the AWS CLI)');
}

/** Adds the option that says how the table marks expiries, where no stack says it. */
export function withReplica(command: Command): Command {
  return command.option(
    '--global-table-replica',
    'the table is a replica of a global table: an item that is removed after its time counts as expired (default: the stack’s)',
  );
}

/**
 * Finds the table that the options name.
 * @throws UsageError if the options name no table or an invalid endpoint, or contradict their stack
 */
export async function openWhere(given: WhereOptions): Promise<Where> {
  const { table } = (await project()).config;
  const options = { ...namedConnection(), ...(await staged(given)) };
  refuseReplica(options);
  const connection = openConnection(options);
  try {
    const stack = options.stack === undefined ? undefined : await stackOutputs(connection, options.stack);
    const tableName = options.table ?? stack?.TableName ?? (isLocal(options) ? 'app' : undefined);
    if (tableName === undefined)
      throw new UsageError(
        'usage.table',
        'Expected --table NAME, --stack NAME or --stage NAME, got none of them: name the table',
      );
    return {
      connection,
      tableName,
      table: dynamoDbTable({ client: connection.dynamoDb, tableName, table }),
      stack,
      bucket: options.bucket ?? stack?.ArchiveBucketName,
      queues: queuesOf(options, stack),
      close: () => connection.close(),
    };
  } catch (error) {
    connection.close();
    throw error;
  }
}

/** @throws UsageError `usage.replica` if the options say about a stack's table what the stack itself says */
export function refuseReplica({ stack, globalTableReplica }: WhereOptions): void {
  if (stack === undefined || globalTableReplica !== true) return;
  throw new UsageError(
    'usage.replica',
    `Expected --global-table-replica only where no stack says whether its table is a replica, got it with --stack ${stack}: leave it out`,
  );
}

/** Opens the table that the options name, runs the work, which can be stopped, and closes the table. */
export async function withOpenWhere(
  options: WhereOptions,
  work: (where: Where, stopping: Interruption) => Promise<void>,
): Promise<void> {
  const where = await openWhere(options);
  const stopping = interruption();
  try {
    await work(where, stopping);
  } finally {
    stopping.end();
    where.close();
  }
}

/** The queues that the options name, or those of the stack. */
export function queuesOf(options: WhereOptions, stack: StackOutputs | undefined): Queues {
  return {
    queueUrl: options.queueUrl ?? stack?.FanOutQueueUrl,
    deadLetterQueueUrl: options.deadLetterQueueUrl ?? stack?.DeadLetterQueueUrl,
  };
}

/** Adds the options that name the queues where there is no stack of this project's template. */
export function withQueues(command: Command): Command {
  return command
    .option('--queue-url <url>', 'the fan-out queue (default: the stack’s)')
    .option('--dead-letter-queue-url <url>', 'the dead-letter queue (default: the stack’s)');
}

/** Describes the table, and prints warnings about missing features to stderr. */
export async function describeWhere(
  { connection, tableName }: Where,
  names: TableNames,
): Promise<TableDescription> {
  const description = await describeTable(connection.dynamoDb, tableName, names);
  if (description.limitation !== undefined) console.error(`denorm: ${description.limitation}`);
  return description;
}

/**
 * Opens clients for the services that the options name. A local server accepts any credentials, so dummy
 * credentials are sent if the environment has none.
 * @throws UsageError `usage.endpoint` for an invalid URL
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
