import { existsSync } from 'node:fs';
import { mkdtemp, rm, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Linux keeps the files of this directory in memory, so that a write does not wait for a disk. */
const inMemory = '/dev/shm';

/** The room that a directory in memory has to have, in bytes. Containers often have 64 MB there. */
const enough = 2 ** 30;

/** A new database file for one server. */
export interface TemporaryDatabase {
  readonly path: string;
  /** The folder that has only this file. */
  readonly folder: string;
  /**
   * Removes the file's name. A server that has opened the file goes on with it, and the system frees it when that server
   * ends, even by SIGKILL: nothing is left behind. Where the system refuses to remove an open file, call it again when the
   * server has ended.
   */
  remove(): Promise<void>;
}

export async function temporaryDatabase(): Promise<TemporaryDatabase> {
  const folder = await newFolder();
  return {
    path: join(folder, 'table.db'),
    folder,
    remove: () => rm(folder, { recursive: true, force: true }).catch(() => {}),
  };
}

async function newFolder(): Promise<string> {
  const name = 'denorm-table-';
  const onDisk = () => mkdtemp(join(tmpdir(), name));
  if (!existsSync(inMemory)) return onDisk();
  const { bavail, bsize } = await statfs(inMemory);
  return bavail * bsize < enough ? onDisk() : mkdtemp(join(inMemory, name)).catch(onDisk);
}
