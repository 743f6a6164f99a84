import type { Command } from 'commander';
import { isLoopback, localRegion } from '../../dev/loopback.ts';
import type { TableNames } from '../../model/items/table-names.ts';
import type { Stage } from '../../model/rules/config.ts';
import { type Connection, connect } from '../../operate/adapters/connection.ts';
import { describeTable, type TableDescription } from '../../operate/adapters/dynamodb/describe-table.ts';
import { stackOutputs } from '../../operate/adapters/stack-outputs.ts';
import { dynamoDbTable } from '../../worker/adapters/dynamodb/dynamodb-table.ts';
import { namedConnection, namesCredentials } from '../environment.ts';
import { UsageError } from '../errors.ts';
import { type Interruption, interruption } from '../interruption.ts';
import { warn } from '../output/terminal.ts';
import { project } from '../project.ts';
import { devTableName, meansDevEnvironment, type StageOptions, staged, withStage } from './stage.ts';

export interface ServiceOptions extends StageOptions, Omit<Stage, 'parameters' | 'disabled'> {
  readonly globalTableReplica?: true;
}

export type Services = Readonly<Awaited<ReturnType<typeof openServices>>>;
export type TableServices = Readonly<Awaited<ReturnType<typeof openTableServices>>>;

export function withTableOptions(command: Command): Command {
  return withConnection(
    command.option(
      '--table <name>',
      'the table (default: the stack’s; that of `denorm dev` if --endpoint is on this machine)',
    ),
  );
}

export function withConnection(command: Command): Command {
  return withTableConnection(
    withStage(command).option('--stack <name>', 'a deployed stack, whose table, queues and buckets are used'),
  );
}

/** Where AWS is, for commands without a project. */
export function withTableConnection(command: Command): Command {
  return command
    .option('--endpoint <url>', 'endpoint of all services, such as that of `denorm dev` (default: AWS)')
    .option('--region <name>', 'the AWS region (default: as in the AWS CLI)')
    .option('--profile <name>', 'the AWS profile (default: as in the AWS CLI)');
}

export function withReplica(command: Command): Command {
  return command.option(
    '--global-table-replica',
    'the table is a replica of a global table: an item that is removed after its time counts as expired (default: the stack’s)',
  );
}

/** @throws UsageError if the options name an invalid endpoint, or contradict their stack */
export async function openServices(given: ServiceOptions) {
  const named = await staged(given);
  const options: ServiceOptions = { ...namedConnection(), ...named };
  const { stack: stackName, globalTableReplica } = options;
  if (stackName !== undefined && globalTableReplica === true)
    throw new UsageError(
      'usage.replica',
      `Expected --global-table-replica only where no stack says whether its table is a replica, got it with --stack ${stackName}: leave it out`,
    );
  const connection = openConnection(options);
  try {
    const stack = stackName === undefined ? undefined : await stackOutputs(connection, stackName);
    const local = isLocal(options) ? await devTableName() : undefined;
    return {
      connection,
      stack,
      stackName,
      /** Whether options and stage name nothing but what `denorm dev` may have on this machine. */
      isDev: meansDevEnvironment(named),
      /** Whether the endpoint is on this machine. */
      isLocal: isLocal(options),
      tableName: options.table ?? stack?.TableName ?? local,
      bucket: options.bucket ?? stack?.ArchiveBucketName,
      endpoint: options.endpoint,
      queueUrl: options.queueUrl ?? stack?.FanOutQueueUrl,
      deadLetterQueueUrl: options.deadLetterQueueUrl ?? stack?.DeadLetterQueueUrl,
      close: () => connection.close(),
    };
  } catch (error) {
    connection.close();
    throw error;
  }
}

/** @throws UsageError as {@link openServices} does, and `usage.table` if the options name no table */
export async function openTableServices(given: ServiceOptions) {
  const services = await openServices(given);
  const { tableName, connection } = services;
  if (tableName !== undefined) {
    const { table } = (await project()).config;
    return {
      ...services,
      tableName,
      table: dynamoDbTable({ client: connection.dynamoDb, tableName, table }),
    };
  }
  services.close();
  throw new UsageError(
    'usage.table',
    'Expected --table NAME, --stack NAME or --stage NAME, got none of them: name the table',
  );
}

export async function usingServices<Opened extends Services>(
  opening: Promise<Opened>,
  work: (services: Opened, stopping: Interruption) => Promise<void>,
): Promise<void> {
  const services = await opening;
  const stopping = interruption();
  try {
    await work(services, stopping);
  } finally {
    stopping.end();
    services.close();
  }
}

export async function usingTable(
  options: ServiceOptions,
  work: (services: TableServices, stopping: Interruption) => Promise<void>,
): Promise<void> {
  await usingServices(openTableServices(options), work);
}

/** Warns of missing features. */
export async function describedTable(
  { connection, tableName }: TableServices,
  names: TableNames,
): Promise<TableDescription> {
  const description = await describeTable(connection.dynamoDb, tableName, names);
  if (description.limitation !== undefined) warn(description.limitation);
  return description;
}

/**
 * A local server accepts any credentials, so dummy credentials are sent if the environment has none.
 * @throws UsageError `usage.endpoint` for an invalid URL
 */
export function openConnection(options: ServiceOptions): Connection {
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

function isLocal({ endpoint }: ServiceOptions): boolean {
  return endpoint !== undefined && isLoopback(endpoint);
}
