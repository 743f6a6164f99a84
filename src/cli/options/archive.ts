import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { archiveFolderReader, folderNotes, openArchiveFolder } from '../../dev/archive-folder.ts';
import { defaultStorageClass, type StorageClass } from '../../model/rules/archive-rule.ts';
import { retryingArchive, s3Archive, s3Notes } from '../../worker/adapters/s3/s3-archive.ts';
import { s3ArchiveReader } from '../../worker/adapters/s3/s3-archive-reader.ts';
import { UsageError } from '../errors.ts';
import type { Services } from './services.ts';
import { makeStateFolder, type StateOptions, stateServedAt, withState } from './state.ts';

export interface ArchiveOptions extends StateOptions {
  readonly bucket?: string;
}

export function withArchive(command: Command): Command {
  return withState(
    command.option('--bucket <name>', 'the archive: an S3 bucket (default: the stack’s)'),
    'the archive: a folder of `denorm dev`, which is meant on this machine',
  );
}

/**
 * @param storageClass for items whose rule does not set a storage class. Default: `STANDARD`
 * @throws UsageError `usage.archive` if the options name no archive, or two; `usage.state-dir` for a folder that cannot be written
 */
export async function openArchive(
  options: ArchiveOptions,
  services: Services,
  storageClass: StorageClass = defaultStorageClass,
) {
  const folder = await folderOf(options, services);
  if (folder !== undefined) {
    makeStateFolder(folder);
    return { ...folderArchive(folder), archive: await openArchiveFolder(folder, storageClass) };
  }
  const location = bucketOf(services);
  return { ...bucketArchive(location), archive: retryingArchive(s3Archive({ ...location, storageClass })) };
}

/**
 * Without write access. A missing folder is refused, and not made.
 * @throws UsageError as {@link openArchive} does
 */
export async function readArchive(options: ArchiveOptions, services: Services) {
  const folder = await folderOf(options, services);
  if (folder === undefined) return bucketArchive(bucketOf(services));
  if (existsSync(join(folder, 'archive'))) return folderArchive(folder);
  throw new UsageError(
    'usage.archive',
    `Expected a folder with an archive, got '${folder}', which ${existsSync(folder) ? 'has none' : 'does not exist'}: name another by --state-dir`,
  );
}

/** The folder that is the archive: that of `denorm dev`, if there is one, where the options name nothing but this machine. */
async function folderOf(options: ArchiveOptions, services: Services): Promise<string | undefined> {
  if (options.stateDir === undefined)
    return services.isDev && services.isLocal ? stateServedAt(options, services) : undefined;
  if (options.bucket === undefined) return options.stateDir;
  throw new UsageError('usage.archive', 'Expected --bucket or --state-dir, got both: leave one out');
}

/** Its name is that in messages: a folder, or `s3://bucket`. */
function folderArchive(folder: string) {
  return { reader: archiveFolderReader(folder), notes: folderNotes(folder), name: folder };
}

function bucketArchive(location: ReturnType<typeof bucketOf>) {
  return { reader: s3ArchiveReader(location), notes: s3Notes(location), name: `s3://${location.bucket}` };
}

function bucketOf({ connection, bucket }: Services) {
  if (bucket !== undefined) return { client: connection.s3, bucket };
  throw new UsageError(
    'usage.archive',
    'Expected --bucket NAME, --state-dir DIR, or --stack or --stage NAME with an archive, got none of them: name the archive, for that of `denorm dev` by its --stage or --endpoint',
  );
}
