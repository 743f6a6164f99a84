import { existsSync } from 'node:fs';
import { stackOutputs } from '../../adapters/stack-outputs.ts';
import { UsageError } from '../errors.ts';
import { type ArchiveOptions, type ReadArchive, readArchive } from '../options/archive-where.ts';
import { openConnection, type WhereOptions } from '../options/where.ts';

export interface LookInOptions extends ArchiveOptions, Omit<WhereOptions, 'table'> {}

/** Refuses a folder that is not there: who looks into an archive does not mean to make one. */
export function refuseMissingFolder({ archiveDir }: ArchiveOptions): void {
  if (archiveDir === undefined || existsSync(archiveDir)) return;
  throw new UsageError(
    'usage.archive',
    `Expected --archive-dir to be a folder with an archive, got '${archiveDir}', which does not exist: name another`,
  );
}

/** Opens an archive to look into it, without a table; hands it over, and closes what it needed. */
export async function lookIn(
  options: LookInOptions,
  look: (archive: ReadArchive) => Promise<void>,
): Promise<void> {
  refuseMissingFolder(options);
  const connection = openConnection(options);
  try {
    const stack = options.stack === undefined ? undefined : await stackOutputs(connection, options.stack);
    await look(readArchive(options, { connection, stack }));
  } finally {
    connection.close();
  }
}
