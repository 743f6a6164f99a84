import { existsSync, realpathSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import * as z from 'zod';
import type { Config } from '../model/rules/config.ts';
import { configFileNamed } from './environment.ts';
import { UsageError } from './errors.ts';
import { loadError } from './load-error.ts';

export const templateName = 'template.yaml';

/** The file that makes a folder a project. */
export const configName = 'denorm.config.ts';

export interface Project {
  /** The folder of the config; the template, the events and the state of `denorm dev` are in it. */
  readonly folder: string;
  readonly file: string;
  readonly config: Config;
}

let named: string | undefined;

/** Called for `--config`, before a command runs. */
export function nameProject(file: string | undefined): void {
  named = file;
}

/** The file that `--config` names, for a command to go on with. */
export function namedProject(): string | undefined {
  return named;
}

/**
 * The project of the working folder: the config that `--config` or `DENORM_CONFIG` names, otherwise the one in this folder or
 * the nearest above it. Node loads it once.
 * @throws UsageError `usage.project` if there is none, or if it exports something else
 */
export async function project(): Promise<Project> {
  return await loadProject(configFile());
}

function configFile(): string {
  const given = named ?? configFileNamed();
  if (given !== undefined) return resolve(given);
  for (let folder = process.cwd(); ; folder = dirname(folder)) {
    const file = join(folder, configName);
    if (existsSync(file)) return ownFile(file);
    if (folder === dirname(folder)) break;
  }
  throw new UsageError(
    'usage.project',
    `Expected a ${configName} in ${process.cwd()} or a folder above it, found none: run this in a project, name one with ` +
      '--config, or make one with `npx stream-denormalizer init`',
  );
}

/**
 * A config is code, and anybody may put one into a folder like /tmp: it is run if it belongs to this user, to the system, or to
 * the owner of the working folder.
 * @throws UsageError `usage.project` if it belongs to another user
 */
function ownFile(file: string): string {
  const trusted = [process.getuid?.() ?? 0, 0, statSync(process.cwd()).uid];
  if (trusted.includes(statSync(file).uid)) return file;
  throw new UsageError(
    'usage.project',
    `Expected ${file} to belong to you, found a file of another user: if you trust it, name it with --config`,
  );
}

const moduleSchema = z.object({
  default: z.custom<Config>(
    (value) => z.looseObject({ table: z.looseObject({}), registry: z.function() }).safeParse(value).success,
  ),
});

/**
 * Loads a config.
 * @throws UsageError `usage.project` if the file does not exist, is not TypeScript that Node runs, or exports something else
 */
export async function loadProject(file: string): Promise<Project> {
  if (!existsSync(file))
    throw new UsageError('usage.project', `Expected a config at ${file}, found no such file: check --config`);
  const loaded = moduleSchema.safeParse(await imported(file));
  if (loaded.success) return { folder: dirname(file), file, config: loaded.data.default };
  throw new UsageError(
    'usage.project',
    `Expected ${file} to export what defineConfig returns as its default, found something else: write \`export default defineConfig({ … })\``,
  );
}

async function imported(file: string): Promise<unknown> {
  try {
    return await import(pathToFileURL(realpathSync(file)).href);
  } catch (error) {
    throw loadError(error);
  }
}
