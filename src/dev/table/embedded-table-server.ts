import { existsSync } from 'node:fs';
import { mkdtemp, rm, statfs } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import type { TableDefinition } from '../../deploy/stack-settings.ts';
import { type IndexNames, keyParts } from '../../model/items/table-names.ts';
import { memberIndexes } from '../../model/rules/aggregate.ts';
import type { Registry } from '../../model/rules/registry.ts';
import { LocalError, messageOf } from '../errors.ts';
import { type LocalServer, startLocalServer } from '../local-server.ts';

export interface EmbeddedTableServerOptions {
  /** File for the tables, created if it is missing. Default: a temporary one, which ends with the server. */
  readonly dbPath?: string;
  /** Makes the file before the server starts. */
  readonly fill?: ((file: string) => Promise<unknown>) | undefined;
}

/** How long the server may take to answer. It usually takes about 100. */
const deadlineMs = 10_000;

/** @throws LocalError `server.no-binary`, `server.db-path` or `server.not-started` */
export async function startEmbeddedTableServer({
  dbPath,
  fill,
}: EmbeddedTableServerOptions = {}): Promise<LocalServer> {
  const program = findEmbeddedBinary();
  // What fills the file may be larger than memory.
  const folder = await (fill === undefined ? newFolder() : onDisk());
  const file = dbPath === undefined ? join(folder, 'table.db') : resolve(dbPath);
  await fill?.(file).catch(async (error: unknown) => {
    await rm(folder, { recursive: true, force: true });
    throw error;
  });
  try {
    const server = await startLocalServer({
      name: 'the embedded DynamoDB',
      program,
      folder,
      deadlineMs,
      args: (host, port) => ['serve', '--host', host, '--port', String(port), '--db-path', file],
    });
    await addIndexes(file);
    // The server goes on with the open file, and the system frees it when it ends, even by SIGKILL. Where the system refuses to
    // remove an open file, the watchdog does it.
    await rm(folder, { recursive: true, force: true }).catch(() => {});
    return server;
  } catch (error) {
    throw startError(messageOf(error), dbPath);
  }
}

/** @throws LocalError `server.no-binary` with the package's name and the alternative */
export function findEmbeddedBinary(platform: string = process.platform, arch: string = process.arch): string {
  const name = `@dynoxide/${platform}-${arch}`;
  try {
    const directory = dirname(createRequire(import.meta.url).resolve(`${name}/package.json`));
    const file = join(directory, platform === 'win32' ? 'dynoxide.exe' : 'dynoxide');
    if (existsSync(file)) return file;
  } catch {
    // The package is not installed.
  }
  throw new LocalError(
    'server.no-binary',
    `Expected the embedded DynamoDB for ${platform}-${arch} in the package ${name}, which is not installed: ` +
      `install it if npm has it, or name a running DynamoDB with --endpoint.`,
  );
}

/** Linux keeps the files of this directory in memory, so that a write does not wait for a disk. Containers often have 64 MB there. */
const inMemory = '/dev/shm';
const enough = 2 ** 30;

function onDisk(): Promise<string> {
  return mkdtemp(join(tmpdir(), 'denorm-table-'));
}

async function newFolder(): Promise<string> {
  if (!existsSync(inMemory)) return onDisk();
  const { bavail, bsize } = await statfs(inMemory);
  return bavail * bsize < enough ? onDisk() : mkdtemp(join(inMemory, 'denorm-table-')).catch(onDisk);
}

/**
 * The server finds the highest number of its stream records, those after a position and the ends of a shard by reading all of
 * them: a write takes twenty times as long after 30,000 others, with these indexes as long as the first. It sorts a whole table for
 * each page of a segment: a million items take ten times as long each as ten thousand. Only tables that the file has by now are
 * indexed, of an import or an earlier run: a temporary file cannot be opened later.
 */
async function addIndexes(file: string): Promise<void> {
  try {
    const { DatabaseSync } = await import('node:sqlite');
    const database = new DatabaseSync(file, { timeout: 5_000 });
    try {
      database.exec(
        'CREATE INDEX IF NOT EXISTS denorm_record_numbers ON _stream_records (table_name, CAST(sequence_number AS INTEGER));' +
          'CREATE INDEX IF NOT EXISTS denorm_shard_records ON _stream_records (table_name, shard_id, sequence_number)',
      );
      for (const { table_name: name } of database.prepare('SELECT table_name FROM _tables').all())
        database.exec(`CREATE INDEX IF NOT EXISTS "denorm_scan ${name}" ON "${name}" (hash_prefix, pk, sk)`);
    } finally {
      database.close();
    }
  } catch {
    // Nothing but speed is lost.
  }
}

function startError(said: string, dbPath: string | undefined): LocalError {
  if (dbPath !== undefined && /open database|sqlite|database file|disk|readonly/i.test(said))
    return unwritable(dbPath, new Error(said.split('\n')[0]));
  return new LocalError(
    'server.not-started',
    `Expected the embedded DynamoDB to start, but it did not (${said.split('\n')[0]}): ` +
      `name a running DynamoDB with --endpoint instead.`,
  );
}

export function unwritable(dbPath: string, cause: unknown): LocalError {
  return new LocalError(
    'server.db-path',
    `Expected ${dbPath} to be a database file of the embedded DynamoDB, or a new name in a directory that can be ` +
      `written to, but it cannot be opened (${messageOf(cause)}): choose another with --db-path.`,
    cause,
  );
}

/** The table without its indexes of several attributes, which the embedded server refuses or cannot query. */
export function servedTable(definition: TableDefinition): TableDefinition {
  const GlobalSecondaryIndexes = definition.GlobalSecondaryIndexes.filter(({ KeySchema }) =>
    ['HASH', 'RANGE'].every((type) => KeySchema.filter(({ KeyType }) => KeyType === type).length <= 1),
  );
  const keys = [definition, ...GlobalSecondaryIndexes].flatMap(({ KeySchema }) =>
    KeySchema.map(({ AttributeName }) => AttributeName),
  );
  const AttributeDefinitions = definition.AttributeDefinitions.filter(({ AttributeName }) =>
    keys.includes(AttributeName),
  );
  return { ...definition, AttributeDefinitions, GlobalSecondaryIndexes };
}

/** The names of rules that the embedded server cannot serve: it refuses each query of an index of several attributes. */
export function unansweredRules({ rules, aggregates, archives }: Registry): readonly string[] {
  const using = [
    ...rules.map(({ name, located }) => ({ name, indexes: located.in === 'index' ? [located.index] : [] })),
    ...aggregates.map((one) => ({ name: one.name, indexes: memberIndexes(one) })),
    ...archives.map(({ name, ages }) => ({
      name,
      indexes: ages?.found.in === 'index' ? [ages.found.index] : [],
    })),
  ];
  return using.filter(({ indexes }) => indexes.some(hasSeveral)).map(({ name }) => name);
}

function hasSeveral(index: IndexNames): boolean {
  const { pk, sk } = keyParts(index);
  return pk.length > 1 || sk.length > 1;
}
