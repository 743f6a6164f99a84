import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { TableDefinition } from '../../../deploy/stack-settings.ts';
import { LocalError } from '../errors.ts';
import { findEmbeddedBinary, unwritable } from './embedded-table-server.ts';
import { checkedExport, damaged, dataFolder, type TableExport } from './table-export.ts';

export interface ImportOptions {
  /** The export's folder. */
  readonly from: string;
  readonly tableName: string;
  readonly definition: TableDefinition;
  readonly signal: AbortSignal;
}

/**
 * Makes a database file of the embedded server with one table, which has the items of an export, and a stream without records.
 * There is no file before the import is complete.
 * @throws LocalError `import.refused` if an item does not fit the table, and those of {@link checkedExport}
 */
export async function importExport(file: string, options: ImportOptions): Promise<TableExport> {
  const { from, tableName, definition, signal } = options;
  const checked = await checkedExport(from, signal);
  const folder = await mkdtemp(`${resolve(file)}.importing-`).catch((error: unknown) => {
    throw unwritable(file, error);
  });
  try {
    const source = join(folder, 'source');
    const schema = join(folder, 'schema.json');
    const output = join(folder, 'table.db');
    // The program knows a table's export by the name of its folder.
    await mkdir(join(source, tableName), { recursive: true });
    await symlink(resolve(from, dataFolder), join(source, tableName, dataFolder), 'junction');
    const Table = { TableName: tableName, ...streamed(definition) };
    await writeFile(schema, JSON.stringify({ Table }));
    const said = await importing(['--source', source, '--schema', schema, '--output', output], signal);
    const [imported, skipped] = [countIn(said, 'Items'), countIn(said, 'Skipped')];
    if (imported !== checked.items || skipped > 0)
      throw damaged(
        `${checked.items} items in the files of ${dataFolder}`,
        `${imported}, and ${skipped} lines that are none`,
      );
    await rename(output, file);
    return checked;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function streamed({ StreamSpecification, ...definition }: TableDefinition) {
  return { ...definition, StreamSpecification: { StreamEnabled: true, ...StreamSpecification } };
}

/** @returns what the program says: counts */
function importing(args: readonly string[], signal: AbortSignal): Promise<string> {
  const child = spawn(findEmbeddedBinary(), ['import', ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    signal,
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      said = `${said}${text}`.slice(-10_000);
    });
  return new Promise((done, fail) => {
    child.on('error', fail).on('close', (code) => (code === 0 ? done(said) : fail(refused(said))));
  });
}

/** Reasons that quote nothing of an item but the names of keys and indexes. */
const named =
  /(Missing the key .*|Type mismatch for .*[Kk]ey .*|The AttributeValue for a key attribute cannot .*|.*\(os error \d+\).*)$/m;

function refused(said: string): LocalError {
  const reason = named.exec(said)?.[1] ?? 'an item that DynamoDB would not hold, or no room on the disk';
  return new LocalError(
    'import.refused',
    `Expected items with the keys and indexes of denorm.config.ts, but the embedded DynamoDB cannot import one (${reason}): ` +
      'name an export of this table, or correct the names of its keys in the config',
  );
}

function countIn(said: string, name: string): number {
  return Number(new RegExp(`^\\s*${name}:\\s+(\\d+)$`, 'm').exec(said)?.[1] ?? 0);
}
