import { createHash } from 'node:crypto';
import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import type { Command } from 'commander';
import * as z from 'zod';
import { fromFolder } from '../../dev/folder.ts';
import { jsonOrUndefined } from '../../model/basics/parse-json.ts';
import { UsageError } from '../errors.ts';
import { configName, project } from '../project.ts';
import type { Services } from './services.ts';

export interface StateOptions {
  readonly stateDir?: string;
}

/** @param what the folder is for */
export function withState(command: Command, what: string): Command {
  return command.option('--state-dir <dir>', `${what} (default: in .denorm beside ${configName})`);
}

/** The folder of what `denorm dev` and interrupted commands keep: that of the project, wherever in it a command is called. */
export async function stateDirOf({ stateDir }: StateOptions): Promise<string> {
  return stateDir ?? relative(process.cwd(), join((await project()).folder, '.denorm'));
}

/** Whose archive, dead letters and failed batches a folder has: a table in a database, and where it was last served, unless another is since. */
const servedSchema = z.object({ table: z.string(), database: z.string(), endpoint: z.string().optional() });

type Served = z.output<typeof servedSchema>;

const fileName = 'table.json';

interface DevTable {
  readonly table: string;
  /** Where the server listens: the embedded one, or another on this machine. */
  readonly endpoint: string;
  /** The file that keeps it; undefined for the table of the endpoint, whichever it is. */
  readonly dbPath: string | undefined;
}

/**
 * The folder in which `denorm dev` keeps what belongs to a table: of each table its own, below that of the project. Nothing is
 * written until `serve`; from then on, commands at the endpoint find this folder, and no other.
 * @throws UsageError `usage.state-dir` if --state-dir names that of another table
 */
export async function devStateOf(
  options: StateOptions,
  { table, endpoint, dbPath }: DevTable,
): Promise<{ readonly folder: string; serve(): Promise<void> }> {
  const served = {
    table,
    endpoint: originOf(endpoint),
    database: dbPath === undefined ? originOf(endpoint) : resolve(dbPath),
  };
  const digest = createHash('sha256').update(served.database).digest('hex').slice(0, 8);
  const folder = options.stateDir ?? join(await stateDirOf({}), `${table}-${digest}`);
  const owner = servedFrom(folder);
  if (owner !== undefined && (owner.table !== table || owner.database !== served.database))
    throw new UsageError(
      'usage.state-dir',
      `Expected --state-dir to be a new folder, or that of the table ${table} in ${served.database}, got '${folder}' of the table ${owner.table} in ${owner.database}: name another`,
    );
  for (const made of makeStateFolder(folder).toReversed()) rmdirSync(made);
  return {
    folder,
    async serve() {
      for (const path of await foldersServedAt(served.endpoint, table))
        write(path, { ...served, ...servedFrom(path), endpoint: undefined });
      makeStateFolder(folder);
      write(folder, served);
    },
  };
}

function write(folder: string, served: Served): void {
  writeFileSync(join(folder, fileName), `${JSON.stringify(served)}\n`);
}

/**
 * Before any other work begins, so that none is lost because the folder cannot keep what it is for.
 * @returns the folders that were not there, the outermost first
 * @throws UsageError `usage.state-dir` if the folder cannot be made or written
 */
export function makeStateFolder(folder: string): readonly string[] {
  try {
    const made = makeFolder(folder);
    accessSync(folder, constants.W_OK);
    return made;
  } catch (error) {
    const { message } = fromFolder(error, `write below '${folder}'`);
    throw new UsageError('usage.state-dir', `${message}: name a folder that can be written by --state-dir`);
  }
}

/** Not `recursive`: in /proc, where a folder cannot be made, Node.js tries that without end. */
function makeFolder(folder: string): readonly string[] {
  const parent = dirname(folder);
  const above = existsSync(parent) ? [] : makeFolder(parent);
  try {
    mkdirSync(folder);
    return [...above, folder];
  } catch (error) {
    if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) throw error;
    return above;
  }
}

type ServedTable = Pick<Services, 'endpoint' | 'tableName'>;

/** What --state-dir names, otherwise the folder of the table that `denorm dev` last served there, if it did. */
export async function stateServedAt(
  { stateDir }: StateOptions,
  { endpoint, tableName }: ServedTable,
): Promise<string | undefined> {
  if (stateDir !== undefined) return stateDir;
  if (endpoint === undefined) return undefined;
  return (await foldersServedAt(originOf(endpoint), tableName))[0];
}

async function foldersServedAt(endpoint: string, table: string | undefined): Promise<readonly string[]> {
  const folder = await stateDirOf({});
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .map((name) => join(folder, name))
    .filter((path) => {
      const served = servedFrom(path);
      return served?.table === table && served?.endpoint === endpoint;
    });
}

/** Whether `denorm dev` has kept something of a table in this folder, not below it. */
export function isStateFolder(folder: string): boolean {
  return [fileName, 'dead-letters', 'on-failure'].some((name) => existsSync(join(folder, name)));
}

/** @throws UsageError `usage.state-dir` if the folder is known to be of another table than this one */
export function refuseStateOfAnother(folder: string, { endpoint = '', tableName = '' }: ServedTable): void {
  const owner = servedFrom(folder);
  if (owner === undefined || (owner.table === tableName && owner.endpoint === originOf(endpoint))) return;
  throw new UsageError(
    'usage.state-dir',
    `Expected failures of the table ${tableName} at ${endpoint}, got those of ${owner.table} at ${owner.endpoint ?? 'no endpoint any more'} in ${folder}: name that table and endpoint, or another --state-dir`,
  );
}

function servedFrom(folder: string): Served | undefined {
  const file = join(folder, fileName);
  return existsSync(file)
    ? servedSchema.safeParse(jsonOrUndefined(readFileSync(file, 'utf8'))).data
    : undefined;
}

/** The origin of a URL, with one name for this machine. */
function originOf(endpoint: string): string {
  return (URL.parse(endpoint)?.origin ?? endpoint).replace(/\/\/(localhost|\[::1\])(?=:|$)/, '//127.0.0.1');
}
