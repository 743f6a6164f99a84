import { existsSync } from 'node:fs';
import type { Command } from 'commander';
import { folderNotes, openArchiveFolder } from '../../develop/dev/archive-folder/archive-folder.ts';
import { archiveFolderReader } from '../../develop/dev/archive-folder/reader.ts';
import { defaultStorageClass, type StorageClass } from '../../model/archive-rule.ts';
import { stackOutputs } from '../../operate/adapters/stack-outputs.ts';
import { retryingArchive } from '../../worker/adapters/s3/retrying-archive.ts';
import { s3Archive } from '../../worker/adapters/s3/s3-archive.ts';
import { s3ArchiveReader } from '../../worker/adapters/s3/s3-archive-reader.ts';
import { s3Notes } from '../../worker/adapters/s3/s3-notes.ts';
import type { ArchiveNotes, ArchivePort, ArchiveReader } from '../../worker/archive/ports.ts';
import { namedConnection } from '../../worker/environment.ts';
import { UsageError } from '../errors.ts';
import { meansDevEnvironment, staged } from './stage.ts';
import { openConnection, type Where, type WhereOptions } from './where.ts';

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
    .option(
      '--archive-dir <dir>',
      'the archive: a folder (default on this machine: .denorm, where `denorm dev` keeps it)',
    );
}

/** An archive opened to read items and write notes. */
export type ReadArchive = Omit<OpenArchive, 'archive'>;

/**
 * Opens the archive that the options name.
 * @param storageClass for items whose rule does not set a storage class. Default: `STANDARD`
 * @throws UsageError `usage.archive` if the options name no archive, or two
 */
export async function openArchive(
  options: ArchiveOptions,
  where: Pick<Where, 'connection' | 'bucket'>,
  storageClass: StorageClass = defaultStorageClass,
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
    'Expected --bucket NAME, --archive-dir DIR or --stack NAME, got none of them, or a stack that archives nothing: name the archive',
  );
}

/** The folder in which `denorm dev` keeps its archive. */
const devArchive = '.denorm';

/** Options as given, with the archive of `denorm dev`, if there is one, where they name a place on this machine and no archive. */
export async function orDevArchive<Options extends ArchiveOptions & WhereOptions>(
  given: Options,
): Promise<Options> {
  const named = await staged<ArchiveOptions & WhereOptions>(given);
  const { archiveDir, ...options } = { ...namedConnection(), ...named };
  const isNamed = archiveDir !== undefined || options.endpoint === undefined;
  if (isNamed || !meansDevEnvironment(options) || !existsSync(devArchive)) return given;
  return { ...given, archiveDir: devArchive };
}

/** Options for an archive without a table. */
export interface LookInOptions extends ArchiveOptions, Omit<WhereOptions, 'table'> {}

/** As {@link orDevArchive}, for a command that only reads an archive: a missing folder is refused, and not made. */
export async function existingArchive<Options extends ArchiveOptions & WhereOptions>(
  asked: Options,
): Promise<Options> {
  const options = await orDevArchive(asked);
  const { archiveDir } = options;
  if (archiveDir === undefined || existsSync(archiveDir)) return options;
  throw new UsageError(
    'usage.archive',
    `Expected --archive-dir to be a folder with an archive, got '${archiveDir}', which does not exist: name another`,
  );
}

/** Opens an archive without a table, runs the work, and closes the connection. */
export async function lookIn(
  asked: LookInOptions,
  look: (archive: ReadArchive) => Promise<void>,
): Promise<void> {
  const given = await existingArchive(asked);
  const options = { ...namedConnection(), ...(await staged(given)) };
  const connection = openConnection(options);
  try {
    const stack = options.stack === undefined ? undefined : await stackOutputs(connection, options.stack);
    await look(readArchive(options, { connection, bucket: stack?.ArchiveBucketName }));
  } finally {
    connection.close();
  }
}
