import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import type { TableDefinition } from '../../deploy/stack-settings.ts';
import { lastWordsOf } from '../errors.ts';
import { findEmbeddedBinary, servedTable, unwritable } from './embedded-table-server.ts';
import { checkedExport, dataFolder, refused } from './read-export.ts';

export interface ImportOptions {
  /** The folder of an export, copied from S3. */
  readonly from: string;
  readonly tableName: string;
  readonly definition: TableDefinition;
  readonly signal: AbortSignal;
}

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
    const { GlobalSecondaryIndexes, ...others } = servedTable(definition);
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
