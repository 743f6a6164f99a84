import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as z from 'zod';
import { jsonOrUndefined } from '../../model/basics/parse-json.ts';

/** What npm has installed, with where each package is from. */
const installedSchema = z.object({
  packages: z.record(z.string(), z.object({ resolved: z.string().optional() })),
});

/** Installs the packages of a new project, with this one from where it is: a file that `npm pack` made, a checkout or npm. */
export function installCommand(project: string): string {
  const own = fileURLToPath(new URL('../../..', import.meta.url)).replace(/[\\/]$/, '');
  const packages = dirname(own);
  if (!packages.endsWith(`${sep}node_modules`)) return `npm install "$(npm pack --silent ${quoted(own)})"`;
  const list = join(packages, '.package-lock.json');
  const installed = existsSync(list) ? jsonOrUndefined(readFileSync(list, 'utf8')) : undefined;
  const { data } = installedSchema.safeParse(installed);
  const [, file] =
    /^file:(.+\.tgz)$/.exec(data?.packages['node_modules/stream-denormalizer']?.resolved ?? '') ?? [];
  if (file === undefined) return 'npm install';
  return `npm install ${quoted(relative(project, resolve(dirname(packages), file)))}`;
}

function quoted(path: string): string {
  return /^[\w./@-]+$/.test(path) ? path : `'${path}'`;
}
