import { randomUUID } from 'node:crypto';
import { rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { makeFolder } from '../archive-folder/files.ts';
import type { OnFailureRecord } from './on-failure-record.ts';

/**
 * Writes each batch that was given up as a file below `<directory>/on-failure`, named as Lambda names objects in a
 * bucket, the function's name in place of the mapping's id. A file is there whole or not at all.
 * Source: Lambda Developer Guide, `aws/lambda/<mapping>/<shard>/YYYY/MM/DD/YYYY-MM-DDTHH.MM.SS-<UUID>`.
 * @returns what writes one record, and resolves to the path of its file
 */
export function onFailureFolder(directory: string) {
  return async (record: OnFailureRecord, functionName: string): Promise<string> => {
    const [day = '', time = ''] = record.timestamp.split('T');
    const [year = '', month = '', date = ''] = day.split('-');
    const name = `${day}T${time.slice(0, 8).replaceAll(':', '.')}-${randomUUID()}`;
    const { shardId } = record.DDBStreamBatchInfo;
    const path = join(
      directory,
      'on-failure',
      'aws',
      'lambda',
      functionName,
      shardId,
      year,
      month,
      date,
      name,
    );
    await makeFolder(dirname(path));
    await writeFile(`${path}.part`, JSON.stringify(record, undefined, 2));
    await rename(`${path}.part`, path);
    return path;
  };
}
