import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as z from 'zod';
import { projectStack, stackText } from '../../deploy/stack-template.ts';
import { jsonOrUndefined } from '../../model/basics/parse-json.ts';
import { UsageError } from '../errors.ts';
import { version } from '../own-package.ts';
import { configName, loadProject, templateName } from '../project.ts';

/**
 * Writes the files of a new project with its template, and prints how to go on.
 * @param files by their paths
 * @param next the commands after the installation
 */
export async function writeProject(
  root: string,
  files: ReadonlyMap<string, string>,
  next: readonly string[],
): Promise<void> {
  requireFree(root, [...files.keys(), templateName]);
  for (const [path, text] of files) {
    const file = join(root, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text, { flag: 'wx' });
  }
  resolveOwnPackages();
  const { config } = await loadProject(join(root, configName));
  const { rules, aggregates, archives } = config.registry();
  const isIdle = rules.length + aggregates.length + archives.length === 0;
  if (!isIdle) writeFileSync(join(root, templateName), stackText(projectStack({ config }), version));
  const cd = relative(process.cwd(), root);
  const steps = [
    ...(cd === '' ? [] : [`cd ${/\s/.test(cd) ? `"${cd}"` : cd}`]),
    ...[installCommand(root), ...next],
    ...(isIdle
      ? ['npx denorm template   # once there is a rule: without one, there is nothing to deploy']
      : []),
  ];
  console.log(`${files.size + (isIdle ? 0 : 1)} files in ${cd || '.'}. Next:\n  ${steps.join('\n  ')}`);
}

/** @throws UsageError `usage.folder` if it has one of these files */
export function requireFree(root: string, paths: readonly string[]): void {
  if (existsSync(root) && !statSync(root).isDirectory())
    throw new UsageError('usage.folder', `Expected ${root} to be a folder, found a file: name another`);
  const there = paths.filter((path) => existsSync(join(root, path)));
  if (there.length > 0)
    throw new UsageError(
      'usage.folder',
      `Expected a folder without the files of a new project, found ${there.join(', ')} in ${root}: name another folder, or move them away`,
    );
}

/** A folder's name as npm and CloudFormation take it. */
export function projectName(root: string): string {
  const name = basename(root)
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^[^a-z]+|-+$/g, '');
  return name === '' ? 'app' : name;
}

/** Lets a new config load before its packages are installed: this package and zod are this package's own. */
function resolveOwnPackages(): void {
  registerHooks({
    resolve(specifier, context, next) {
      const isOwn = /^(stream-denormalizer|zod)(\/|$)/.test(specifier);
      return next(specifier, isOwn ? { ...context, parentURL: import.meta.url } : context);
    },
  });
}

/** What npm has installed, with where each package is from. */
const installedSchema = z.object({
  packages: z.record(z.string(), z.object({ resolved: z.string().optional() })),
});

/** Installs the packages of a new project, with this one from where it is: a file that `npm pack` made, a checkout or npm. */
function installCommand(project: string): string {
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
