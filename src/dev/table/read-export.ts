import { createHash } from 'node:crypto';
import { createReadStream, existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import { createInterface } from 'node:readline';
import { createGunzip } from 'node:zlib';
import * as z from 'zod';
import { jsonOrUndefined } from '../../model/basics/parse-json.ts';
import { isObject } from '../../model/basics/type-of.ts';
import { readItem } from '../../model/items/dynamodb-json.ts';
import type { Item } from '../../model/items/item.ts';
import { LocalError } from '../errors.ts';
import { Folder } from '../folder.ts';

// Source: DynamoDB Developer Guide, "DynamoDB table export output format". The first exports had no type: they were full.
const summarySchema = z.object({
  exportType: z.string().default('FULL_EXPORT'),
  outputFormat: z.string(),
  itemCount: z.int().min(0),
  exportTime: z.string().optional(),
});

/** A line of the list of files, with the MD5 of the compressed file in base64. */
const listedSchema = z.object({ itemCount: z.int(), md5Checksum: z.string(), dataFileS3Key: z.string() });

export const dataFolder = 'data';

/**
 * Compares an export with its manifest.
 * @returns how many items it has, the time as of which, if it says it, and its files
 * @throws LocalError `import.refused` if it is not whole, or another sort of export
 */
export async function checkedExport(path: string, signal: AbortSignal) {
  const read = async (name: string) => (await new Folder(path).read(name))?.toString() ?? '';
  const summary = summarySchema.safeParse(jsonOrUndefined(await read('manifest-summary.json'))).data;
  if (summary === undefined)
    throw refused(
      `${path} to be the folder of a finished export, with manifest-summary.json, manifest-files.json and ${dataFolder}`,
      'no manifest-summary.json, or another one',
      'copy it with `aws s3 cp --recursive s3://<bucket>/<prefix>/AWSDynamoDB/<export ID>/ <folder>`',
    );
  const { exportType, outputFormat, itemCount, exportTime } = summary;
  if (exportType !== 'FULL_EXPORT' || outputFormat !== 'DYNAMODB_JSON')
    throw refused(
      'a full export in the format DYNAMODB_JSON',
      `${exportType} in ${outputFormat}`,
      'export the table with `aws dynamodb export-table-to-point-in-time --export-format DYNAMODB_JSON`, without --export-type',
    );
  let items = 0;
  const files: string[] = [];
  for (const line of (await read('manifest-files.json')).split('\n').filter((text) => text !== '')) {
    const listed = listedSchema.safeParse(jsonOrUndefined(line)).data;
    if (listed === undefined)
      throw refused('a file of the export in each line of manifest-files.json', 'another line');
    const name = join(dataFolder, basename(listed.dataFileS3Key));
    const found = await md5Of(join(path, name), signal);
    if (found !== listed.md5Checksum) throw refused(`${name} to have the MD5 ${listed.md5Checksum}`, found);
    items += listed.itemCount;
    files.push(join(path, name));
  }
  if (items !== itemCount)
    throw refused(`manifest-files.json to list files with ${itemCount} items`, `${items}`);
  return { items, at: exportTime, files };
}

async function md5Of(file: string, signal: AbortSignal): Promise<string> {
  if (!existsSync(file)) return 'no file';
  const hash = createHash('md5');
  for await (const chunk of createReadStream(file, { signal })) hash.update(chunk);
  return hash.digest('base64');
}

/** The items of one of its files. Lines without an item are left out. */
export async function* itemsOfFile(file: string): AsyncGenerator<Item> {
  const lines = createInterface({ input: createReadStream(file).pipe(createGunzip()), crlfDelay: Infinity });
  for await (const line of lines) {
    const json = jsonOrUndefined(line);
    const item = isObject(json) ? readItem(json['Item']) : undefined;
    if (item !== undefined) yield item;
  }
}

export function refused(
  expected: string,
  found: string,
  todo = 'copy the export from S3 again, whole',
): LocalError {
  return new LocalError('import.refused', `Expected ${expected}, found ${found}: ${todo}`);
}
