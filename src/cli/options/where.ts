import { existsSync } from 'node:fs';
import type { Command } from 'commander';
import { type Connection, connect } from '../../adapters/connection.ts';
import { describeTable, type TableDescription } from '../../adapters/dynamodb/describe-table.ts';
import { dynamoDbTable } from '../../adapters/dynamodb/dynamodb-table.ts';
import { retryingArchive } from '../../adapters/s3/retrying-archive.ts';
import { s3Archive } from '../../adapters/s3/s3-archive.ts';
import { s3ArchiveReader } from '../../adapters/s3/s3-archive-reader.ts';
import { s3Notes } from '../../adapters/s3/s3-notes.ts';
import { type StackOutputs, stackOutputs } from '../../adapters/stack-outputs.ts';
import type { ArchiveNotes, ArchivePort, ArchiveReader } from '../../archive/ports.ts';
import { folderNotes, openArchiveFolder } from '../../dev/archive-folder/archive-folder.ts';
import { archiveFolderReader } from '../../dev/archive-folder/reader.ts';
import { isLoopback, localRegion } from '../../dev/loopback.ts';
import { namedConnection, namesCredentials } from '../../environment.ts';
import type { StorageClass } from '../../model/archive-rule.ts';
import type { TableNames } from '../../model/table-names.ts';
import type { TablePort } from '../../ports.ts';
import { UsageError } from '../errors.ts';
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

/**
 * Finds the table that the options name.
 * @throws UsageError if the options name no table, or an invalid endpoint
 */
export async function openWhere(given: WhereOptions): Promise<Where> {
  const { table } = (await project()).config;
  const options = { ...namedConnection(), ...(await staged(given)) };
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

/** Options for the archive, as commander parses them. */
export interface ArchiveOptions {
  readonly bucket?: string;
  readonly archiveDir?: string;
}

/** An open archive: its write access, its read access, and its notes. */
export interface OpenArchive {
  readonly archive: ArchivePort;
  readonly reader: ArchiveReader;
  readonly notes: ArchiveNotes;
  /** Its name in messages: `s3://bucket`, or a folder. */
  readonly name: string;
}

/** Adds the options for the archive, for a command that also uses {@link withWhere}. */
export function withArchive(command: Command): Command {
  return command
    .option('--bucket <name>', 'the archive: an S3 bucket (default: the stack’s)')
    .option('--archive-dir <dir>', 'the archive: a folder, such as .denorm of `denorm dev`');
}

/** An archive opened to read items and write notes. */
export type ReadArchive = Omit<OpenArchive, 'archive'>;

/**
 * Opens the archive that the options name.
 * @param storageClass for items whose rule does not set a storage class. Default: `GLACIER`
 * @throws UsageError `usage.archive` if the options name no archive, or two
 */
export async function openArchive(
  options: ArchiveOptions,
  where: Pick<Where, 'connection' | 'bucket'>,
  storageClass: StorageClass = 'GLACIER',
): Promise<OpenArchive> {
  const read = readArchive(options, where);
  const archive =
    options.archiveDir === undefined
      ? retryingArchive(
          s3Archive({ client: where.connection.s3, bucket: bucketOf(options, where), storageClass }),
        )
      : await openArchiveFolder(options.archiveDir, { storageClass });
  return { ...read, archive };
}

/**
 * Opens an archive without write access. A folder is left as it is.
 * @throws UsageError as {@link openArchive} does
 */
export function readArchive(
  options: ArchiveOptions,
  where: Pick<Where, 'connection' | 'bucket'>,
): ReadArchive {
  const { bucket: named, archiveDir } = options;
  if (named !== undefined && archiveDir !== undefined)
    throw new UsageError('usage.archive', 'Expected --bucket or --archive-dir, got both: leave one out');
  if (archiveDir !== undefined)
    return { reader: archiveFolderReader(archiveDir), notes: folderNotes(archiveDir), name: archiveDir };
  const bucket = bucketOf(options, where);
  const location = { client: where.connection.s3, bucket };
  return { reader: s3ArchiveReader(location), notes: s3Notes(location), name: `s3://${bucket}` };
}

function bucketOf({ bucket }: ArchiveOptions, where: Pick<Where, 'bucket'>): string {
  const name = bucket ?? where.bucket;
  if (name !== undefined) return name;
  throw new UsageError(
    'usage.archive',
    'Expected --bucket NAME, --archive-dir DIR or --stack NAME, got none of them: name the archive',
  );
}

/** Options for an archive without a table. */
export interface LookInOptions extends ArchiveOptions, Omit<WhereOptions, 'table'> {}

/** Rejects a missing folder, so that a command that only reads an archive does not create it. */
export function refuseMissingFolder({ archiveDir }: ArchiveOptions): void {
  if (archiveDir === undefined || existsSync(archiveDir)) return;
  throw new UsageError(
    'usage.archive',
    `Expected --archive-dir to be a folder with an archive, got '${archiveDir}', which does not exist: name another`,
  );
}

/** Opens an archive without a table, runs the work, and closes the connection. */
export async function lookIn(
  given: LookInOptions,
  look: (archive: ReadArchive) => Promise<void>,
): Promise<void> {
  refuseMissingFolder(given);
  const options = { ...namedConnection(), ...(await staged(given)) };
  const connection = openConnection(options);
  try {
    const stack = options.stack === undefined ? undefined : await stackOutputs(connection, options.stack);
    await look(readArchive(options, { connection, bucket: stack?.ArchiveBucketName }));
  } finally {
    connection.close();
  }
}
