import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createReadStream, existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import * as z from 'zod';
import type { TableDefinition } from '../../deploy/stack-settings.ts';
import { jsonOrUndefined } from '../../model/basics/parse-json.ts';
import { LocalError, lastWordsOf } from '../errors.ts';
import { Folder } from '../folder.ts';
import { findEmbeddedBinary, unwritable } from './embedded-table-server.ts';

export interface ImportOptions {
  /** The folder of an export, copied from S3. */
  readonly from: string;
  readonly tableName: string;
  readonly definition: TableDefinition;
  readonly signal: AbortSignal;
}

// Source: DynamoDB Developer Guide, "DynamoDB table export output format". The first exports had no type: they were full.
const summarySchema = z.object({
  exportType: z.string().default('FULL_EXPORT'),
  outputFormat: z.string(),
  itemCount: z.int().min(0),
  exportTime: z.string().optional(),
});

/** A line of the list of files, with the MD5 of the compressed file in base64. */
const listedSchema = z.object({ itemCount: z.int(), md5Checksum: z.string(), dataFileS3Key: z.string() });

const dataFolder = 'data';

/**
 * Makes a database file of the embedded server with one table, which has the items of an export, and a stream without records.
 * There is no file before the import is complete.
 * @returns how many items there are, and the time as of which, if the export says it
 * @throws LocalError `import.refused` if the export is not whole, or does not fit the table
 */
export async function importExport(file: string, options: ImportOptions) {
  const { from, tableName, definition, signal } = options;
  if (existsSync(file))
    throw refused(
      '--db-path to name a new file for what --import imports',
      `${file}, which exists`,
      'leave --import out to continue with that table, or name another file',
    );
  const { items, at } = await checkedExport(from, signal);
  const folder = await mkdtemp(`${resolve(file)}.importing-`).catch((error: unknown) => {
    throw unwritable(file, error);
  });
  try {
    const [source, schema, output] = [join(folder, 'source'), join(folder, 'schema'), join(folder, 'table')];
    // The program knows a table's export by the name of its folder.
    await mkdir(join(source, tableName), { recursive: true });
    await symlink(resolve(from, dataFolder), join(source, tableName, dataFolder), 'junction');
    const { GlobalSecondaryIndexes, ...others } = definition;
    const Table = {
      TableName: tableName,
      ...others,
      // DynamoDB refuses a list without one.
      ...(GlobalSecondaryIndexes.length > 0 && { GlobalSecondaryIndexes }),
      StreamSpecification: { StreamEnabled: true, ...definition.StreamSpecification },
    };
    await writeFile(schema, JSON.stringify({ Table }));
    const said = await importing(['--source', source, '--schema', schema, '--output', output], signal);
    const [imported = '0', skipped = '0'] = [/Items: +(\d+)/, /Skipped: +(\d+)/].map(
      (one) => one.exec(said)?.[1],
    );
    if (Number(imported) !== items || Number(skipped) > 0)
      throw refused(
        `${items} items in ${dataFolder}`,
        `${imported}, and ${skipped} lines without one${firstSkipped(said)}`,
      );
    await rename(output, file);
    return { items, at };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Compares an export with its manifest. */
async function checkedExport(path: string, signal: AbortSignal) {
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
  for (const line of (await read('manifest-files.json')).split('\n').filter((text) => text !== '')) {
    const listed = listedSchema.safeParse(jsonOrUndefined(line)).data;
    if (listed === undefined)
      throw refused('a file of the export in each line of manifest-files.json', 'another line');
    const name = join(dataFolder, basename(listed.dataFileS3Key));
    const found = await md5Of(join(path, name), signal);
    if (found !== listed.md5Checksum) throw refused(`${name} to have the MD5 ${listed.md5Checksum}`, found);
    items += listed.itemCount;
  }
  if (items !== itemCount)
    throw refused(`manifest-files.json to list files with ${itemCount} items`, `${items}`);
  return { items, at: exportTime };
}

async function md5Of(file: string, signal: AbortSignal): Promise<string> {
  if (!existsSync(file)) return 'no file';
  const hash = createHash('md5');
  for await (const chunk of createReadStream(file, { signal })) hash.update(chunk);
  return hash.digest('base64');
}

/** The place of the first line without an item; why it has none may quote it. */
function firstSkipped(said: string): string {
  const [, line] = /^ +- .*?([^/\\]+:\d+): /m.exec(said) ?? [];
  return line === undefined ? '' : `, the first at ${line}`;
}

/** The reasons about an item that quote nothing of it but the names of keys and indexes. */
const named =
  /(Missing the key .*|Type mismatch for .*[Kk]ey .*|The AttributeValue for a key attribute cannot .*)$/m;

/** @returns what the program says: counts */
async function importing(args: readonly string[], signal: AbortSignal): Promise<string> {
  try {
    const { stdout, stderr } = await promisify(execFile)(findEmbeddedBinary(), ['import', ...args], {
      signal,
    });
    return stdout + stderr;
  } catch (error) {
    const said = lastWordsOf(error).replace(/^error: /, '');
    const [ofItem, reason = ''] = /^Batch import error for '[^']*': ([^:]*)/.exec(said) ?? [];
    const todo = 'name an export of this table, or correct the names of its keys in denorm.config.ts';
    const found =
      ofItem === undefined ? said : (named.exec(said)?.[1] ?? `an item of which it says: ${reason}`);
    throw refused('items with the keys and indexes of denorm.config.ts', found, todo);
  }
}

function refused(expected: string, found: string, todo = 'copy the export from S3 again, whole'): LocalError {
  return new LocalError('import.refused', `Expected ${expected}, found ${found}: ${todo}`);
}
