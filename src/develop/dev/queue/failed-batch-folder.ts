import { readdir, rm } from 'node:fs/promises';
import { join, relative } from 'node:path';
import type { FailedBatches } from '../../../operate/dead-letters/failed-batch.ts';
import { codeOf, fromFolder, readIfThere } from '../archive-folder/files.ts';

/** The batches that `denorm dev` gave up: the files in a folder such as `.denorm/on-failure`. */
export function failedBatchFolder(folder: string): FailedBatches {
  return {
    name: folder,
    async *keys() {
      for (const path of await filesBelow(folder)) yield path;
    },
    async read(key) {
      try {
        return (await readIfThere(join(folder, key)))?.toString();
      } catch (error) {
        throw fromFolder(error, `read ${key} in '${folder}'`);
      }
    },
    async remove(key) {
      try {
        await rm(join(folder, key), { force: true });
      } catch (error) {
        throw fromFolder(error, `remove ${key} from '${folder}'`);
      }
    },
  };
}

/** Paths relative to the folder, sorted, without files that are being written. */
async function filesBelow(folder: string): Promise<string[]> {
  try {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true });
    return entries
      .filter((entry) => entry.isFile() && !entry.name.endsWith('.part'))
      .map(({ parentPath, name }) => relative(folder, join(parentPath, name)))
      .sort();
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return [];
    throw fromFolder(error, `list the failed batches in '${folder}'`);
  }
}
