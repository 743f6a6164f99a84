import type { Command } from 'commander';
import { retryingArchive } from '../../adapters/s3/retrying-archive.ts';
import { s3Archive } from '../../adapters/s3/s3-archive.ts';
import { s3ArchiveReader } from '../../adapters/s3/s3-archive-reader.ts';
import { s3Notes } from '../../adapters/s3/s3-notes.ts';
import type { ArchiveNotes, ArchivePort, ArchiveReader } from '../../archive/ports.ts';
import { folderNotes, openArchiveFolder } from '../../dev/archive-folder/archive-folder.ts';
import { archiveFolderReader } from '../../dev/archive-folder/reader.ts';
import type { StorageClass } from '../../model/archive-rule.ts';
import { UsageError } from '../errors.ts';
import type { Where } from './where.ts';

/** What commander reads of the options that say where the archive is. */
export interface ArchiveOptions {
  readonly bucket?: string;
  readonly archiveDir?: string;
}

/** The archive, as those write it who archive, as those read it who look into it, and the notes beside it. */
export interface OpenArchive {
  readonly archive: ArchivePort;
  readonly reader: ArchiveReader;
  readonly notes: ArchiveNotes;
  /** What it is called in messages: `s3://bucket`, or a folder. */
  readonly name: string;
}

/** Adds the options that say where the archive is, for a command that says by {@link withWhere} where the table is. */
export function withArchive(command: Command): Command {
  return command
    .option('--bucket <name>', 'the archive: an S3 bucket (default: the stack’s)')
    .option('--archive-dir <dir>', 'the archive: a folder, such as .denorm of `denorm dev`');
}

/** The archive for those who only look into it, and leave notes. */
export type ReadArchive = Omit<OpenArchive, 'archive'>;

/**
 * Opens the archive that the options name.
 * @param storageClass of what is put and whose rule names none. Default: `GLACIER`
 * @throws UsageError `usage.archive` where they name none, or two
 */
export async function openArchive(
  options: ArchiveOptions,
  where: Pick<Where, 'connection' | 'stack'>,
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
 * The same for those who archive nothing: a folder is left as it is.
 * @throws UsageError as {@link openArchive} does
 */
export function readArchive(
  options: ArchiveOptions,
  where: Pick<Where, 'connection' | 'stack'>,
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

function bucketOf({ bucket }: ArchiveOptions, { stack }: Pick<Where, 'stack'>): string {
  const name = bucket ?? stack?.ArchiveBucketName;
  if (name !== undefined) return name;
  throw new UsageError(
    'usage.archive',
    'Expected --bucket NAME, --archive-dir DIR or --stack NAME, got none of them: name the archive',
  );
}
